"""To-do lists: what waits for somebody, and what they have done."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.items import Todo
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import visibility
from dayjob.company.forge.store.base import Store


def listed(
    store: Store, user: User, *, state: str, kind: str | None = None, project_id: int | None = None,
    author_id: int | None = None, action: str | None = None,
) -> list[Todo]:  # fmt: skip
    """Somebody's to-dos about what they may see, newest first."""
    where, args = f"user_id=? AND {visibility.todos(user)} AND state=?", list[Any]([user.id, state])
    narrowed = {"target_type": kind, "project_id": project_id, "author_id": author_id, "action": action}
    for column, value in narrowed.items():
        if value is not None:
            where += f" AND {column}=?"
            args.append(value)
    return store.all(Todo, f"{where} ORDER BY id DESC", *args)


def pending_count(store: Store, user: User) -> int:
    """How many to-dos about what somebody may see wait for them."""
    count: int = store.value(
        f"SELECT count(*) FROM todos WHERE user_id=? AND state='pending' AND {visibility.todos(user)}", user.id
    )
    return count


def find(store: Store, todo_id: int) -> Todo | None:
    return store.one(Todo, "id=?", todo_id)


def mark_done(store: Store, user: User, todo_id: int) -> Todo:
    todo = find(store, todo_id)
    if todo is None or todo.user_id != user.id:
        raise not_found()
    todo.state, todo.updated_at = "done", store.now()
    store.update("todos", todo.id, state=todo.state, updated_at=todo.updated_at)
    return todo


def mark_all_done(store: Store, user: User) -> None:
    store.db.execute(
        "UPDATE todos SET state='done', updated_at=? WHERE user_id=? AND state='pending'", (store.now(), user.id)
    )
