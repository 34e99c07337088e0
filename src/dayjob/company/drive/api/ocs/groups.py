"""Groups, who is in them and who manages them."""

from __future__ import annotations

from dayjob.company.drive.api.ocs.call import Call
from dayjob.company.drive.api.ocs.users import seen
from dayjob.company.drive.rows import User
from dayjob.company.drive.shapes.envelope import NOT_FOUND, UNAUTHORISED, Result, refusal
from dayjob.company.drive.store.accounts import ADMIN_GROUP

_NAME_LIMIT = 255


def _leads(call: Call, group: str) -> bool:
    return call.is_admin or call.drive.accounts.in_group(call.user.username, group, subadmin=True)


def search(call: Call) -> Result:
    if not call.is_admin and not call.drive.accounts.groups_of(call.user.username, subadmin=True):
        return refusal(UNAUTHORISED, "Only an administrator may list the groups.")
    found = call.drive.accounts.groups(
        call.text("search") or "", call.number("limit", -1), max(0, call.number("offset", 0))
    )
    return Result({"groups": found})


def create(call: Call) -> Result:
    group = call.text("groupid") or ""
    if not group.strip() or len(group) > _NAME_LIMIT:
        return refusal(101, "A group needs a name of at most 255 characters.")
    if call.drive.accounts.has_group(group):
        return refusal(102, f"There is a group {group} already.")
    call.drive.accounts.add_group(group)
    return Result()


def read(call: Call, groupid: str) -> Result:
    if not call.drive.accounts.has_group(groupid):
        return refusal(NOT_FOUND, f"There is no group {groupid}.")
    if not _leads(call, groupid):
        return refusal(UNAUTHORISED, "You do not manage this group.")
    return Result({"users": call.drive.accounts.members(groupid)})


def delete(call: Call, groupid: str) -> Result:
    if not call.drive.accounts.has_group(groupid):
        return refusal(101, f"There is no group {groupid}.")
    if groupid == ADMIN_GROUP:
        return refusal(102, "The group of administrators cannot be deleted.")
    call.drive.accounts.remove_group(groupid)
    return Result()


def subadmins(call: Call, groupid: str) -> Result:
    if not call.drive.accounts.has_group(groupid):
        return refusal(101, f"There is no group {groupid}.")
    return Result(call.drive.accounts.members(groupid, subadmin=True))


# -- seen from an account ----------------------------------------------------------------------------------------


def of_user(call: Call, userid: str) -> Result:
    user = seen(call, userid)
    return user if isinstance(user, Result) else Result({"groups": call.drive.accounts.groups_of(user.username)})


def _membership(call: Call, userid: str) -> tuple[User, str] | Result:
    """The account and the group that a change of membership names, or why it may not be made."""
    accounts = call.drive.accounts
    group, user = call.text("groupid") or "", accounts.get(userid)
    if not group:
        return refusal(101, "Name a group.")
    if not accounts.has_group(group):
        return refusal(102, f"There is no group {group}.")
    if not _leads(call, group):
        return refusal(104, "You do not manage this group.")
    if user is None:
        return refusal(103, f"There is no account {userid}.")
    return user, group


def add_user(call: Call, userid: str) -> Result:
    named = _membership(call, userid)
    if isinstance(named, Result):
        return named
    user, group = named
    call.drive.accounts.join(user.username, group)
    return Result()


def remove_user(call: Call, userid: str) -> Result:
    named = _membership(call, userid)
    if isinstance(named, Result):
        return named
    user, group = named
    if user.username == call.user.username and group == ADMIN_GROUP:
        return refusal(105, "You cannot take yourself out of the administrators.")
    call.drive.accounts.leave(user.username, group)
    return Result()


# -- who manages a group -----------------------------------------------------------------------------------------


def subadmin_of(call: Call, userid: str) -> Result:
    user = call.drive.accounts.get(userid)
    if user is None:
        return refusal(101, f"There is no account {userid}.")
    return Result(call.drive.accounts.groups_of(user.username, subadmin=True))


def _management(call: Call, userid: str, no_group: int) -> tuple[User, str] | Result:
    """The account and the group it is to manage or has managed, or why there is no such thing."""
    group, user = call.text("groupid") or "", call.drive.accounts.get(userid)
    if user is None:
        return refusal(101, f"There is no account {userid}.")
    if not call.drive.accounts.has_group(group):
        return refusal(no_group, f"There is no group {group}.")
    return user, group


def make_subadmin(call: Call, userid: str) -> Result:
    named = _management(call, userid, no_group=102)
    if isinstance(named, Result):
        return named
    user, group = named
    if group == ADMIN_GROUP:
        return refusal(103, "The group of administrators manages itself.")
    call.drive.accounts.join(user.username, group, subadmin=True)
    return Result()


def unmake_subadmin(call: Call, userid: str) -> Result:
    named = _management(call, userid, no_group=101)
    if isinstance(named, Result):
        return named
    user, group = named
    accounts = call.drive.accounts
    if not accounts.in_group(user.username, group, subadmin=True):
        return refusal(102, f"{userid} does not manage the group {group}.")
    accounts.leave(user.username, group, subadmin=True)
    return Result()
