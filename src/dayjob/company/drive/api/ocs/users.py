"""Accounts: administrators manage all of them, a group's administrator its members, everyone their own."""

from __future__ import annotations

import re

from dayjob.company.drive.api.ocs.call import Call
from dayjob.company.drive.rows import UNLIMITED, User
from dayjob.company.drive.shapes.accounts import account
from dayjob.company.drive.shapes.envelope import NOT_FOUND, UNAUTHORISED, Result, refusal
from dayjob.company.drive.sizes import parse_size

_USERNAME = re.compile(r"[A-Za-z0-9_.@' +-]{1,64}")
_EMAIL = re.compile(r"[^@\s()<>,;:\\\"\[\]%&=/$]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")


def manages(call: Call, username: str) -> bool:
    """Whether the caller may manage this account: any, for an administrator; members of their groups, for a group's."""
    if call.is_admin:
        return True
    accounts = call.drive.accounts
    led = set(accounts.groups_of(call.user.username, subadmin=True))
    return bool(led & set(accounts.groups_of(username))) and not accounts.is_admin(username)


def me(call: Call) -> Result:
    user = call.user
    return Result({"id": user.username, "display-name": user.name, "email": user.email, "language": "en"})


def search(call: Call) -> Result:
    accounts = call.drive.accounts
    led = accounts.groups_of(call.user.username, subadmin=True)
    if not call.is_admin and not led:
        return refusal(UNAUTHORISED, "Only an administrator may list the accounts.")
    found = accounts.search(call.text("search") or "", call.number("limit", -1), max(0, call.number("offset", 0)))
    names = [user.username for user in found]
    if not call.is_admin:
        members = {name for group in led for name in accounts.members(group)}
        names = [name for name in names if name in members]
    return Result({"users": names})


def create(call: Call) -> Result:
    accounts = call.drive.accounts
    led = set(accounts.groups_of(call.user.username, subadmin=True))
    if not call.is_admin and not led:
        return refusal(UNAUTHORISED, "Only an administrator may make accounts.")
    username, password = call.text("userid"), call.text("password")
    if not username or not password:
        return refusal(101, "Both userid and password are needed.")
    if not _USERNAME.fullmatch(username) or username.strip() != username or username in (".", ".."):
        return refusal(101, "A username is made of letters, digits, spaces and _.@-'+ characters.")
    if accounts.get(username) is not None:
        return refusal(102, f"There is an account {username} already.")
    groups = call.lists.get("groups", [])
    for group in groups:
        if not accounts.has_group(group):
            return refusal(104, f"There is no group {group}.")
        if not call.is_admin and group not in led:
            return refusal(105, f"You do not manage the group {group}.")
    if not call.is_admin and not groups:
        return refusal(106, "Name at least one group that you manage.")
    with call.drive.transaction():
        accounts.add(username, password, call.text("displayname"), call.text("email"))
        for group in groups:
            accounts.join(username, group)
    return Result()


def may_see(call: Call, user: User | None) -> bool:
    """Whether an account is one's own, or one that the caller manages; an administrator is told who is not there."""
    return call.is_admin or (user is not None and (_is_own(call, user) or manages(call, user.username)))


def _is_own(call: Call, user: User) -> bool:
    return user.username == call.user.username


def seen(call: Call, userid: str, doing: str = "see", missing: int = NOT_FOUND) -> User | Result:
    """The account, or why there is nothing to see or change for the caller."""
    user = call.drive.accounts.get(userid)
    if not may_see(call, user):
        return refusal(UNAUTHORISED, f"You may not {doing} this account.")
    return user or refusal(missing, f"There is no account {userid}.")


def read(call: Call, userid: str) -> Result:
    user = seen(call, userid)
    return user if isinstance(user, Result) else Result(account(call.drive, user))


def change(call: Call, userid: str) -> Result:
    accounts = call.drive.accounts
    user = seen(call, userid, "change", 101)
    if isinstance(user, Result):
        return user
    key, value = call.text("key") or "", call.text("value") or ""
    if key in ("display", "displayname"):
        accounts.change(user, name=value or user.username)
    elif key == "email":
        if value and not _EMAIL.fullmatch(value):
            return refusal(102, "This is not an e-mail address.")
        accounts.change(user, email=value or None)
    elif key == "password":
        if not value:
            return refusal(102, "A password cannot be empty.")
        accounts.change(user, password=value)
    elif key == "quota" and (call.is_admin or not _is_own(call, user)):
        if value in ("default", ""):
            accounts.change(user, quota=None)
        elif value == "none":
            accounts.change(user, quota=UNLIMITED)
        else:
            size = parse_size(value)
            if size is None:
                return refusal(103, f"'{value}' is not a size.")
            accounts.change(user, quota=size)
    elif key in ("quota", "two_factor_auth_enabled"):
        return refusal(UNAUTHORISED, f"You may not change the {key} of this account.")
    else:
        return refusal(102, f"'{key}' cannot be changed.")
    return Result()


def delete(call: Call, userid: str) -> Result:
    user = call.drive.accounts.get(userid)
    if user is None or user.username == call.user.username:
        return refusal(101, "There is no such account, or it is your own.")
    if not manages(call, user.username):
        return refusal(UNAUTHORISED, "You may not delete this account.")
    call.drive.accounts.remove(user)
    return Result()


def enable(call: Call, userid: str) -> Result:
    return _set_enabled(call, userid, 1)


def disable(call: Call, userid: str) -> Result:
    return _set_enabled(call, userid, 0)


def _set_enabled(call: Call, userid: str, enabled: int) -> Result:
    user = call.drive.accounts.get(userid)
    if user is None or user.username == call.user.username:
        return refusal(101, "There is no such account, or it is your own.")
    if not manages(call, user.username):
        return refusal(UNAUTHORISED, "You may not change this account.")
    call.drive.accounts.change(user, enabled=enabled)
    return Result()
