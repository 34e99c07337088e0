"""Scripts in names, titles, descriptions, comments, labels and addresses are shown and never run."""

from __future__ import annotations

import pytest
import requests

from tests.company.board.pages.conftest import Visit
from tests.company.pages.browser import Visitor, expect
from tests.company.pages.nasty import LINK, PASSWORD, PICTURE, QUOTED, SCRIPT, TEXT
from tests.company.serving import Served


class Nasty:
    """A project whose every text tries to run."""

    def __init__(self, office: Served) -> None:
        self.base = f"{office.url('board')}/api/v1/workspaces/nasty"
        self.session = requests.Session()
        self.session.headers["x-api-key"] = "plane_api_nasty"
        project = self.make("/projects/", name=f"P {SCRIPT}", identifier="NASTY", description=TEXT, intake_view=True)
        self.at = f"/nasty/projects/{project['id']}"
        place = f"/projects/{project['id']}"
        label = self.make(f"{place}/labels/", name=SCRIPT, color=f'"/>{SCRIPT}', description=PICTURE)
        state = self.make(f"{place}/states/", name=PICTURE, color="url(javascript:alert(1))", group="started")
        cycle = self.make(
            f"{place}/cycles/", name=SCRIPT, description=TEXT, start_date="2026-03-02", end_date="2026-03-20"
        )
        module = self.make(f"{place}/modules/", name=PICTURE, description=TEXT)
        rich = f'<p style="x:y" onclick="alert(1)">{TEXT}</p><img src="https://evil.test/x.png" onerror="alert(1)">'
        item = self.make(
            f"{place}/issues/", name=f"{SCRIPT} {QUOTED}", description_html=rich, state=state["id"],
            labels=[label["id"]],
        )  # fmt: skip
        self.item = f"{self.at}/issues/{item['id']}/"
        self.cycle, self.module = f"{self.at}/cycles/{cycle['id']}/", f"{self.at}/modules/{module['id']}/"
        self.make(f"{place}/issues/{item['id']}/comments/", comment_html=rich)
        self.make(f"{place}/issues/{item['id']}/links/", url="https://example.com/?q=%22%3E", title=f"{SCRIPT}{QUOTED}")
        self.make(f"{place}/cycles/{cycle['id']}/cycle-issues/", issues=[item["id"]])
        self.make(f"{place}/modules/{module['id']}/module-issues/", issues=[item["id"]])
        self.make(f"{place}/intake-issues/", issue={"name": SCRIPT, "description_html": rich})

    def make(self, path: str, **facts: object) -> dict[str, str]:
        response = self.session.post(self.base + path, json=facts, timeout=30)
        assert response.status_code in (200, 201), response.text
        found: dict[str, str] = response.json()
        return found


@pytest.fixture
def nasty(nasty_office: Served) -> Nasty:
    return Nasty(nasty_office)


@pytest.fixture
def admin(nasty_office: Served, visit: Visit) -> Visitor:
    visitor = visit(nasty_office)
    visitor.sign_in("board", "admin@nasty.test", PASSWORD)
    return visitor


def test_nothing_runs_on_any_page(admin: Visitor, nasty: Nasty) -> None:
    paths = (
        "/nasty/", "/nasty/projects/", "/nasty/settings/members/", "/nasty/profile/", "/nasty/search/?q=script",
        "/nasty/search/?q=%3Cscript%3Ealert(1)%3C/script%3E", f"{nasty.at}/issues/",
        f"{nasty.at}/issues/?layout=kanban",
        f"{nasty.at}/issues/?layout=table&search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&state=%22%3E%3Cscript%3E",
        nasty.item, f"{nasty.item}edit/", f"{nasty.item}move/", f"{nasty.item}relations/new/", f"{nasty.at}/cycles/",
        nasty.cycle, f"{nasty.cycle}edit/", f"{nasty.at}/modules/", nasty.module, f"{nasty.at}/settings/",
        f"{nasty.at}/settings/states/", f"{nasty.at}/settings/labels/", f"{nasty.at}/settings/members/",
        f"{nasty.at}/intake/", f"{nasty.at}/archives/issues/",
    )  # fmt: skip
    for path in paths:
        page = admin.open("board", path)
        for element in page.locator("main a, main button").all()[:12]:
            element.dispatch_event("mouseover")
        assert page.evaluate(
            "[...document.querySelectorAll('*')].every(one =>"
            " !one.getAttributeNames().some(name => name.startsWith('on') || name === 'style'))"
        ), path
        assert page.locator("a[href^='javascript:' i], main img, main script").count() == 0, path
        admin.assert_no_console_errors()


def test_what_people_wrote_is_read_as_they_wrote_it(admin: Visitor, nasty: Nasty) -> None:
    page = admin.open("board", nasty.item)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SCRIPT} {QUOTED}")
    page.get_by_role("textbox", name="Comment").fill(f"typed {TEXT}")
    page.get_by_role("button", name="Comment", exact=True).click()
    comment = page.locator(".comment").filter(has_text="typed")
    expect(comment).to_contain_text(SCRIPT)
    expect(comment).to_contain_text(PICTURE)
    expect(comment.locator("script, img")).to_have_count(0)
    assert LINK.startswith("[click]")
    expect(comment.get_by_role("link", name="click")).to_have_count(0)


def test_cards_are_moved_and_peeked_with_nasty_names(admin: Visitor, nasty: Nasty) -> None:
    page = admin.open("board", f"{nasty.at}/issues/?layout=kanban")
    page.get_by_role("link", name="Move NASTY-1").click()
    page.get_by_role("dialog").get_by_role("button", name="Done").click()
    expect(page.get_by_role("region", name="Done", exact=True)).to_contain_text("NASTY-1")
    page.get_by_role("region", name="Done", exact=True).locator(".kcard-title").click()
    expect(page.get_by_role("complementary").get_by_role("heading", level=2)).to_have_text(f"{SCRIPT} {QUOTED}")


def test_the_sign_in_page_shows_addresses_as_text(nasty_office: Served, visit: Visit) -> None:
    somebody = visit(nasty_office)
    somebody.open("board", "/?next_path=/%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    somebody.assert_no_console_errors()
