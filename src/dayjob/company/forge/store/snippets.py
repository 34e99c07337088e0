"""Snippets: personal ones and those of projects, each with its files."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import forbidden
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project, Snippet
from dayjob.company.forge.store import access, visibility
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import like, packed


def find(store: Store, viewer: User | None, project: Project | None, snippet_id: int) -> Snippet:
    """A snippet of the project, or a personal one, that somebody may see."""
    seen = f"id=? AND project_id IS ? AND {visibility.snippets(viewer)}"
    return store.required(Snippet, seen, snippet_id, project.id if project else None, name="Snippet")


def check_may_change(store: Store, user: User, project: Project | None, snippet: Snippet) -> None:
    """Authors change their own; administrators all, maintainers those of their project."""
    if user.id == snippet.author_id or user.admin:
        return
    if project is None or access.project_level(store, user, project) < access.MAINTAINER:
        raise forbidden()


def by_author(user: User) -> Listing:
    """Somebody's personal snippets."""
    return _listing("project_id IS NULL AND author_id=?", user.id)


def public() -> Listing:
    """Everyone's personal snippets that are public."""
    return _listing("project_id IS NULL AND visibility='public'")


def visible_to(user: User) -> Listing:
    return _listing(visibility.snippets(user))


def of_project(viewer: User | None, project: Project) -> Listing:
    return _listing(f"project_id=? AND {visibility.snippets(viewer)}", project.id)


def _listing(where: str, *args: Any) -> Listing:
    return Listing(Snippet, f"FROM snippets WHERE {where}", args, "snippets.id DESC")


def titled(store: Store, viewer: User | None, text: str, within: str = "1") -> list[Snippet]:
    """The snippets with a text in their title; `within` is a further condition on their `project_id`."""
    where = f"title LIKE ? ESCAPE '\\' AND {visibility.snippets(viewer)} AND {within}"
    return store.all(Snippet, where, like(text))


def create(
    store: Store, author: User, project: Project | None, *, title: str, description: str | None, visibility: str,
    files: dict[str, str], user_agent: str,
) -> Snippet:  # fmt: skip
    now = store.now()
    snippet_id = store.insert(
        "snippets", project_id=project.id if project else None, author_id=author.id, title=title,
        description=description, visibility=visibility, files=packed(files), user_agent=user_agent, created_at=now,
        updated_at=now,
    )  # fmt: skip
    return store.get(Snippet, snippet_id)


def change(store: Store, snippet: Snippet, values: dict[str, Any], files: dict[str, str]) -> None:
    store.update("snippets", snippet.id, **values, files=packed(files), updated_at=store.now())


def delete(store: Store, snippet: Snippet) -> None:
    """With the comments on it."""
    with store.transaction():
        store.db.execute("DELETE FROM notes WHERE noteable_type='Snippet' AND noteable_id=?", (snippet.id,))
        store.delete("snippets", snippet.id)
