"""Topics of projects: the instance's records of them, and the names that projects carry."""

from __future__ import annotations

import json

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.projects import Record
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed


def projects_count(store: Store, name: str) -> int:
    count: int = store.value(
        "SELECT count(*) FROM projects p, json_each(p.topics) t WHERE t.value=? COLLATE NOCASE", name
    )
    return count


def merge(store: Store, source_id: int | None, target_id: int | None) -> Record:
    """Projects with the source topic get the target topic; the source goes away. Returns the target."""
    source, target = (
        records.by_id(store, "topic", "instance", 0, topic_id) if topic_id is not None else None
        for topic_id in (source_id, target_id)
    )
    if source is None or target is None or source.id == target.id:
        raise not_found()
    old, new = source.values["name"], target.values["name"]
    with store.transaction():
        for project_id, topics in store.db.execute("SELECT id, topics FROM projects").fetchall():
            names = json.loads(topics)
            if old in names:
                renamed = dict.fromkeys(new if name == old else name for name in names)
                store.update("projects", project_id, topics=packed(list(renamed)))
        records.delete(store, source)
    return target
