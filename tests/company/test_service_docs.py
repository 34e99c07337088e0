"""docs/forge.md and docs/board.md name every family of addresses once, and none that is not there.

A table whose first heading is "below `/some/address`" names in its first column what may follow that address. A table
headed "not there" names addresses that answer 404. `GET /some/address` in the text is a call that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dayjob.company.board.api import routes as board_router
from dayjob.company.forge import api as forge_api
from dayjob.company.forge.api import quick_actions
from dayjob.company.forge.api.routes import router as forge_router
from dayjob.http.routing import NotFound, Router

DOCS = Path(__file__).parents[2] / "docs"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CALL = re.compile(rf"`({'|'.join(METHODS)}) (/[^`?]*)[^`]*`")
CODE = re.compile(r"`([^`]+)`")
LONGEST_LINE = 120

Family = tuple[str, str]
"""An address, and the word that follows it."""


@dataclass(frozen=True)
class Page:
    """A page of the docs, and the router of the API it describes."""

    name: str
    router: Router
    prefix: str

    @property
    def text(self) -> str:
        return (DOCS / self.name).read_text("utf-8")

    def tables(self) -> Iterator[tuple[str, list[str]]]:
        """The first heading of each table, and the first cells of its rows."""
        for table in re.findall(r"(?:^\|.*\n)+", self.text, re.M):
            heading, _, *cells = (line.split("|")[1].strip() for line in table.splitlines())
            yield heading, cells

    def families(self) -> list[Family]:
        """As the tables name them."""
        return [
            (_plain(CODE.findall(heading)[0]), name)
            for heading, cells in self.tables()
            if heading.startswith("below ")
            for cell in cells
            for name in CODE.findall(cell)
        ]

    def patterns(self) -> set[str]:
        return {_plain(one.removeprefix(self.prefix)) for method in METHODS for one in self.router.patterns(method)}

    def is_there(self, method: str, address: str) -> bool:
        try:
            self.router.match(method, self.prefix + re.sub(r":\w+", "1", address))
        except LookupError:
            return False
        return True


def _plain(address: str) -> str:
    """Without the names of its parameters: both `/users/:id` and `/users/{id}` are `/users/:`."""
    return "/" + "/".join(":" if one[0] in ":{" else one for one in address.split("/") if one)


def _family(pattern: str, addresses: set[str]) -> Family:
    """The longest address of the tables that the pattern goes on after, and the word it goes on with."""
    parts = pattern.strip("/").split("/")
    for at in reversed(range(len(parts))):
        before = "/" + "/".join(parts[:at])
        if before in addresses and parts[at] != ":":
            return before, "/".join(parts[at : at + 2]) if parts[at] == "-" else parts[at]
    raise AssertionError(f"no table is about {pattern}")


forge_api.load()
PAGES = (Page("forge.md", forge_router, "/api/v4"), Page("board.md", board_router, "/api/v1"))
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@each_page
def test_the_tables_name_every_family_of_addresses_once_and_no_other(page: Page) -> None:
    written = page.families()
    routed = {_family(pattern, {address for address, _ in written}) for pattern in page.patterns()}
    assert sorted(routed - set(written)) == [], "not in the docs"
    assert sorted(set(written) - routed) == [], "in the docs only"
    assert sorted({one for one in written if written.count(one) > 1}) == [], "in two rows"


@each_page
def test_what_is_called_not_there_is_not_there(page: Page) -> None:
    absent = [name for heading, cells in page.tables() if heading == "not there" for cell in cells for name in
              CODE.findall(cell)]  # fmt: skip
    assert len(absent) >= 10
    for address in absent:
        with pytest.raises(NotFound):
            page.router.match("GET", page.prefix + re.sub(r":\w+", "1", address))


@each_page
def test_calls_that_the_text_names_are_there(page: Page) -> None:
    calls = CALL.findall(page.text)
    assert len(calls) >= 3
    assert [f"{method} {address}" for method, address in calls if not page.is_there(method, address)] == []


@each_page
def test_lines_fit_on_a_screen(page: Page) -> None:
    assert [line for line in page.text.splitlines() if len(line) > LONGEST_LINE] == []


def test_the_forges_page_names_every_quick_action_with_what_it_is_for() -> None:
    known = {
        "both": quick_actions._OF_BOTH,
        "issues": quick_actions._OF_ISSUES,
        "merge requests": quick_actions._OF_REQUESTS,
    }
    written = {
        kind: [name.removeprefix("/") for cell in cells for name in CODE.findall(cell)]
        for heading, cells in PAGES[0].tables()
        for kind in known
        if heading == f"quick actions of {kind}"
    }
    assert {kind: sorted(names) for kind, names in written.items()} == {
        kind: sorted(actions) for kind, actions in known.items()
    }
