"""The intake: what people suggest, and what becomes of it."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.board.api.call import project_lite
from dayjob.company.board.errors import Forbidden, Refused
from dayjob.company.board.pages import text
from dayjob.company.board.pages.acting import named
from dayjob.company.board.pages.listing import PRIORITIES, cards
from dayjob.company.board.pages.page import PROJECT, Missing, Page, full, page, sentence
from dayjob.company.board.store import accounts, intake, items
from dayjob.company.pages import see_other

INTAKE = PROJECT + "/intake"
STATUSES = {
    "pending": (intake.PENDING, "Pending"), "accepted": (intake.ACCEPTED, "Accepted"),
    "declined": (intake.REJECTED, "Declined"), "snoozed": (intake.SNOOZED, "Snoozed"),
    "duplicate": (intake.DUPLICATE, "Duplicates"),
}  # fmt: skip


def _enabled(page: Page) -> None:
    if not page.project.intake_view:
        raise Missing(f"The intake of {page.project.name} is switched off. An admin can switch it on in its settings.")
    if not page.may(project_lite):
        raise Forbidden(f"The intake is for people in {page.project.name}")


@page("GET", INTAKE)
def show(page: Page) -> Response:
    _enabled(page)
    asked = page.query.get("status", "pending")
    status = asked if asked in STATUSES else "pending"
    rows = []
    for waiting in intake.with_status(page.db, page.project.id, STATUSES[status][0]):
        item, maker = items.by_id(page.db, waiting.issue), accounts.user(page.db, waiting.created_by)
        if item is not None:
            mine = waiting.created_by == page.user.id or page.role == accounts.ADMIN
            rows.append(
                (
                    waiting,
                    cards(page, [item])[0],
                    full(maker) if maker else "Somebody",
                    text.shown(item.description_html),
                    mine,
                )
            )
    numbers = intake.counts(page.db, page.project.id)
    tabs = [
        (f"{title} {numbers.get(value, 0)}", f"{page.here}/intake/?status={name}", name == status)
        for name, (value, title) in STATUSES.items()
    ]
    return page.show(
        "intake.html", tab="intake", rows=rows, tabs_=tabs, which=status, decides=page.role == accounts.ADMIN,
    )  # fmt: skip


def _form(page: Page, given: dict[str, Any], problem: str = "") -> Response:
    return page.show("intake-new.html", 400 if problem else 200, given=given, problem=problem, priorities=PRIORITIES)


@page("GET", INTAKE + "/new")
def new(page: Page) -> Response:
    _enabled(page)
    return _form(page, {"name": "", "description": "", "priority": "none"})


@page("POST", INTAKE, INTAKE + "/new")
def suggest(page: Page) -> Response:
    given = {name: page.form.line(name) for name in ("name", "description", "priority")}
    facts = {"name": given["name"], "priority": given["priority"] or "none"}
    if given["description"]:
        facts["description_html"] = text.stored(given["description"])
    try:
        page.do("POST", "./intake-issues/", {"issue": facts})
    except Refused as refusal:
        return _form(page, given, sentence(refusal))
    return see_other(f"{page.here}/intake/", "Thank you. It waits here until an admin decides.")


@page("POST", INTAKE + "/{item_id}/decide")
def decide(page: Page, item_id: str) -> Response:
    _enabled(page)
    if page.role != accounts.ADMIN:
        raise Forbidden("Only the project's admins decide about suggestions")
    status = page.form.line("status")
    if status not in STATUSES:
        raise Refused(400, {"error": "Choose what becomes of it: accepted, declined, snoozed or duplicate."})
    facts: dict[str, Any] = {"status": STATUSES[status][0]}
    if status == "duplicate":
        facts["duplicate_to"] = named(page, page.form.line("other")).id
    if status == "snoozed":
        until = page.form.line("until")
        if not until:
            raise Refused(400, {"error": "Say until when it sleeps."})
        facts["snoozed_till"] = until
    page.do("PATCH", f"./intake-issues/{item_id}/", facts)
    return see_other(f"{page.here}/intake/?status={status}", f"Marked as {STATUSES[status][1].lower()}.")


@page("POST", INTAKE + "/{item_id}/delete")
def withdraw(page: Page, item_id: str) -> Response:
    page.do("DELETE", f"./intake-issues/{item_id}/")
    return see_other(f"{page.here}/intake/", "Suggestion removed.")
