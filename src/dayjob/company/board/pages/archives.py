"""What was put away: items, cycles and modules, each with its way back."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from dayjob.company.board.pages import cycles, modules
from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import PROJECT, Page, page
from dayjob.company.board.store import cycles as cycle_store
from dayjob.company.board.store import item_lists
from dayjob.company.board.store import modules as module_store
from dayjob.company.pages import see_other

ARCHIVES = PROJECT + "/archives"


@page("GET", ARCHIVES)
def show(page: Page) -> Response:
    return RedirectResponse(f"{page.here}/archives/issues/", 302)


@page("GET", ARCHIVES + "/issues")
def archived_items(page: Page) -> Response:
    rows = item_lists.archived(page.project.id).rows(page.db, "-archived_at", 200)
    return page.show("archives.html", tab="archives", section="issues", found=cards(page, rows))


@page("GET", ARCHIVES + "/cycles")
def archived_cycles(page: Page) -> Response:
    rows = cycle_store.all_archived(page.db, page.project.id)
    return page.show("archives.html", tab="archives", section="cycles", found=cycles.shown(page, rows))


@page("GET", ARCHIVES + "/modules")
def archived_modules(page: Page) -> Response:
    rows = module_store.archived(page.project).rows(page.db, "name")
    return page.show("archives.html", tab="archives", section="modules", found=modules.shown(page, rows))


@page("POST", ARCHIVES + "/cycles/{cycle_id}/restore")
def restore_cycle(page: Page, cycle_id: str) -> Response:
    one = cycle_store.cycle(page.db, page.project.id, cycle_id)
    page.do("DELETE", f"./archived-cycles/{one.id}/unarchive/")
    return see_other(f"{page.here}/archives/cycles/", f"{one.name} restored.")


@page("POST", ARCHIVES + "/modules/{module_id}/restore")
def restore_module(page: Page, module_id: str) -> Response:
    one = module_store.module(page.db, page.project.id, module_id)
    page.do("DELETE", f"./archived-modules/{one.id}/unarchive/")
    return see_other(f"{page.here}/archives/modules/", f"{one.name} restored.")
