"""users.*: registering, looking up, changing and removing accounts; presence and preferences."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.api.session import password_digest
from dayjob.company.chat.defaults import PREFERENCES
from dayjob.company.chat.errors import ChatError, invalid, no_user, not_allowed
from dayjob.company.chat.rows import User
from dayjob.company.chat.store import Page
from dayjob.company.clock import stamp
from dayjob.company.rows import packed

COLUMNS = {
    "_id": "id", "username": "username", "name": "name", "emails.address": "email", "emails": "email", "type": "type",
    "active": "active", "status": "status", "createdAt": "created_at", "lastLogin": "last_login",
    "nameInsensitive": "name COLLATE NOCASE", "bio": "bio", "_updatedAt": "updated_at",
}  # fmt: skip


@endpoint("POST", "users.register", takes="username email pass name secretURL reason", auth=False)
def register(call: Call) -> Answer:
    if call.store.settings.get("Accounts_RegistrationForm") != "Public":
        raise ChatError("User registration is disabled", "error-user-registration-disabled")
    username, password = call.need("username"), call.need("pass", "password")
    email = call.need("email")
    named = call.store.settings.get("Accounts_RequireNameForSignUp")
    name = call.need("name") if named else call.text("name") or username
    accounts = call.store.accounts
    if accounts.by_email(email) is not None:
        raise ChatError("Email already exists.", "403")
    if accounts.named(username) is not None:
        raise ChatError("Username is already in use")
    user = accounts.sign_up(username=username, name=name, email=email, password=password)
    return {"user": shapes.account(user)}


@endpoint(
    "POST", "users.create",
    takes="email name password username active:bool roles:list joinDefaultChannels:bool requirePasswordChange:bool "
    "sendWelcomeEmail:bool verified:bool bio nickname statusText customFields:object",
)  # fmt: skip
def create(call: Call) -> Answer:
    store = call.store
    store.access.require(call.user, "create-user")
    roles = _roles(call, call.texts("roles")) or ["user"]
    password = call.text("password")
    if not password and not call.flag("setRandomPassword"):
        raise ChatError("The field password is required", "error-password-required")
    user = store.accounts.register(
        username=call.need("username"),
        name=call.text("name") or call.need("username"),
        email=call.need("email"),
        password=password or None,
        roles=roles,
        verified=call.flag("verified"),
        active=call.flag("active", default=True),
        join_defaults=call.flag("joinDefaultChannels", default=True),
        bio=call.text("bio"),
        status_text=call.text("statusText") or "",
        custom_fields=call.mapping("customFields"),
        must_change_password=call.flag("requirePasswordChange"),
    )
    if (nickname := call.text("nickname")) is not None:
        user = store.accounts.change_profile(user, nickname=nickname)
    return {"user": shapes.account(user)}


def _roles(call: Call, wanted: list[str]) -> list[str]:
    if wanted and sorted(wanted) != ["user"]:
        call.store.access.require(call.user, "assign-roles")
    return [call.store.access.role(one).id for one in wanted]


@endpoint("POST", "users.update", takes="userId data:object")
def update(call: Call) -> Answer:
    store, data = call.store, call.need_mapping("data")
    store.access.require(call.user, "edit-other-user-info")
    user = store.accounts.get(call.need("userId"))
    if user is None:
        raise ChatError("The user does not exist", "error-invalid-user")
    values = _profile_values(call, data)
    if "password" in values and not store.access.can(call.user, "edit-other-user-password"):
        raise ChatError("Editing user is not allowed", "error-action-not-allowed")
    user = store.accounts.change_profile(user, **values)
    return {"user": shapes.account(user)}


def _profile_values(call: Call, data: dict[str, Any]) -> dict[str, Any]:
    """Columns from the fields a client may send; each must be of its kind."""
    values: dict[str, Any] = {}
    for field, column, kind in (
        ("name", "name", str), ("username", "username", str), ("email", "email", str), ("bio", "bio", str),
        ("nickname", "nickname", str), ("statusText", "status_text", str), ("language", "language", str),
        ("password", "password", str), ("active", "active", bool), ("verified", "email_verified", bool),
        ("requirePasswordChange", "must_change_password", bool),
    ):  # fmt: skip
        value = data.get(field)
        if value is None:
            continue
        if not isinstance(value, kind):
            raise invalid(f"data/{field} must be {'boolean' if kind is bool else 'string'}")
        if field in ("name", "username", "email") and not str(value).strip():
            raise ChatError(f"The field {field} is required", "error-the-field-is-required")
        values[column] = value
    if isinstance(data.get("roles"), list):
        if not all(isinstance(one, str) for one in data["roles"]):
            raise invalid("data/roles must be an array of strings")
        values["roles"] = packed(_roles(call, data["roles"]))
    if data.get("customFields") is not None:
        if not isinstance(data["customFields"], dict):
            raise invalid("data/customFields must be object")
        values["custom_fields"] = packed(data["customFields"])
    return values


@endpoint("POST", "users.updateOwnBasicInfo", takes="data:object customFields:object")
def update_own(call: Call) -> Answer:
    data = dict(call.need_mapping("data"))
    fields = {key: data.get(key) for key in ("name", "username", "email", "bio", "nickname", "statusText", "language")}
    values = _profile_values(call, fields)
    accounts = call.store.accounts
    new = data.get("newPassword")
    if new is not None:
        sent = data.get("currentPassword")
        current = password_digest(sent)
        if isinstance(sent, str) and not accounts.password_is(call.user, current or ""):
            current = sent  # the wire also allows the digest itself
        if not isinstance(new, str) or current is None or not accounts.password_is(call.user, current):
            raise ChatError("Invalid password", "error-invalid-password")
        values["password"] = new
    if (custom := call.mapping("customFields")) is not None:
        values["custom_fields"] = packed(custom)
    return {"user": shapes.account(accounts.change_own(call.user, **values))}


@endpoint("GET", "users.info", takes="userId username email importId freeSwitchExtension")
def info(call: Call) -> Answer:
    store = call.store
    found: User | None = None
    if (id := call.text("userId", "importId")) is not None:
        found = store.accounts.get(id)
    elif (name := call.text("username")) is not None:
        found = store.accounts.named(name)
    elif (email := call.text("email")) is not None:
        found = store.accounts.by_email(email)
    elif call.text("freeSwitchExtension") is None:
        raise ChatError('The required "userId" or "username" param was not provided', "error-user-param-not-provided")
    if found is None:
        raise ChatError("User not found.")
    written = shapes.seen_by(store, call.user, found)
    fields = call.mapping("fields") if call.query.get("fields") else {}
    if (fields or {}).get("userRooms") == 1 and store.access.can(call.user, "view-other-user-channels"):
        written["rooms"] = [
            {
                "_id": member.id,
                "rid": member.room_id,
                "t": member.room_type,
                "name": room.name,
                "roles": member.role_list(),
            }
            for member in store.members.of_user(found)
            if (room := store.rooms.get(member.room_id)) is not None
        ]
    return {"user": written}


@endpoint("GET", "users.list", takes="count:int offset:int sort query fields")
def listing(call: Call) -> Answer:
    page = call.page(COLUMNS)
    found, total = call.store.accounts.listing(page, call.wanted(COLUMNS))
    full = call.store.access.can(call.user, "view-full-other-user-info")
    users = [shapes.account(user) if full or user.id == call.user.id else shapes.profile(user) for user in found]
    return listed("users", call.chosen(users), total, page.offset)


@endpoint(
    "GET",
    "users.listByStatus",
    takes="status hasLoggedIn:bool searchTerm roles:list count:int offset:int sort",
    needs="view-user-administration view-d-room",
)
def by_status(call: Call) -> Answer:
    status, text = call.text("status"), call.text("searchTerm") or ""
    active = status == "active" if status in ("active", "deactivated") else None
    logged_in = call.flag("hasLoggedIn") if call.get("hasLoggedIn") is not None else None
    page = call.page(COLUMNS)
    found, total = call.store.accounts.by_status(page, active=active, logged_in=logged_in, text=text)
    return listed("users", [shapes.seen_by(call.store, call.user, user) for user in found], total, page.offset)


@endpoint("POST", "users.delete", takes="userId username confirmRelinquish:bool")
def delete(call: Call) -> Answer:
    call.store.access.require(call.user, "delete-user")
    gone = call.store.accounts.delete(call.the_user(), relinquish=call.flag("confirmRelinquish"))
    return {"deletedRooms": gone}


@endpoint("POST", "users.deleteOwnAccount", takes="password confirmRelinquish:bool")
def delete_own(call: Call) -> Answer:
    if not call.store.settings.get("Accounts_AllowDeleteOwnAccount"):
        raise not_allowed()
    sent = call.need("password")
    accounts = call.store.accounts
    if not accounts.password_is(call.user, sent) and not accounts.password_is(call.user, password_digest(sent) or ""):
        raise ChatError("Invalid password", "error-invalid-password")
    accounts.delete(call.user, relinquish=call.flag("confirmRelinquish"))
    return {}


@endpoint("POST", "users.setActiveStatus", takes="userId activeStatus:bool confirmRelinquish:bool")
def set_active(call: Call) -> Answer:
    store = call.store
    if not store.access.can(call.user, "edit-other-user-active-status"):
        call.require("manage-moderation-actions")
    user = store.accounts.get(call.need("userId"))
    if user is None:
        raise no_user()
    user = store.accounts.set_active(user, call.need_flag("activeStatus"), relinquish=call.flag("confirmRelinquish"))
    return {"user": {"_id": user.id, "active": bool(user.active)}}


@endpoint("POST", "users.deactivateIdle", takes="daysIdle:int role")
def deactivate_idle(call: Call) -> Answer:
    store = call.store
    call.require("edit-other-user-active-status")
    days = call.number("daysIdle", -1)
    if not 0 <= days <= 36500:
        raise invalid("must have required property 'daysIdle'")
    before = stamp(store.clock.now() - timedelta(days=days))
    role = store.access.role(call.text("role") or "user")
    count = 0
    with store.change():
        for user in store.access.users_in(role, None, Page(count=0))[0]:
            if user.active and (user.last_login or user.created_at) < before and "admin" not in user.role_list():
                store.accounts.set_active(user, False, relinquish=True)
                count += 1
    return {"count": count}


# -- presence ----------------------------------------------------------------------------------------------------


@endpoint("GET", "users.presence", takes="from ids:list")
def presence(call: Call) -> Answer:
    ids, since = call.texts("ids"), call.moment("from")
    found = call.store.accounts.present(ids, since)
    return {"users": [_presence(user) for user in found], "full": not (ids or since)}


def _presence(user: User) -> dict[str, Any]:
    return shapes.given(
        shapes.person(user)
        | {
            "status": user.status,
            "utcOffset": 0,
            "statusText": user.status_text,
            "avatarETag": user.avatar_etag,
        }
    )


def _some_user(call: Call) -> User:
    return call.user if call.get("userId", "username", "user") is None else call.the_user()


@endpoint("GET", "users.getPresence", takes="userId username")
def get_presence(call: Call) -> Answer:
    user = _some_user(call)
    if user.id != call.user.id:
        return {"presence": user.status}
    return {"presence": user.status, "connectionStatus": user.status, "lastLogin": user.last_login or user.created_at}


@endpoint("GET", "users.getStatus", takes="userId username")
def get_status(call: Call) -> Answer:
    user = _some_user(call)
    return shapes.given(
        {
            "_id": user.id,
            "status": user.status,
            "message": user.status_text,
            "connectionStatus": user.status if user.id == call.user.id else None,
        }
    )


@endpoint("POST", "users.setStatus", takes="message status userId username")
def set_status(call: Call) -> Answer:
    user = _some_user(call)
    if user.id != call.user.id:
        call.require("edit-other-user-info")
    message, status = call.text("message"), call.text("status")
    if message is None and status is None:
        raise ChatError('The "message" or "status" param is required', "error-invalid-params")
    call.store.accounts.set_status(user, text=message, status=status)
    return {}


# -- preferences -------------------------------------------------------------------------------------------------


@endpoint("GET", "users.getPreferences")
def preferences(call: Call) -> Answer:
    return {"preferences": PREFERENCES | {"language": call.user.language or "en"} | json.loads(call.user.preferences)}


@endpoint("POST", "users.setPreferences", takes="userId data:object")
def set_preferences(call: Call) -> Answer:
    store, data = call.store, call.need_mapping("data")
    user = call.user
    if (id := call.text("userId")) is not None and id != user.id:
        store.access.require(call.user, "edit-other-user-info")
        user = store.accounts.get(id) or user
        if user.id != id:
            raise ChatError('The optional "userId" param provided does not match any users', "error-invalid-user")
    unknown = set(data) - set(PREFERENCES) - {"language", "_id", "clockMode", "sidebarSectionsOrder", "fontSize"}
    if unknown:
        raise invalid(f"must NOT have additional properties: {', '.join(sorted(unknown))[:100]}")
    user = store.accounts.change_profile(user, preferences=packed(json.loads(user.preferences) | data))
    return {"user": {"_id": user.id, "settings": {"preferences": PREFERENCES | json.loads(user.preferences)}}}


# -- names -------------------------------------------------------------------------------------------------------


@endpoint("GET", "users.getUsernameSuggestion")
def username_suggestion(call: Call) -> Answer:
    return {"result": call.store.accounts.suggestion(call.user)}


@endpoint("GET", "users.checkUsernameAvailability", takes="username")
def username_availability(call: Call) -> Answer:
    return {"result": call.store.accounts.username_free(call.need("username"))}


@endpoint("GET", "users.autocomplete", takes="selector:any")
def autocomplete(call: Call) -> Answer:
    selector = call.mapping("selector")
    if selector is None:
        raise ChatError("The 'selector' param is required")
    term, without = selector.get("term", ""), selector.get("exceptions", [])
    if not isinstance(term, str) or not isinstance(without, list):
        raise invalid("selector must have a term and exceptions")
    found = call.store.accounts.matching(term, 10, without=[one for one in without if isinstance(one, str)])
    return {"items": [shapes.member(user) for user in found]}


@endpoint("POST", "users.forgotPassword", takes="email", auth=False)
def forgot_password(call: Call) -> Answer:
    call.need("email")
    return {}


@endpoint("GET", "users.listTeams", takes="userId")
def teams(call: Call) -> Answer:
    user = call.store.accounts.get(call.need("userId"))
    if user is None:
        raise no_user()
    found, _ = call.store.teams.listing(Page(count=0), of=user, seen_by=call.user)
    owned = {
        team.id: "owner" in json.loads(member.roles)
        for team in found
        if (member := call.store.teams.member(team.id, user.id)) is not None
    }
    return {"teams": [shapes.team(call.store, team) | {"isOwner": owned.get(team.id, False)} for team in found]}


@endpoint("GET", "users.getAvatarSuggestion")
def avatar_suggestion(call: Call) -> Answer:
    return {"suggestions": {}}
