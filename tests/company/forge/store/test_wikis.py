"""Wikis: the rows say what the repository's main branch says, whoever wrote it."""

from __future__ import annotations

import pytest

from dayjob.company.forge.git.writing import Author, commit_actions
from dayjob.company.forge.rows.projects import WikiPage
from dayjob.company.forge.store import wikis
from dayjob.company.forge.store.wikis import Wiki
from tests.company.forge.offices import Office

WHO = Author("Ann", "ann@bare.test", 0)
HERE, THERE = Wiki("project", 1), Wiki("group", 1)


def push(office: Office, wiki: Wiki, branch: str = "main", **files: str | None) -> None:
    """Files as a push brings them; None for one it takes away. `__` in a name stands for a dot."""
    repo = office.store.repos.open(wiki.repository)
    head = repo.references.get(f"refs/heads/{branch}")
    actions: list[dict[str, object]] = []
    for name, content in files.items():
        path = name.replace("__", ".")
        there = head is not None and path in repo[head.target].tree
        action = "delete" if content is None else "update" if there else "create"
        actions.append({"action": action, "file_path": path, "content": content})
    seen = str(head.target) if head is not None else None
    commit_actions(repo, branch, seen, actions, "by hand", WHO, WHO, seen)
    wikis.sync(office.store, wiki.repository)


def shown(office: Office, wiki: Wiki = HERE) -> dict[str, tuple[str, str, str]]:
    return {one.slug: (one.title, one.format, one.content) for one in wikis.pages(office.store, wiki)}


def files(office: Office, wiki: Wiki = HERE) -> set[str | None]:
    repo = office.store.repos.open(wiki.repository)
    tree = repo[repo.references["refs/heads/main"].target].tree
    return {one.name for one in tree}


def test_a_wiki_is_its_owners_and_known_by_its_repository() -> None:
    assert (HERE.repository, THERE.repository) == ("1.wiki", "group-1.wiki")
    assert wikis.of_repository("1.wiki") == HERE
    assert wikis.of_repository("group-1.wiki") == THERE


def test_pages_are_what_was_pushed_last(office: Office) -> None:
    push(office, HERE, home__md="hello", a_b__adoc="two", picture__png="no page", _sidebar__md="no page")
    push(office, THERE, home__md="another")
    assert shown(office) == {"home": ("home", "markdown", "hello"), "a_b": ("a_b", "asciidoc", "two")}
    assert shown(office, THERE) == {"home": ("home", "markdown", "another")}
    push(office, HERE, home__md="changed", a_b__adoc=None, new__org="three")
    assert shown(office) == {"home": ("home", "markdown", "changed"), "new": ("new", "org", "three")}
    push(office, HERE, home__md=None, home__rdoc="changed")
    assert shown(office)["home"] == ("home", "rdoc", "changed")
    assert shown(office, THERE) == {"home": ("home", "markdown", "another")}


def test_a_wiki_lists_no_pages_of_another_owner_of_its_kind(office: Office) -> None:
    push(office, HERE, home__md="one")
    push(office, Wiki("project", 2), home__md="two", more__md="three")
    assert list(shown(office)) == ["home"]
    assert list(shown(office, Wiki("project", 2))) == ["home", "more"]


def test_a_page_that_did_not_change_keeps_its_row(office: Office) -> None:
    push(office, HERE, home__md="hello", other__md="a")
    before = {one.slug: one.id for one in wikis.pages(office.store, HERE)}
    push(office, HERE, other__md="b")
    assert {one.slug: one.id for one in wikis.pages(office.store, HERE)} == before


@pytest.mark.parametrize(("size", "page"), [(wikis.PAGE_LIMIT, True), (wikis.PAGE_LIMIT + 1, False)])
def test_a_file_of_more_than_a_mebibyte_is_no_page(office: Office, size: int, page: bool) -> None:
    assert wikis.PAGE_LIMIT == 1024 * 1024
    push(office, HERE, home__md="x" * size)
    assert ("home" in shown(office)) is page


def test_a_wiki_lives_on_the_branch_that_head_names_or_on_the_first_there_is(office: Office) -> None:
    wikis.sync(office.store, HERE.repository)
    assert shown(office) == {}
    push(office, HERE, "zebra", home__md="last")
    push(office, HERE, "apple", home__md="first")
    repo = office.store.repos.open(HERE.repository)
    assert wikis.branch(repo) == "zebra"
    assert shown(office)["home"][2] == "last"
    repo.references.delete("refs/heads/zebra")
    push(office, HERE, "berry", home__md="second")
    assert wikis.branch(repo) == "apple"
    assert shown(office)["home"][2] == "first"


def test_pages_are_written_renamed_and_deleted(office: Office) -> None:
    store = office.store
    made = wikis.write(store, HERE, WHO, None, "How to dig", "deep", "markdown", "new")
    assert (made.slug, made.title, made.format, made.content) == ("How-to-dig", "How to dig", "markdown", "deep")
    same = wikis.write(store, HERE, WHO, made, "How-to-dig", "deeper", "markdown", "more")
    assert (same.id, same.content) == (made.id, "deeper")
    moved = wikis.write(store, HERE, WHO, same, "Digging", "deeper", "org", "renamed")
    assert (moved.slug, moved.format) == ("Digging", "org")
    assert wikis.find(store, HERE, "How to dig") is None
    other = wikis.write(store, HERE, WHO, None, "Two words", "x", "rdoc", "new")
    assert wikis.find(store, HERE, "Two words") == wikis.find(store, HERE, "Two-words") == other
    assert wikis.find(store, THERE, "Two words") is None
    assert files(office) == {"Digging.org", "Two-words.rdoc"}
    wikis.delete(store, HERE, WHO, other)
    assert (files(office), set(shown(office))) == ({"Digging.org"}, {"Digging"})
    repo = store.repos.open(HERE.repository)
    said = [one.message for one in repo.walk(repo.references["refs/heads/main"].target)]
    assert said == ["Delete page Two words", "new", "renamed", "more", "new"]


def page(office: Office, slug: str) -> WikiPage:
    found = wikis.find(office.store, HERE, slug)
    assert found is not None
    return found


def test_a_page_is_changed_in_the_file_it_was_pushed_in_whatever_its_ending(office: Office) -> None:
    push(office, HERE, home__markdown="hello", guide__adoc="two", gone__adoc="three")
    wikis.write(office.store, HERE, WHO, page(office, "home"), "home", "changed", "markdown", "more")
    wikis.delete(office.store, HERE, WHO, page(office, "gone"))
    wikis.write(office.store, HERE, WHO, page(office, "guide"), "handbook", "two", "asciidoc", "renamed")
    assert files(office) == {"home.markdown", "handbook.asciidoc"}
    assert shown(office) == {
        "home": ("home", "markdown", "changed"), "handbook": ("handbook", "asciidoc", "two"),
    }  # fmt: skip
