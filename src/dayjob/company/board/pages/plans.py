"""What pages of cycles and of modules do alike: delete and archive one, put items into it and take them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from starlette.responses import Response

from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import PROJECT, Page, page
from dayjob.company.board.records import Cycle, Module
from dayjob.company.board.store import items
from dayjob.company.pages import see_other


class Progress:
    """How far a plan came, from the numbers of its items."""

    __slots__ = ()
    numbers: dict[str, int]

    @property
    def done(self) -> int:
        return self.numbers["completed_issues"] + self.numbers["cancelled_issues"]

    @property
    def percent(self) -> int:
        return round(100 * self.done / self.numbers["total_issues"]) if self.numbers["total_issues"] else 0


def register(noun: Literal["cycle", "module"], find: Callable[[Page, str], Cycle | Module]) -> None:
    """The pages below one cycle or module, which `find` finds by its id."""
    name = f"{noun}_id"
    one = f"{PROJECT}/{noun}s/{{{name}}}"

    def address(page: Page, plan: Cycle | Module) -> str:
        return f"{page.here}/{noun}s/{plan.id}/"

    @page("POST", f"{one}/delete")
    def delete(page: Page, **ids: str) -> Response:
        plan = find(page, ids[name])
        page.do("DELETE", f"./{noun}s/{plan.id}/")
        return see_other(f"{page.here}/{noun}s/", f"{plan.name} deleted. Its items stay in the project.")

    @page("POST", f"{one}/archive")
    def archive(page: Page, **ids: str) -> Response:
        plan = find(page, ids[name])
        page.do("POST", f"./{noun}s/{plan.id}/archive/")
        return see_other(f"{page.here}/{noun}s/", f"{plan.name} archived.")

    @page("GET", f"{one}/add")
    def choose(page: Page, **ids: str) -> Response:
        plan = find(page, ids[name])
        words = page.query.get("search", "").strip()[:200].replace("\0", "")
        where = (
            f"items.project = ? AND listed AND id NOT IN (SELECT issue FROM {noun}_items WHERE {noun} = ?)"
            " AND instr(lower(name), lower(?)) > 0"
        )
        rows = items.page(page.db, where, (page.project.id, plan.id, words), items.order("-created_at"), 100, 0)
        return page.show(
            "items-add.html", title=plan.name, action=f"{address(page, plan)}add/", found=cards(page, rows),
            back_to=address(page, plan), words=words,
        )  # fmt: skip

    @page("POST", f"{one}/add")
    def add(page: Page, **ids: str) -> Response:
        plan, chosen = find(page, ids[name]), page.form.all("issues")
        page.do("POST", f"./{noun}s/{plan.id}/{noun}-issues/", {"issues": chosen})
        return see_other(address(page, plan), f"Added to {plan.name}: {len(chosen)}.")

    @page("POST", f"{one}/remove/{{item_id}}")
    def remove(page: Page, item_id: str, **ids: str) -> Response:
        plan = find(page, ids[name])
        page.do("DELETE", f"./{noun}s/{plan.id}/{noun}-issues/{item_id}/")
        return page.done(address(page, plan), f"Removed from {plan.name}.")
