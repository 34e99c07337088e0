"""Search: what has a text in it and may be seen, everywhere or in some projects. Code is searched in git."""

from __future__ import annotations

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.forge.rows.items import Issue, MergeRequest, Milestone, Note
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project, Snippet, WikiPage
from dayjob.company.forge.store import access, snippets, visibility
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import like

PROJECTS_READ = 100
"""The most projects whose code one search looks through."""


def _seen(viewer: User, within: list[int] | None, column: str) -> str:
    """The visible projects (whose ids stand in `column`), narrowed to those of `within`."""
    visible = access.visible_projects(viewer, column)
    if within is None:
        return visible
    return f"{visible} AND {column} IN ({','.join(str(project_id) for project_id in within) or 'NULL'})"


def _listing(row_class: type[ForgeRow], alias: str, columns: tuple[str, ...], text: str, also: str) -> Listing:
    """The rows with the text in one of the columns, newest first."""
    anywhere = " OR ".join(f"{alias}.{column} LIKE ? ESCAPE '\\'" for column in columns)
    source = f"FROM {row_class.table} {alias} WHERE ({anywhere}) AND {also}"
    return Listing(row_class, source, [like(text)] * len(columns), f"{alias}.id DESC", alias)


def projects(viewer: User, text: str, within: list[int] | None) -> Listing:
    return _listing(Project, "p", ("name", "full_path", "description"), text, _seen(viewer, within, "p.id"))


def issues(viewer: User, text: str, within: list[int] | None, state: str | None = None) -> Listing:
    return _items(Issue, visibility.issues(viewer), viewer, text, within, state)


def merge_requests(viewer: User, text: str, within: list[int] | None, state: str | None = None) -> Listing:
    return _items(MergeRequest, visibility.requests(viewer), viewer, text, within, state)


def _items(
    row_class: type, visible: str, viewer: User, text: str, within: list[int] | None, state: str | None
) -> Listing:
    also = f"{_seen(viewer, within, 't.project_id')} AND {visible}"
    listing = _listing(row_class, "t", ("title", "description"), text, also)
    if state is not None:
        listing.source += " AND t.state=?"
        listing.args = [*listing.args, state]
    return listing


def milestones(viewer: User, text: str, within: list[int] | None) -> Listing:
    """Milestones of projects; those of groups are not searched."""
    also = f"m.project_id IS NOT NULL AND {_seen(viewer, within, 'm.project_id')}"
    return _listing(Milestone, "m", ("title", "description"), text, also)


def notes(viewer: User, text: str, within: list[int] | None) -> Listing:
    """What people wrote, not what the forge noted itself."""
    also = f"n.system=0 AND {_seen(viewer, within, 'n.project_id')} AND {visibility.notes(viewer)}"
    return _listing(Note, "n", ("body",), text, also)


def people(text: str) -> Listing:
    """By a part of a name, or by a whole address."""
    return Listing(
        User,
        "FROM users WHERE (name LIKE ? ESCAPE '\\' OR username LIKE ? ESCAPE '\\' OR email=?) AND bot=0",
        [like(text), like(text), text],
        "users.id ASC",
    )


def snippet_titles(store: Store, viewer: User, text: str, within: list[int] | None) -> list[Snippet]:
    return snippets.titled(store, viewer, text, "1" if within is None else _seen(viewer, within, "project_id"))


def wiki_pages(store: Store, viewer: User, text: str, within: list[int] | None) -> list[WikiPage]:
    """Pages of projects' wikis."""
    return store.all(
        WikiPage,
        f"owner_type='project' AND content LIKE ? ESCAPE '\\' AND {_seen(viewer, within, 'owner_id')} AND "
        f"{access.open_to(viewer, 'wiki', 'owner_id')} ORDER BY slug",
        like(text),
    )


def projects_with_code(store: Store, viewer: User, within: list[int] | None) -> list[Project]:
    """The projects whose code somebody may read, of those that are searched."""
    rows = store.all(Project, f"empty=0 AND {_seen(viewer, within, 'id')} ORDER BY id LIMIT {PROJECTS_READ}")
    return [project for project in rows if access.may_read_code(store, viewer, project)]
