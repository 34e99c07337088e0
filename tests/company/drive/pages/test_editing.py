"""The text editor keeps what people wrote: line ends, other people's versions, files that are no text."""

from __future__ import annotations

from collections.abc import Callable

from tests.company.drive.pages.finding import FILES, come_in, sams
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]


def test_a_text_is_changed_and_its_line_ends_stay(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/dos.txt", b"one\r\ntwo\r\n")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/view/dos.txt")
    page.get_by_role("link", name="Edit").first.click()
    text = page.get_by_label("Text of dos.txt")
    expect(text).to_have_value("one\ntwo\n")
    sam.assert_good()
    text.fill("one\nzwei\n\nthree\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("“dos.txt” is saved.")
    assert api.get("/dos.txt") == b"one\r\nzwei\r\n\r\nthree\r\n"


def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unasked(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/plan.md", "first")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/edit/plan.md")
    page.get_by_label("Text of plan.md").fill("mine")
    api.put("/plan.md", "theirs")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Somebody saved another version")
    expect(page.get_by_label("Text of plan.md")).to_have_value("mine")
    assert api.get("/plan.md") == b"theirs"
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Somebody saved another version")
    page.get_by_role("button", name="Save mine over it").click()
    expect(page.get_by_role("status")).to_contain_text("is saved")
    assert api.get("/plan.md") == b"mine"


def test_the_editor_refuses_what_it_would_spoil(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/latin.txt", "Müller".encode("latin-1"))
    api.put("/locked.txt", "x")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/edit/latin.txt")
    expect(page.get_by_text("latin.txt is not text in UTF-8, so it cannot be changed here.")).to_be_visible()
    sam.expect_console("status of 400")
    page.goto(office.url("drive") + f"{FILES}/edit/locked.txt")
    kinds = "<d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>"
    body = f'<d:lockinfo xmlns:d="DAV:">{kinds}</d:lockinfo>'
    assert api.dav("LOCK", "/locked.txt", data=body).status_code == 200
    page.get_by_label("Text of locked.txt").fill("changed")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("is locked by sam.reed")
    expect(page.get_by_label("Text of locked.txt")).to_have_value("changed")
    sam.expect_console("status of 423")
    assert api.get("/locked.txt") == b"x"
