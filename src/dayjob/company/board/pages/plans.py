"""What pages of cycles and of modules do alike: delete and archive one, put items into it and take them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

from starlette.responses import Response

from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.listing import cards
from dayjob.company.board.pages.page import PROJECT, Missing, Page, page
from dayjob.company.board.store.plans import AnyPlace, AnyPlan, Plan
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


class Pages(Generic[AnyPlan, AnyPlace]):
    """The pages of one kind of plan, as far as the two are alike."""

    def __init__(self, plan: Plan[AnyPlan, AnyPlace]) -> None:
        self.plan = plan
        self.noun = plan.noun

    def switched_on(self, page: Page) -> None:
        """Refuse in a project that does without."""
        if not getattr(page.project, f"{self.noun}_view"):
            words = f"{self.noun.capitalize()}s are switched off in {page.project.name}."
            raise Missing(f"{words} An admin can switch them on in its settings.")

    def named(self, page: Page, id: str) -> AnyPlan:
        self.switched_on(page)
        return self.plan.one(page.db, page.project.id, id)

    def address(self, page: Page, plan: AnyPlan) -> str:
        return f"{page.here}/{self.noun}s/{plan.id}/"

    def create(self, page: Page, facts: dict[str, Any], again: Callable[[Refused], Response]) -> Response:
        """Make a plan of what its form says, or show the form again with the reason why not."""
        try:
            made = page.do("POST", f"./{self.noun}s/", facts)
        except Refused as refusal:
            return again(refusal)
        return see_other(f"{page.here}/{self.noun}s/{made['id']}/", f"{made['name']} created.")

    def register(self) -> None:
        """The pages below one plan: delete and archive it, put items into it and take them out."""
        noun, name = self.noun, f"{self.noun}_id"
        one = f"{PROJECT}/{noun}s/{{{name}}}"

        @page("POST", f"{one}/delete")
        def delete(page: Page, **ids: str) -> Response:
            plan = self.named(page, ids[name])
            page.do("DELETE", f"./{noun}s/{plan.id}/")
            return see_other(f"{page.here}/{noun}s/", f"{plan.name} deleted. Its items stay in the project.")

        @page("POST", f"{one}/archive")
        def archive(page: Page, **ids: str) -> Response:
            plan = self.named(page, ids[name])
            page.do("POST", f"./{noun}s/{plan.id}/archive/")
            return see_other(f"{page.here}/{noun}s/", f"{plan.name} archived.")

        @page("GET", f"{one}/add")
        def choose(page: Page, **ids: str) -> Response:
            plan = self.named(page, ids[name])
            words = page.query.get("search", "").strip()[:200].replace("\0", "")
            rows = self.plan.candidates(page.project, plan.id, words).rows(page.db, limit=100)
            return page.show(
                "items-add.html", title=plan.name, action=f"{self.address(page, plan)}add/", found=cards(page, rows),
                back_to=self.address(page, plan), words=words,
            )  # fmt: skip

        @page("POST", f"{one}/add")
        def add(page: Page, **ids: str) -> Response:
            plan, chosen = self.named(page, ids[name]), page.form.all("issues")
            page.do("POST", f"./{noun}s/{plan.id}/{noun}-issues/", {"issues": chosen})
            return see_other(self.address(page, plan), f"Added to {plan.name}: {len(chosen)}.")

        @page("POST", f"{one}/remove/{{item_id}}")
        def remove(page: Page, item_id: str, **ids: str) -> Response:
            plan = self.named(page, ids[name])
            page.do("DELETE", f"./{noun}s/{plan.id}/{noun}-issues/{item_id}/")
            return page.done(self.address(page, plan), f"Removed from {plan.name}.")
