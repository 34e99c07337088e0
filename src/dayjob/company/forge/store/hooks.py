"""Webhooks: which of them hear of a project's events, and what became of the latest deliveries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.forge.errors import Refused, refused
from dayjob.company.forge.git.reading import matches
from dayjob.company.forge.rows.items import Issue, Note
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import issues, namespaces, records
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders

ATTEMPTS_KEPT = 20
STRATEGIES = ("wildcard", "regex", "all_branches")


def listening(store: Store, project: Project) -> list[Record]:
    """The hooks of a project, of the groups above it and of the instance."""
    above = namespaces.ancestors(store, project.namespace_id)
    return store.all(
        Record,
        "kind='hook' AND (scope='project' AND scope_id=? OR "
        f"scope='group' AND scope_id IN ({placeholders(above)}) OR scope='instance')",
        project.id, *above,
    )  # fmt: skip


def check(values: Mapping[str, Any]) -> None:
    """Refuse a hook without an address, or with a branch filter that cannot be used."""
    if not re.match(r"https?://[^\s/]+", str(values["url"])):
        raise refused(422, "Invalid url given")
    if values["branch_filter_strategy"] not in STRATEGIES:
        raise Refused(400, {"error": "branch_filter_strategy does not have a valid value"})
    if values["branch_filter_strategy"] == "regex":
        try:
            expression(str(values["push_events_branch_filter"] or ""))
        except InvalidExpression as error:
            raise refused(422, f"Invalid push_events_branch_filter given: {error}") from None


def hears(hook: Record, event: str, ref: str) -> bool:
    """Whether a hook asked for an event; pushes may be asked for of some branches only, by wildcard or pattern."""
    values = hook.values
    if not values.get(f"{event}_events"):
        return False
    wanted, strategy = str(values["push_events_branch_filter"] or ""), values["branch_filter_strategy"]
    if event != "push" or not wanted or strategy == "all_branches":
        return True
    branch = ref.removeprefix("refs/heads/")
    if strategy != "regex":
        return matches(wanted, branch)
    try:
        return expression(wanted).found_in(branch)
    except InvalidExpression:
        return False  # what an import or a world wrote was never checked; a pattern that is none fits no branch


def event_of_issue(issue: Issue) -> str:
    """What a hook must ask for to hear of an issue: confidential ones are an event of their own."""
    return "confidential_issues" if issue.confidential else "issues"


def event_of_note(store: Store, note: Note) -> str:
    """What a hook must ask for to hear of a comment: internal ones, and all on a confidential issue, are an event of
    their own."""
    issue = issues.get(store, note.noteable_id) if note.noteable_type == "Issue" else None
    return "confidential_note" if note.internal or (issue is not None and issue.confidential) else "note"


def attempts(store: Store, hook_id: int) -> list[Record]:
    """A hook's latest deliveries, newest first."""
    return store.all(Record, "kind='hook_event' AND scope='hook' AND scope_id=? ORDER BY id DESC", hook_id)


def note_attempt(store: Store, hook: Record, event: str, outcome: str) -> None:
    """Store what became of a delivery; only the latest stay."""
    values = {"url": hook.values["url"], "trigger": f"{event}_hooks", "response_status": outcome}
    records.create(store, "hook_event", "hook", hook.id, event, values)
    store.db.execute(
        "DELETE FROM records WHERE kind='hook_event' AND scope='hook' AND scope_id=? AND id NOT IN "
        "(SELECT id FROM records WHERE kind='hook_event' AND scope='hook' AND scope_id=? ORDER BY id DESC LIMIT ?)",
        (hook.id, hook.id, ATTEMPTS_KEPT),
    )
