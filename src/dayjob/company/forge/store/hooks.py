"""Webhooks: which of them hear of a project's events, and what became of the latest deliveries."""

from __future__ import annotations

from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import namespaces, records
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
