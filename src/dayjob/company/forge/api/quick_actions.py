"""Lines of a comment or a description that are orders: `/close`, `/label ~bug`, `/assign @sam.reed`, `/draft` …"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.store import access, approvals, issues, items, merge_requests, users
from dayjob.company.forge.store.issue_text import seconds
from dayjob.company.forge.store.labels import TABLES, Milestone, reach
from dayjob.company.forge.store.projects import Project

_LINE = re.compile(r"^/([a-z_]+)(?:[ \t]+(.*))?$")
_LABELS = re.compile(r"~(?:\"([^\"]+)\"|(\S+))")


@dataclass(frozen=True, slots=True)
class Thing:
    """An issue or a merge request, and who orders something of it."""

    call: Call
    kind: str
    id: int
    project: Project

    def set(self, **values: Any) -> None:
        self.call.store.update(TABLES[self.kind], self.id, **values)

    def people(self, role: str) -> list[int]:
        return self.call.store.values(
            "SELECT user_id FROM people WHERE item_type=? AND item_id=? AND role=? ORDER BY position",
            self.kind,
            self.id,
            role,
        )


def obey(call: Call, kind: str, item: int, project: Project, text: str | None) -> tuple[str, dict[str, Any]]:
    """Do what the lines order; returns the text without them and what was changed."""
    text = text or ""
    if "/" not in text or kind not in TABLES:
        return text, {}
    if not _may_order(call, kind, item, project):
        return text, {}
    thing = Thing(call, kind, item, project)
    kept, done = [], {}
    fenced = False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else _LINE.match(line.rstrip())
        order = _order(kind, found[1]) if found else None
        if found is None or order is None:
            kept.append(line)
        else:
            order(thing, (found[2] or "").strip())
            done[found[1]] = found[2] or True
    return ("\n".join(kept) if done else text), done


def _may_order(call: Call, kind: str, item: int, project: Project) -> bool:
    """Planners up; of a merge request that is somebody else's, developers up, as its own API has it."""
    level = access.project_level(call.store, call.me, project)
    if kind == "Issue" or level < access.PLANNER:
        return level >= access.PLANNER
    return level >= access.DEVELOPER or merge_requests.get(call.store, item).author_id == call.me.id


def obey_description(call: Call, project: Project, kind: str, item: Any) -> Any:
    """Do what lines of the description order, which are then no part of it; returns the item as it is after that."""
    text, done = obey(call, kind, item.id, project, item.description)
    if not done:
        return item
    call.store.update(TABLES[kind], item.id, description=text)
    return call.store.one(type(item), "id=?", item.id)


Order = Callable[[Thing, str], None]


def _order(kind: str, name: str) -> Order | None:
    return _OF_BOTH.get(name) or (_OF_ISSUES if kind == "Issue" else _OF_REQUESTS).get(name)


# -- of both -----------------------------------------------------------------------------------------------------


def _state(event: str) -> Order:
    def order(thing: Thing, _: str) -> None:
        store, me = thing.call.store, thing.call.me
        if thing.kind == "Issue":
            issues.set_state(store, me, issues.get(store, thing.id), thing.project, event)
        else:
            merge_requests.set_state(store, me, merge_requests.get(store, thing.id), thing.project, event)

    return order


def _labels(change: Callable[[list[str], list[str]], list[str]]) -> Order:
    def order(thing: Thing, rest: str) -> None:
        store = thing.call.store
        names = [quoted or plain for quoted, plain in _LABELS.findall(rest)]
        before = items.label_names(store, thing.kind, thing.id)
        items.set_labels(store, thing.call.me, thing.project, thing.kind, thing.id, change(before, names))

    return order


def _people(role: str, change: Callable[[list[int], list[int]], list[int]]) -> Order:
    def order(thing: Thing, rest: str) -> None:
        store, me = thing.call.store, thing.call.me
        names = [one.lstrip("@") for one in re.split(r"[\s,]+", rest) if one]
        named = [me if name == "me" else users.find(store, name) for name in names]
        wanted = change(thing.people(role), [one.id for one in named if one is not None])
        items.set_people(store, me, thing.project, thing.kind, thing.id, role, wanted)

    return order


def _added(before: list[Any], named: list[Any]) -> list[Any]:
    return [*before, *named]


def _taken(before: list[Any], named: list[Any]) -> list[Any]:
    return [one for one in before if one not in named] if named else []


def _instead(_: list[Any], named: list[Any]) -> list[Any]:
    return named


def _milestone(thing: Thing, rest: str) -> None:
    condition, args = reach(thing.call.store, thing.project)
    title = rest.lstrip("%").strip('"')
    found = thing.call.store.all(Milestone, f"{condition} AND title=?", *args, title)
    _set_milestone(thing, found[0].id if found else None)


def _set_milestone(thing: Thing, milestone: int | None) -> None:
    store = thing.call.store
    item = issues.get(store, thing.id) if thing.kind == "Issue" else merge_requests.get(store, thing.id)
    items.set_milestone(store, thing.call.me, thing.project, thing.kind, item, milestone)


def _title(thing: Thing, rest: str) -> None:
    if rest:
        thing.set(title=rest[:255])


def _estimate(thing: Thing, rest: str) -> None:
    if (amount := seconds(rest)) is not None:
        thing.set(time_estimate=max(0, amount))


def _spend(thing: Thing, rest: str) -> None:
    if (amount := seconds(rest)) is not None:
        spent = thing.call.store.value(f"SELECT time_spent FROM {TABLES[thing.kind]} WHERE id=?", thing.id)
        thing.set(time_spent=max(0, spent + amount))


_OF_BOTH: dict[str, Order] = {
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
    "remove_milestone": lambda thing, _: _set_milestone(thing, None),
    "title": _title,
    "estimate": _estimate,
    "estimate_time": _estimate,
    "remove_estimate": lambda thing, _: thing.set(time_estimate=0),
    "spend": _spend,
    "spent": _spend,
    "spend_time": _spend,
    "remove_time_spent": lambda thing, _: thing.set(time_spent=0),
    "lock": lambda thing, _: thing.set(discussion_locked=1),
    "unlock": lambda thing, _: thing.set(discussion_locked=0),
}


# -- of issues ---------------------------------------------------------------------------------------------------


def _due(thing: Thing, rest: str) -> None:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", rest):
        thing.set(due_date=rest)


def _weight(thing: Thing, rest: str) -> None:
    if rest.isdigit():
        thing.set(weight=int(rest[:9]))


_OF_ISSUES: dict[str, Order] = {
    "due": _due,
    "remove_due_date": lambda thing, _: thing.set(due_date=None),
    "weight": _weight,
    "clear_weight": lambda thing, _: thing.set(weight=None),
    "confidential": lambda thing, _: thing.set(confidential=1),
}


# -- of merge requests -------------------------------------------------------------------------------------------


def _draft(wanted: bool) -> Order:
    def order(thing: Thing, _: str) -> None:
        title = merge_requests.get(thing.call.store, thing.id).title
        thing.set(title=merge_requests.draft_title(title, wanted))

    return order


def _approve(thing: Thing, _: str) -> None:
    store, me = thing.call.store, thing.call.me
    request = merge_requests.get(store, thing.id)
    if approvals.may_approve(store, me, thing.project, request):
        approvals.approve(store, me, thing.project, request)


def _unapprove(thing: Thing, _: str) -> None:
    store = thing.call.store
    approvals.unapprove(store, thing.call.me, thing.project, merge_requests.get(store, thing.id))


_OF_REQUESTS: dict[str, Order] = {
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
