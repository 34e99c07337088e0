"""Pictures for the documentation; without DAYJOB_SCREENSHOTS these tests only open what they would show."""

from __future__ import annotations

from tests.company.board.pages.conftest import Place
from tests.company.pages.browser import NARROW, Visitor, expect

PICTURES = {
    "board-home": "/larkspur/",
    "board-list": "{at}/issues/",
    "board-kanban": "{at}/issues/?layout=kanban",
    "board-item": "{item}",
    "board-peek": "{at}/issues/?layout=kanban&peek={peek}",
    "board-cycle": "{cycle}",
    "board-modules": "{at}/modules/",
}


def test_a_picture_of_each_main_page(sam: Visitor, trellis: Place) -> None:
    names = {
        "at": trellis.at,
        "item": trellis.item_at(39),
        "peek": trellis.item(39),
        "cycle": trellis.cycle("Sprint 6"),
    }
    for picture, path in PICTURES.items():
        page = sam.open("board", path.format(**names))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        sam.shoot(picture)
    sam.page.emulate_media(color_scheme="dark")
    sam.open("board", PICTURES["board-kanban"].format(**names))
    sam.page.wait_for_timeout(300)
    sam.shoot("board-kanban-dark")
    sam.page.emulate_media(color_scheme="light")
    sam.page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    sam.open("board", PICTURES["board-item"].format(**names))
    sam.shoot("board-item-phone")


def test_a_picture_of_the_filters(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/issues/?priority=urgent&priority=high")
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_role("group", name="Assignee")).to_be_visible()
    sam.shoot("board-filters")
