"""For every test with a browser: one Chromium per module, Larkspur compiled once, and companies cloned from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from dayjob.company.world import Snapshot, build_snapshot
from tests.company.pages.browser import CHROMIUM, Visitor
from tests.company.pages.nasty import write_nasty_world
from tests.company.serving import WORLDS, Served, serve, snapshot_of


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Not for longer than a module: Playwright keeps an event loop running, and other tests need one of their own."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed: pages are tested in Debian's Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visitor]]:
    """`visit(company)`: somebody opens a browser of their own. At the end, nothing may have gone wrong in it."""
    made: list[Visitor] = []

    def start(served: Served, **context: object) -> Visitor:
        made.append(Visitor(chromium, served, **context))
        return made[-1]

    yield start
    for visitor in made:
        visitor.context.close()
    for visitor in made:
        visitor.assert_no_console_errors()


@pytest.fixture(scope="session")
def larkspur_pages() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture
def office(larkspur_pages: Snapshot) -> Iterator[Served]:
    """A Larkspur of one's own."""
    with serve(larkspur_pages) as served:
        yield served


@pytest.fixture(scope="session")
def nasty_pages(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("nasty")
    write_nasty_world(folder / "world")
    return build_snapshot(folder / "world", cache=folder / "cache")


@pytest.fixture
def nasty_office(nasty_pages: Snapshot) -> Iterator[Served]:
    """A company where every name and text tries to run as a script."""
    with serve(nasty_pages) as served:
        yield served
