"""Pages of lists, and what texts say to the forge."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company.forge.errors import Refused, bad_request, forbidden, invalid, not_found
from dayjob.company.forge.errors import refused as answer
from dayjob.company.forge.rows.items import Issue
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Listing, reversed_order
from dayjob.company.forge.store.issue_text import closed_issues, human, mentioned_issues, mentioned_people, seconds
from dayjob.company.forge.store.wiki_names import ENDINGS, is_page, page_name, slug_of
from dayjob.company.rows import like
from tests.company.bare import day
from tests.company.forge.offices import Office


@given(st.integers(0, 12), st.integers(1, 5), st.integers(0, 14), st.sampled_from(["t.id ASC", "t.id DESC", "t.id"]))
@settings(max_examples=60)
def test_any_page_of_a_list_is_that_part_of_it(total: int, limit: int, offset: int, order: str) -> None:
    office = _with_issues(total)
    listing = Listing(Issue, "FROM issues t WHERE t.project_id=?", (1,), order, "t")
    everything = sorted(office.store.values("SELECT id FROM issues"), reverse=order.endswith("DESC"))
    assert [one.id for one in office.store.page(listing, limit, offset)] == everything[offset : offset + limit]
    assert office.store.count(listing) == total


_offices: dict[int, Office] = {}


def _with_issues(total: int) -> Office:
    if total not in _offices:
        office = _offices[total] = Office()
        project = office.project("garden")
        for _ in range(total):
            office.issue(project)
    return _offices[total]


@pytest.mark.parametrize(
    ("order", "backwards"),
    [("t.id ASC", "t.id DESC"), ("t.id desc", "t.id ASC"), ("t.due ASC, t.id DESC", "t.due DESC, t.id ASC"),
     ("t.id", None), ("t.due, t.id DESC", None), ("t.due IS NULL, t.id ASC", None)],
)  # fmt: skip
def test_an_order_is_turned_round_when_every_part_of_it_says_its_direction(order: str, backwards: str | None) -> None:
    assert reversed_order(order) == backwards


def test_a_count_is_remembered_until_something_changes_or_the_day_does(office: Office) -> None:
    listing = Listing(Project, "FROM projects WHERE created_at<? AND today()<?", ("z", day(1)))
    office.project("garden")
    assert office.store.count(listing) == 1
    office.project("other")
    assert office.store.count(listing) == 2
    office.company.clock.forward(days=1)
    assert office.store.count(listing) == 0


def test_a_count_is_not_remembered_beyond_a_reset(office: Office) -> None:
    listing = Listing(Project, "FROM projects WHERE path=?", ("garden",))
    office.project("garden")
    assert office.store.count(listing) == 1
    office.company.reset("forge")
    office.root = office.person("root", admin=True)
    office.project("meadow")
    assert office.store.count(listing) == 0


def test_a_list_without_an_alias_is_paged_by_the_name_of_its_table(office: Office) -> None:
    first, second, third = (office.project(name) for name in ("a", "b", "c"))
    listing = Listing(Project, "FROM projects WHERE 1", (), "projects.id ASC")
    assert listing.alias == "projects"
    assert office.store.page(listing, 1, 1) == [second]
    assert office.store.page(listing.after(third.id, down=True), 2, 0) == [second, first]
    assert office.store.page(listing.after(first.id, down=False), 1, 1) == [third]


@pytest.mark.parametrize(
    ("text", "closed"),
    [("Closes #1", [("", 1)]), ("fixes #1, #2 and #3", [("", 1), ("", 2), ("", 3)]), ("see #1", []),
     ("Resolved a/b#4", [("a/b", 4)]), ("closing: http://x.test/a/b/-/issues/5", [("a/b", 5)]), ("unfixed#1", []),
     ("Implements issue #7", [("", 7)]), ("x" * 20_000 + " closes #1", [])],
)  # fmt: skip
def test_what_a_text_closes(text: str, closed: list[tuple[str, int]]) -> None:
    assert list(closed_issues(text)) == closed


def test_which_issues_a_text_names() -> None:
    text = "see #1, a/b#2 and http://x.test/c/d/-/issues/3 but not x#y"
    assert list(mentioned_issues(text)) == [("", 1), ("a/b", 2), ("c/d", 3)]


@pytest.mark.parametrize(
    ("path", "slug", "title", "form", "page"),
    [("a-b.md", "a-b", "a b", "markdown", True), ("x.markdown", "x", "x", "markdown", True),
     ("d/x.rdoc", "d/x", "d/x", "rdoc", True), ("x.asciidoc", "x", "x", "asciidoc", True),
     ("x.adoc", "x", "x", "asciidoc", True), ("x.org", "x", "x", "org", True),
     ("x.png", "x.png", "x.png", "markdown", False),
     ("d/_x.md", "d/_x", "d/_x", "markdown", False), (".x.md", ".x", ".x", "markdown", False)],
)  # fmt: skip
def test_wiki_files_are_pages_by_their_names(path: str, slug: str, title: str, form: str, page: bool) -> None:
    assert page_name(path) == (slug, title, form)
    assert is_page(path) is page
    assert slug_of("/ A b / c d /") == "A-b/c-d"
    assert sorted(ENDINGS.items()) == [
        ("asciidoc", ".asciidoc"),
        ("markdown", ".md"),
        ("org", ".org"),
        ("rdoc", ".rdoc"),
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [("@ann, @bob.b. and @ann", ["ann", "bob.b"]), ("mail@ann.test", []), ("`@ann`", []), ("(@a)", ["a"]), ("@-x", [])],
)
def test_whom_a_text_mentions(text: str, named: list[str]) -> None:
    assert mentioned_people(text) == named


@pytest.mark.parametrize(
    ("text", "total"),
    [("1h", 3600), ("1d", 28800), ("1w", 144000), ("1mo", 576000), ("1w 2d 3h 30m 5s", 214205), ("-1h", -3600),
     ("1.5h", 5400),
     ("", None), ("1y", None), ("h", None)],
)  # fmt: skip
def test_durations_are_those_of_working_time(text: str, total: int | None) -> None:
    assert seconds(text) == total


@given(st.integers(-(10**7), 10**7))
def test_a_duration_reads_back_as_it_was_written(total: int) -> None:
    written = human(total)
    assert written is None if total == 0 else sum(seconds(part) or 0 for part in str(written).split()) == total


@given(st.text("a%_\\b", max_size=4), st.text("a%_\\b", max_size=6))
def test_text_is_found_anywhere_and_nothing_in_it_is_a_wildcard(text: str, inside: str) -> None:
    db = sqlite3.connect(":memory:")
    found = db.execute("SELECT ? LIKE ? ESCAPE '\\'", (inside, like(text))).fetchone()[0]
    db.close()
    assert bool(found) is (text in inside)


@pytest.mark.parametrize(
    ("refused", "status", "body", "words"),
    [(not_found(), 404, {"message": "404 Not Found"}, "404 Not Found"),
     (not_found("Key"), 404, {"message": "404 Key Not Found"}, "404 Key Not Found"),
     (forbidden(), 403, {"message": "403 Forbidden"}, "403 Forbidden"),
     (forbidden("no"), 403, {"message": "403 Forbidden - no"}, "403 Forbidden - no"),
     (bad_request("no"), 400, {"message": "400 Bad request - no"}, "400 Bad request - no"),
     (invalid(name=("is bad",)), 400, {"message": {"name": ["is bad"]}}, "{'name': ['is bad']}"),
     (answer(409, "taken"), 409, {"message": "taken"}, "taken"),
     (Refused(400, {"error": "x is missing"}), 400, {"error": "x is missing"}, "x is missing"),
     (Refused(418, {}), 418, {}, "418")],
)  # fmt: skip
def test_a_refusal_says_what_the_wire_answers(refused: Refused, status: int, body: object, words: str) -> None:
    assert (refused.status, refused.body, str(refused)) == (status, body, words)
