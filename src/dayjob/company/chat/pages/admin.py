"""Accounts, for administrators: who there is, adding, locking, roles, passwords."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from dayjob.company.chat.errors import ChatError, forbidden
from dayjob.company.chat.pages.page import Missing, Page, page, picture, there
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Page as Part
from dayjob.company.pages import see_other

_PER_PAGE = 50


def _administrator(page: Page) -> None:
    if not page.can("view-user-administration"):
        raise forbidden()


@page("GET", "/admin")
def administration(page: Page) -> Response:
    return RedirectResponse("/admin/users", 302)


@page("GET", "/admin/users")
def users(page: Page) -> Response:
    _administrator(page)
    text, number = page.query.get("filter", ""), page.query.get("page", "1")
    at = max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 7 else 1
    found, total = page.store.accounts.listing(
        Part((at - 1) * _PER_PAGE, _PER_PAGE, "active DESC, username"),
        page.store.accounts.holding(text),
    )
    people = [(one, picture(one)) for one in found]
    pages = max(1, -(-total // _PER_PAGE))
    return page.show("users.html", people=people, total=total, filter=text, number=at, pages=pages, here="/admin/users")


@page("GET", "/admin/users/new")
def user_form(page: Page) -> Response:
    _administrator(page)
    return page.show("user-new.html", roles=_roles(page))


def _roles(page: Page) -> list[tuple[str, str]]:
    return [(one.id, one.description or one.name) for one in page.store.access.roles() if one.scope == "Users"]


@page("POST", "/admin/users")
def create_user(page: Page) -> Response:
    _administrator(page)
    done = page.do(
        "users.create", name=page.form.line("name"), username=page.form.line("username"), email=page.form.line("email"),
        password=page.form.get("password"), roles=page.form.all("roles") or ["user"], verified=True,
        requirePasswordChange=page.form.line("change") == "on",
    )  # fmt: skip
    return see_other("/admin/users", f"{done['user']['username']} has an account.")


def _account(page: Page, id: str) -> User:
    _administrator(page)
    return there(page.store.accounts.get(id), "account")


@page("GET", "/admin/users/{id}")
def user_sheet(page: Page, id: str) -> Response:
    return page.show("user-edit.html", person=_account(page, id), roles=_roles(page))


@page("POST", "/admin/users/{id}/{action}")
def act_on_user(page: Page, id: str, action: str) -> Response:
    person = _account(page, id)
    notice = f"{person.username} has been changed."
    if action == "edit":
        fields = ("name", "username", "email")
        page.do(
            "users.update", userId=id,
            data={**{key: page.form.line(key) for key in fields}, "roles": page.form.all("roles") or ["user"]},
        )  # fmt: skip
    elif action in ("activate", "deactivate"):
        page.do("users.setActiveStatus", userId=id, activeStatus=action == "activate", confirmRelinquish=True)
        notice = f"{person.username} {'may sign in again' if action == 'activate' else 'can no longer sign in'}."
    elif action == "password":
        password = page.form.get("password", "")
        if not password:
            raise ChatError("The new password is empty.")
        page.do("users.update", userId=id, data={"password": password})
        notice = f"{person.username} has another password."
    else:
        raise Missing()
    return see_other("/admin/users", notice)
