"""What issues and merge requests have in common: labels, assignees, milestones, and the traces of changes."""

from __future__ import annotations

from typing import Protocol

from dayjob.company.forge.store import labels, notes
from dayjob.company.forge.store.base import Store, dumps
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


class Item(Protocol):
    """An issue or a merge request."""

    id: int
    project_id: int
    iid: int
    title: str
    milestone_id: int | None


def trace(store: Store, actor: User, kind: str, item_id: int, what: str, action: str, value: str | None) -> None:
    """Remember a change of label, milestone, state or weight."""
    store.insert(
        "resource_events", kind=what, item_type=kind, item_id=item_id, user_id=actor.id, action=action, value=value,
        created_at=store.now(),
    )  # fmt: skip


def set_labels(store: Store, actor: User, project: Project, kind: str, item_id: int, names: list[str]) -> None:
    """Make these the item's labels; unknown ones are created in the project."""
    wanted: dict[int, str] = {}
    for name in dict.fromkeys(one.strip() for one in names if one.strip()):
        label = labels.label_named(store, project, name) or labels.create_label(store, "project_id", project.id, name)
        wanted[label.id] = label.name
    before: dict[int, str] = dict(
        store.db.execute(
            "SELECT l.id, l.name FROM label_links k JOIN labels l ON l.id=k.label_id WHERE k.item_type=? AND "
            "k.item_id=?",
            (kind, item_id),
        ).fetchall()
    )
    added, removed = wanted.keys() - before.keys(), before.keys() - wanted.keys()
    for label_id in sorted(added):
        store.db.execute("INSERT INTO label_links VALUES (?,?,?)", (label_id, kind, item_id))
        trace(store, actor, kind, item_id, "label", "add", str(label_id))
    for label_id in sorted(removed):
        store.db.execute(
            "DELETE FROM label_links WHERE label_id=? AND item_type=? AND item_id=?", (label_id, kind, item_id)
        )
        trace(store, actor, kind, item_id, "label", "remove", str(label_id))
    if added or removed:
        labels.write_names(store, kind, item_id)
        parts = [f"added ~{wanted[one]}" for one in sorted(added)] + [
            f"removed ~{before[one]}" for one in sorted(removed)
        ]
        notes.system(store, actor, kind, item_id, project.id, " ".join(parts) + " labels")


def label_names(store: Store, kind: str, item_id: int) -> list[str]:
    return store.values(
        "SELECT l.name FROM label_links k JOIN labels l ON l.id=k.label_id WHERE k.item_type=? AND k.item_id=? "
        "ORDER BY l.name",
        kind,
        item_id,
    )


def set_people(store: Store, actor: User, project: Project, kind: str, item_id: int, role: str, ids: list[int]) -> None:
    """Make these the item's assignees or reviewers; unknown ids and 0 are left out."""
    wanted = [one for one in dict.fromkeys(ids) if store.value("SELECT 1 FROM users WHERE id=?", one)]
    before = store.values(
        "SELECT user_id FROM people WHERE item_type=? AND item_id=? AND role=? ORDER BY position", kind, item_id, role
    )
    if wanted == before:
        return
    store.db.execute("DELETE FROM people WHERE item_type=? AND item_id=? AND role=?", (kind, item_id, role))
    for position, user_id in enumerate(wanted):
        store.db.execute("INSERT INTO people VALUES (?,?,?,?,?)", (kind, item_id, role, user_id, position))
    column = "assignees" if role == "assignee" else "reviewers"
    store.update(TABLES[kind], item_id, **{column: dumps(wanted)})
    names = {row[0]: row[1] for row in store.db.execute("SELECT id, username FROM users")}
    for user_id in wanted:
        if user_id not in before and user_id != actor.id:
            action = "assigned" if role == "assignee" else "review_requested"
            title = store.value(f"SELECT title FROM {TABLES[kind]} WHERE id=?", item_id)
            notes.todo(store, user_id, actor, action, kind, item_id, project.id, title)
    verbs = (
        ("assigned to", "unassigned") if role == "assignee" else ("requested review from", "removed review request for")
    )
    words = []
    if added := [f"@{names[one]}" for one in wanted if one not in before]:
        words.append(f"{verbs[0]} {', '.join(added)}")
    if removed := [f"@{names[one]}" for one in before if one not in wanted and one in names]:
        words.append(f"{verbs[1]} {', '.join(removed)}")
    if words:
        notes.system(store, actor, kind, item_id, project.id, " and ".join(words))


def set_milestone(store: Store, actor: User, project: Project, kind: str, item: Item, milestone_id: int | None) -> None:
    if milestone_id == item.milestone_id:
        return
    milestone = labels.find_milestone(store, project, milestone_id) if milestone_id else None
    store.update(TABLES[kind], item.id, milestone_id=milestone.id if milestone else None)
    if milestone is not None:
        trace(store, actor, kind, item.id, "milestone", "add", str(milestone.id))
        notes.system(store, actor, kind, item.id, project.id, f'changed milestone to %"{milestone.title}"')
    elif item.milestone_id is not None:
        trace(store, actor, kind, item.id, "milestone", "remove", str(item.milestone_id))
        notes.system(store, actor, kind, item.id, project.id, "removed milestone")


def participants(store: Store, kind: str, item_id: int, author_id: int) -> list[User]:
    """Everyone who wrote, is assigned or reviews; the author first."""
    ids = [
        author_id,
        *store.values(
            "SELECT user_id FROM people WHERE item_type=? AND item_id=? ORDER BY role, position", kind, item_id
        ),
        *store.values(
            "SELECT author_id FROM notes WHERE noteable_type=? AND noteable_id=? AND system=0 ORDER BY id",
            kind,
            item_id,
        ),
    ]
    known = store.by_ids(User, ids)
    return [known[one] for one in dict.fromkeys(ids) if one in known]
