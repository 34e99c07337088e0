"""Webhooks: which of them hear of a project's events, and what became of the latest deliveries."""

from __future__ import annotations

from dayjob.company.forge.rows.items import Issue, Note
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import issues, namespaces, records
from dayjob.company.forge.store.base import Store

ATTEMPTS_KEPT = 20


def listening(store: Store, project: Project) -> list[Record]:
    """The hooks of a project, of the groups above it and of the instance."""
    above = namespaces.ancestors(store, project.namespace_id)
    marks = ",".join("?" * len(above))
    return store.all(
        Record,
        "kind='hook' AND (scope='project' AND scope_id=? OR "
        f"scope='group' AND scope_id IN ({marks}) OR scope='instance')",
        project.id, *above,
    )  # fmt: skip


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
