"""Wiki pages. Git has them; `wiki_pages` repeats what the wiki's main branch says after every change."""

from __future__ import annotations

from dataclasses import dataclass

import pygit2

from dayjob.company.forge.git.reading import TreeEntry, commit_of, size_of, text, tree_entries
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.git.writing import Author, commit_actions, content_size
from dayjob.company.forge.rows.projects import WikiPage
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.wiki_names import ENDINGS, is_page, page_name, slug_of

PAGE_LIMIT = 1024 * 1024
"""A larger file of a wiki's repository is no page."""


@dataclass(frozen=True, slots=True)
class Wiki:
    """A project's or a group's wiki."""

    owner_type: str
    owner_id: int

    @property
    def repository(self) -> str:
        return f"{self.owner_id}.wiki" if self.owner_type == "project" else f"group-{self.owner_id}.wiki"


def of_repository(name: str) -> Wiki:
    plain = name.removesuffix(".wiki")
    if plain.startswith("group-"):
        return Wiki("group", int(plain.removeprefix("group-")))
    return Wiki("project", int(plain))


def pages(store: Store, wiki: Wiki) -> list[WikiPage]:
    return store.all(WikiPage, "owner_type=? AND owner_id=? ORDER BY slug", wiki.owner_type, wiki.owner_id)


def find(store: Store, wiki: Wiki, slug: str) -> WikiPage | None:
    return store.one(
        WikiPage, "owner_type=? AND owner_id=? AND slug=?", wiki.owner_type, wiki.owner_id, slug.replace(" ", "-")
    )


def branch(repo: pygit2.Repository) -> str:
    """The branch the wiki lives on: whatever HEAD names."""
    return str(repo.lookup_reference("HEAD").target).removeprefix("refs/heads/")


def sync(store: Store, name: str) -> None:
    """Make the rows say what the wiki's repository says."""
    wiki = of_repository(name)
    repo = store.repos.open(name)
    if ref_sha(repo, f"refs/heads/{branch(repo)}") is None:
        heads = [one for one in repo.references if one.startswith("refs/heads/")]
        if heads:
            repo.set_head(sorted(heads)[0])
    there = _files(repo)
    with store.transaction() as db:
        for page in pages(store, wiki):
            if page.slug not in there:
                store.delete("wiki_pages", page.id)
        for slug, file in there.items():
            _, title, form = page_name(file.path)
            blob = repo[file.id]
            assert isinstance(blob, pygit2.Blob)
            db.execute(
                "INSERT INTO wiki_pages (owner_type, owner_id, slug, title, format, content) VALUES (?,?,?,?,?,?) "
                "ON CONFLICT (owner_type, owner_id, slug) DO UPDATE SET title=excluded.title, format=excluded.format, "
                "content=excluded.content WHERE content<>excluded.content OR format<>excluded.format",
                (wiki.owner_type, wiki.owner_id, slug, title, form, text(blob.data)),
            )


def _files(repo: pygit2.Repository) -> dict[str, TreeEntry]:
    """The pages' files by slug: a format has several endings, and a push may have brought any of them."""
    head = commit_of(repo, ref_sha(repo, f"refs/heads/{branch(repo)}"))
    if head is None:
        return {}
    return {
        page_name(entry.path)[0]: entry
        for entry in tree_entries(head.tree, recursive=True)
        if entry.type == "blob" and is_page(entry.path) and size_of(repo, entry.id) <= PAGE_LIMIT
    }


def write(
    store: Store, wiki: Wiki, who: Author, old: WikiPage | None, title: str, content: str, form: str, message: str
) -> WikiPage:
    """Create a page, or change (and perhaps rename) `old`."""
    repo = store.repos.open(wiki.repository)
    path = slug_of(title) + ENDINGS[form]
    actions: list[dict[str, object]] = []
    if old is not None:
        before = _files(repo)[old.slug].path
        if old.format == form and slug_of(title) == old.slug:
            path = before
        if before != path:
            actions.append({"action": "move", "file_path": path, "previous_path": before, "content": content})
        else:
            actions.append({"action": "update", "file_path": path, "content": content})
    else:
        actions.append({"action": "create", "file_path": path, "content": content})
    _commit(store, wiki, repo, who, actions, message)
    found = find(store, wiki, slug_of(title))
    assert found is not None
    return found


def delete(store: Store, wiki: Wiki, who: Author, page: WikiPage) -> None:
    repo = store.repos.open(wiki.repository)
    actions: list[dict[str, object]] = [{"action": "delete", "file_path": _files(repo)[page.slug].path}]
    _commit(store, wiki, repo, who, actions, f"Delete page {page.title}")


def _commit(
    store: Store, wiki: Wiki, repo: pygit2.Repository, who: Author, actions: list[dict[str, object]], message: str
) -> None:
    name = branch(repo)
    head = ref_sha(repo, f"refs/heads/{name}")
    store.repos.take(wiki.repository, content_size(actions))
    commit_actions(repo, name, head, actions, message, who, who, head)
    sync(store, wiki.repository)
