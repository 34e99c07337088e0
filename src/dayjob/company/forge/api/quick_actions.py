"""Quick actions: lines of a comment or a description such as `/close`, `/label ~bug` or `/assign @sam.reed`.

They change what the API changes, through the same functions of the store. One that cannot be done changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.errors import Refused, bad_request, forbidden, not_found
from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, issues, item_changes, items, merge_requests, milestones, users
from dayjob.company.forge.store.issue_text import seconds
from dayjob.company.forge.store.item_changes import ItemChanges
from dayjob.company.forge.store.labels import TABLES

_LINE = re.compile(r"^/([a-z_]+)(?:[ \t]+(.*))?$")
_LABELS = re.compile(r"~(?:\"([^\"]+)\"|(\S+))")


@dataclass(frozen=True, slots=True)
class Target:
    """An issue or a merge request, and who changes it."""

    call: Call
    kind: str
    id: int
    project: Project

    @property
    def item(self) -> Issue | MergeRequest:
        """As it is after the actions before."""
        return item_changes.get(self.call.store, self.kind, self.id)

    @property
    def changes(self) -> ItemChanges:
        return ItemChanges(self.call.store, self.call.me, self.project, self.item)


@dataclass(slots=True)
class Ran:
    """The text without its quick actions, what each of them was given, and those that could not be done."""

    text: str
    done: dict[str, Any] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


def run(call: Call, kind: str, item: int, project: Project, text: str | None) -> Ran:
    """Do what the lines say, as far as the person may."""
    text = text or ""
    if "/" not in text or kind not in TABLES:
        return Ran(text)
    target = Target(call, kind, item, project)
    may_change = item_changes.may_run_quick_actions(call.store, call.me, project, target.item)
    ran, kept = Ran(text), []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else _LINE.match(line.rstrip())
        action = _action(kind, found[1]) if found and (may_change or found[1] in _OF_REVIEWERS) else None
        if found is None or action is None:
            kept.append(line)
            continue
        try:
            action(target, (found[2] or "").strip())
            ran.done[found[1]] = found[2] or True
        except Refused:
            ran.failed.append(found[1])
    if ran.done or ran.failed:
        ran.text = "\n".join(kept)
    return ran


def run_in_description(call: Call, project: Project, kind: str, item: Any) -> Any:
    """Run the quick actions of a description, which are then no part of it; returns the item as it is after that."""
    ran = run(call, kind, item.id, project, item.description)
    if not ran.done and not ran.failed:
        return item
    target = Target(call, kind, item.id, project)
    target.changes.keep_description(ran.text)
    return target.item


Action = Callable[[Target, str], None]


def _action(kind: str, name: str) -> Action | None:
    return _OF_BOTH.get(name) or (_OF_ISSUES if kind == "Issue" else _OF_REQUESTS).get(name)


# -- of both -----------------------------------------------------------------------------------------------------


def _state(event: str) -> Action:
    def action(target: Target, _: str) -> None:
        store, me = target.call.store, target.call.me
        if target.kind == "Issue":
            issues.set_state(store, me, issues.get(store, target.id), target.project, event)
        else:
            merge_requests.set_state(store, me, merge_requests.get(store, target.id), target.project, event)

    return action


def _labels(change: Callable[[list[str], list[str]], list[str]]) -> Action:
    def action(target: Target, rest: str) -> None:
        store = target.call.store
        names = [quoted or plain for quoted, plain in _LABELS.findall(rest)]
        before = items.label_names(store, target.kind, target.id)
        items.set_labels(store, target.call.me, target.project, target.kind, target.id, change(before, names))

    return action


def _people(role: str, change: Callable[[list[int], list[int]], list[int]]) -> Action:
    def action(target: Target, rest: str) -> None:
        store, me = target.call.store, target.call.me
        names = [one.lstrip("@") for one in re.split(r"[\s,]+", rest) if one]
        named = [me if name == "me" else users.find(store, name) for name in names]
        wanted = change(
            items.people_ids(store, target.kind, target.id, role), [one.id for one in named if one is not None]
        )
        items.set_people(store, me, target.project, target.kind, target.id, role, wanted)

    return action


def _added(before: list[Any], named: list[Any]) -> list[Any]:
    return [*before, *named]


def _taken(before: list[Any], named: list[Any]) -> list[Any]:
    return [one for one in before if one not in named] if named else []


def _instead(_: list[Any], named: list[Any]) -> list[Any]:
    return named


def _milestone(target: Target, rest: str) -> None:
    milestone = milestones.named(target.call.store, target.project, rest.lstrip("%").strip('"'))
    if milestone is None:
        raise not_found("Milestone")
    _set_milestone(target, milestone.id)


def _set_milestone(target: Target, milestone: int | None) -> None:
    store = target.call.store
    items.set_milestone(store, target.call.me, target.project, target.kind, target.item, milestone)


def _seconds(rest: str) -> int:
    amount = seconds(rest)
    if amount is None:
        raise bad_request("duration is invalid")
    return amount


def _estimate(target: Target, rest: str) -> None:
    target.changes.estimate(_seconds(rest))


def _spend(target: Target, rest: str) -> None:
    target.changes.spend(_seconds(rest))


_OF_BOTH: dict[str, Action] = {
    "close": _state("close"),
    "reopen": _state("reopen"),
    "label": _labels(_added),
    "labels": _labels(_added),
    "unlabel": _labels(_taken),
    "remove_label": _labels(_taken),
    "relabel": _labels(_instead),
    "assign": _people("assignee", _added),
    "unassign": _people("assignee", _taken),
    "reassign": _people("assignee", _instead),
    "milestone": _milestone,
    "remove_milestone": lambda target, _: _set_milestone(target, None),
    "title": lambda target, rest: target.changes.title(rest),
    "estimate": _estimate,
    "estimate_time": _estimate,
    "remove_estimate": lambda target, _: target.changes.estimate(0),
    "spend": _spend,
    "spent": _spend,
    "spend_time": _spend,
    "remove_time_spent": lambda target, _: target.changes.remove_time_spent(),
    "lock": lambda target, _: target.changes.locked(True),
    "unlock": lambda target, _: target.changes.locked(False),
}


# -- of issues ---------------------------------------------------------------------------------------------------


def _due(target: Target, rest: str) -> None:
    if not rest:
        raise bad_request("a date is missing")
    target.changes.due_date(rest)


def _weight(target: Target, rest: str) -> None:
    if not rest.isdecimal():
        raise bad_request("weight is no number")
    target.changes.weight(int(rest[:9]))


_OF_ISSUES: dict[str, Action] = {
    "due": _due,
    "remove_due_date": lambda target, _: target.changes.due_date(None),
    "weight": _weight,
    "clear_weight": lambda target, _: target.changes.weight(None),
    "confidential": lambda target, _: target.changes.confidential(True),
}


# -- of merge requests -------------------------------------------------------------------------------------------


def _draft(wanted: bool) -> Action:
    return lambda target, _: target.changes.draft(wanted)


def _approve(target: Target, _: str) -> None:
    store, me = target.call.store, target.call.me
    request = merge_requests.get(store, target.id)
    if not approvals.may_approve(store, me, target.project, request):
        raise forbidden()
    approvals.approve(store, me, target.project, request)


def _unapprove(target: Target, _: str) -> None:
    store = target.call.store
    if not approvals.unapprove(store, target.call.me, target.project, merge_requests.get(store, target.id)):
        raise not_found()


_OF_REQUESTS: dict[str, Action] = {
    "assign_reviewer": _people("reviewer", _added),
    "reviewer": _people("reviewer", _added),
    "request_review": _people("reviewer", _added),
    "unassign_reviewer": _people("reviewer", _taken),
    "remove_reviewer": _people("reviewer", _taken),
    "reassign_reviewer": _people("reviewer", _instead),
    "draft": _draft(True),
    "ready": _draft(False),
    "approve": _approve,
    "unapprove": _unapprove,
}
# What the rules of approvals decide, not the right to change the merge request.
_OF_REVIEWERS = ("approve", "unapprove")
