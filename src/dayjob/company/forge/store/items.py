"""What issues and merge requests have in common: labels, assignees, milestones, and what is told of changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from dayjob.company.forge.errors import invalid
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import events, labels, milestones, namespaces, notes, resource_events
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.rows import packed, placeholders


class Item(Protocol):
    """An issue or a merge request."""

    id: int
    project_id: int
    iid: int
    title: str
    milestone_id: int | None


def check_title(title: str) -> None:
    if not title.strip():
        raise invalid(title=["can't be blank"])
    if len(title) > 255:
        raise invalid(title=["is too long (maximum is 255 characters)"])


def exists(store: Store, project: Project, kind: str, iid: int) -> bool:
    return bool(store.value(f"SELECT 1 FROM {TABLES[kind]} WHERE project_id=? AND iid=?", project.id, iid))


def numbers(store: Store, kind: str, item_ids: Iterable[int]) -> dict[int, int]:
    """The number that each has in its project."""
    wanted = tuple(set(item_ids))
    marks = placeholders(wanted)
    return dict(store.db.execute(f"SELECT id, iid FROM {TABLES[kind]} WHERE id IN ({marks})", wanted).fetchall())


def opened(
    store: Store, author: User, project: Project, kind: str, item: Item, *, description: str | None,
    labels: list[str] | None, people: dict[str, list[int] | None], milestone_id: int | None, title: str,
) -> None:  # fmt: skip
    """What belongs to a new issue or merge request: its labels, people and milestone, an event, and the to-dos of
    those whom its text names."""
    if labels:
        set_labels(store, author, project, kind, item.id, labels)
    for role, ids in people.items():
        if ids:
            set_people(store, author, project, kind, item.id, role, ids)
    if milestone_id:
        set_milestone(store, author, project, kind, item, milestone_id)
    events.happened(store, author, project.id, "opened", kind, item.id, item.iid, title)
    notes.mention(store, author, kind, item.id, project.id, f"{title}\n{description or ''}")


def tell_state(store: Store, actor: User, project: Project, kind: str, item: Item, state: str, why: str = "") -> None:
    """It was closed, reopened or merged: a trace, a note and an event. `why` reads ` via merge request !4`."""
    resource_events.add(store, actor, kind, item.id, "state", state, why.strip() or None)
    notes.system(store, actor, kind, item.id, project.id, f"{state}{why}")
    action = "accepted" if state == "merged" else state
    events.happened(store, actor, project.id, action, kind, item.id, item.iid, item.title)


def delete_attached(store: Store, kind: str, item_id: int) -> None:
    """Remove everything that hangs on an issue or merge request."""
    for child, what in (
        ("notes", "noteable"), ("award_emoji", "awardable"), ("label_links", "item"), ("people", "item"),
        ("resource_events", "item"), ("subscriptions", "item"), ("todos", "target"),
    ):  # fmt: skip
        store.db.execute(f"DELETE FROM {child} WHERE {what}_type=? AND {what}_id=?", (kind, item_id))


# -- labels, people and milestone --------------------------------------------------------------------------------


def set_labels(store: Store, actor: User, project: Project, kind: str, item_id: int, names: list[str]) -> None:
    """Make these the item's labels; unknown ones are created in the project."""
    wanted: dict[int, str] = {}
    for name in dict.fromkeys(one.strip() for one in names if one.strip()):
        label = labels.label_named(store, project, name) or labels.create_label(store, project, name)
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
        resource_events.add(store, actor, kind, item_id, "label", "add", str(label_id))
    for label_id in sorted(removed):
        store.db.execute(
            "DELETE FROM label_links WHERE label_id=? AND item_type=? AND item_id=?", (label_id, kind, item_id)
        )
        resource_events.add(store, actor, kind, item_id, "label", "remove", str(label_id))
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


def people_ids(store: Store, kind: str, item_id: int, role: str) -> list[int]:
    """The item's assignees or reviewers (`role`) in their order."""
    return store.values(
        "SELECT user_id FROM people WHERE item_type=? AND item_id=? AND role=? ORDER BY position", kind, item_id, role
    )


def assignable(store: Store, project: Project) -> list[User]:
    """Whom something of the project can be assigned to: everyone with access to it, by name."""
    above = namespaces.ancestors(store, project.namespace_id)
    marks = placeholders(above)
    return store.all(
        User,
        "state='active' AND bot=0 AND (id IN (SELECT user_id FROM live_members WHERE source_type='Project' "
        f"AND source_id=? OR source_type='Namespace' AND source_id IN ({marks})) OR id IN (SELECT owner_id FROM "
        f"namespaces WHERE id IN ({marks}))) ORDER BY name COLLATE NOCASE",
        project.id, *above, *above,
    )  # fmt: skip


def set_people(store: Store, actor: User, project: Project, kind: str, item_id: int, role: str, ids: list[int]) -> None:
    """Make these the item's assignees or reviewers; unknown ids and 0 are left out."""
    wanted = [one for one in dict.fromkeys(ids) if store.value("SELECT 1 FROM users WHERE id=?", one)]
    before = people_ids(store, kind, item_id, role)
    if wanted == before:
        return
    store.db.execute("DELETE FROM people WHERE item_type=? AND item_id=? AND role=?", (kind, item_id, role))
    for position, user_id in enumerate(wanted):
        store.db.execute("INSERT INTO people VALUES (?,?,?,?,?)", (kind, item_id, role, user_id, position))
    column = "assignees" if role == "assignee" else "reviewers"
    store.update(TABLES[kind], item_id, **{column: packed(wanted)})
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
    milestone = milestones.find(store, project, milestone_id) if milestone_id else None
    store.update(TABLES[kind], item.id, milestone_id=milestone.id if milestone else None)
    if milestone is not None:
        resource_events.add(store, actor, kind, item.id, "milestone", "add", str(milestone.id))
        notes.system(store, actor, kind, item.id, project.id, f'changed milestone to %"{milestone.title}"')
    elif item.milestone_id is not None:
        resource_events.add(store, actor, kind, item.id, "milestone", "remove", str(item.milestone_id))
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
