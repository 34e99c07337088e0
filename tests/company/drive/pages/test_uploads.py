"""Uploads: several at once with progress, dropped onto a folder, taken names, full drives, names nobody may use."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.company.drive.pages.finding import FILES, chosen, come_in, names, sams
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]
DROP = """([selector, files]) => {
  const carried = new DataTransfer();
  for (const [name, text] of files) carried.items.add(new File([text], name));
  const place = document.querySelector(selector);
  const about = {dataTransfer: carried, bubbles: true, cancelable: true};
  for (const kind of ["dragover", "drop"]) place.dispatchEvent(new DragEvent(kind, about));
}"""


def choose(page: Page, *files: tuple[str, bytes]) -> None:
    page.get_by_role("link", name="Upload").click()
    dialog = page.get_by_role("dialog", name="Upload files")
    dialog.get_by_label("Files", exact=True).set_input_files([chosen(*one) for one in files])
    dialog.get_by_role("button", name="Upload").click()


def test_several_files_arrive_and_the_list_shows_them_without_a_reload(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/in")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/in")
    page.evaluate("window.kept = true")
    page.get_by_role("link", name="Upload").click()
    expect(page.get_by_role("dialog", name="Upload files")).to_be_visible()
    expect(page.get_by_label("If a file of that name is there already")).to_be_hidden()
    page.keyboard.press("Escape")
    choose(page, ("a.txt", b"A" * 3_000_000), ("ümläut & co.txt", b"B"))
    expect(page.get_by_role("status")).to_contain_text("2 files are uploaded.")
    expect(page.get_by_role("dialog", name="Upload files")).to_be_hidden()
    assert names(page) == ["a.txt", "ümläut & co.txt"]
    assert page.evaluate("window.kept")
    assert api.get("/in/a.txt") == b"A" * 3_000_000
    assert api.get("/in/ümläut & co.txt") == b"B"


def test_files_are_dropped_onto_a_folder(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/drop")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/drop")
    page.evaluate(DROP, ["#listing .empty", [["one.md", "# 1"], ["two.md", "# 2"]]])
    expect(page.get_by_role("region", name="Uploads")).to_contain_text("Done")
    expect(page.get_by_role("link", name="two.md", exact=True)).to_be_visible()
    assert api.get("/drop/two.md") == b"# 2"


def test_a_taken_name_is_a_question_with_three_answers(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/in")
    api.put("/in/a.txt", "old")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/in")
    question = page.get_by_role("dialog", name="This name is taken")
    choose(page, ("a.txt", b"new"))
    expect(question).to_contain_text("“a.txt” is in this folder already.")
    question.get_by_role("button", name="Keep both").click()
    expect(page.get_by_role("link", name="a (2).txt", exact=True)).to_be_visible()
    choose(page, ("a.txt", b"newer"))
    question.get_by_role("button", name="Cancel this file").click()
    expect(page.get_by_text("Left out")).to_be_visible()
    assert api.get("/in/a.txt") == b"old"
    page.get_by_role("dialog", name="Upload files").get_by_label("Files", exact=True).set_input_files(
        [chosen("a.txt", b"newest")]
    )
    page.get_by_role("dialog", name="Upload files").get_by_role("button", name="Upload").click()
    question.get_by_role("button", name="Replace").click()
    expect(page.get_by_role("dialog", name="Upload files")).to_be_hidden()
    assert api.get("/in/a.txt") == b"newest"
    assert api.names("/in") == ["a (2).txt", "a.txt"]


def test_a_full_drive_and_a_refused_name_say_why(office: Served, visit: Visit) -> None:
    office.call(
        lambda: office.company.service("drive").db.execute("UPDATE users SET quota = 500 WHERE username = 'sam.reed'")
    )
    sam = visit(office)
    page = come_in(sam)
    choose(page, ("big.bin", b"x" * 2000), (".htaccess", b"x"), ("small.txt", b"s"))
    dialog = page.get_by_role("dialog", name="Upload files")
    expect(dialog).to_contain_text("“big.bin” is larger than the")
    expect(dialog).to_contain_text("“.htaccess” cannot be stored: this name is reserved by the web server.")
    expect(page.get_by_role("status")).to_contain_text("1 file is uploaded.")
    found = sams(office).names()
    assert "small.txt" in found
    assert not {"big.bin", ".htaccess"} & set(found)
    # The same through the plain form.
    without = visit(office, java_script_enabled=False)
    page = come_in(without, f"{FILES}/upload?dir=/")
    page.get_by_label("Files", exact=True).set_input_files([chosen("big.bin", b"x" * 2000)])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("“big.bin” is larger than the")).to_be_visible()
    assert "big.bin" not in sams(office).names()


def test_where_one_may_not_add_nothing_offers_it(office: Served, visit: Visit) -> None:
    lead = sams(office)
    lead.mkcol("/mine")
    lead.share("/mine", 0, shareWith="larkspur", permissions=1)
    sam = visit(office)
    world = office.company.world.accounts["drive"]
    page = sam.sign_in("drive", world["username"], world["password"], f"{FILES}/?dir=/mine")
    expect(page.get_by_text("You may look, but not add anything here.")).to_be_visible()
    expect(page.get_by_role("link", name="Upload")).to_have_count(0)
    page.goto(office.url("drive") + f"{FILES}/upload?dir=/mine")
    expect(page.get_by_text("You may not add files to mine.")).to_be_visible()
    sam.expect_console("status of 403")
