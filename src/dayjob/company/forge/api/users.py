"""Accounts: the caller's own, everyone's, and what an administrator does with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import Register, delete, get, patch, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.errors import bad, forbidden, not_found, refused
from dayjob.company.forge.rows.namespaces import Member
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import accounts, item_counts, members, records, todos, users
from dayjob.company.forge.store.users import PROFILE


def someone(call: Call, name: str = "id") -> User:
    found = users.find(call.store, call.path[name])
    if found is None:
        raise not_found("User")
    return found


@get("/user")
def me(call: Call) -> Any:
    return shape.private(call, call.me)


@get("/users")
def list_users(call: Call) -> Any:
    by_admin = call.user is not None and bool(call.user.admin)
    if call.user is None and not call.text("username"):
        raise refused(403, "403 Forbidden - Not authorized to access /api/v4/users")
    listing = accounts.listed(
        username=call.text("username"),
        search=call.text("search"),
        active=bool(call.boolean("active")),
        blocked=bool(call.boolean("blocked")) if call.has("blocked") else None,
        external=bool(call.boolean("external")),
        humans=any(call.boolean(name) for name in ("without_project_bots", "humans", "exclude_internal")),
        admins=bool(call.boolean("admins")) and by_admin,
        order=call.choice("order_by", tuple(accounts.ORDERS), "id"),
        sort=call.choice("sort", ("asc", "desc"), "desc"),
        also=by_custom_attributes(call, "user", "users.id"),
    )
    shaped = shape.private if by_admin else shape.basic
    return call.listing(listing, lambda rows: [shaped(call, user) for user in rows])


def by_custom_attributes(call: Call, scope: str, column: str) -> str:
    """The condition for `custom_attributes[key]=value`; only administrators may ask for them."""
    wanted = call.args.get("custom_attributes")
    if not isinstance(wanted, dict) or call.user is None or not call.user.admin:
        return ""
    return records.with_custom_attributes(
        call.store, scope, column, {str(key): str(value) for key, value in wanted.items()}
    )


def _profile(call: Call) -> dict[str, Any]:
    profile = {key: call.args[key] for key in PROFILE if key in call.args and key not in ("identities", "status")}
    if "projects_limit" in profile:
        profile["projects_limit"] = call.integer("projects_limit")
    if "can_create_group" in profile:
        profile["can_create_group"] = call.boolean("can_create_group")
    return profile


@post("/users")
def create_user(call: Call) -> Any:
    call.admin()
    call.need("name", "username", "email")
    password = call.text("password")
    if not (password or call.boolean("reset_password") or call.boolean("force_random_password")):
        raise bad(
            "password, reset_password, force_random_password are missing, at least one parameter must be provided"
        )
    profile = _profile(call)
    if call.text("provider") and call.text("extern_uid"):
        profile["identities"] = [
            {"provider": call.text("provider"), "extern_uid": call.text("extern_uid"), "saml_provider_id": None}
        ]
    with call.store.transaction():
        user = users.create(
            call.store, username=call.filled("username"), name=call.filled("name"), email=call.filled("email"),
            password=password, admin=call.boolean("admin", False), external=call.boolean("external", False), **profile,
        )  # fmt: skip
        if (image := call.file("avatar")) is not None:
            users.set_avatar(call.store, user, keep_avatar(call, image))
    return created(shape.private(call, users.again(call.store, user)))


@get("/users/{id}")
def show_user(call: Call) -> Any:
    user = someone(call)
    if call.user is None:
        call.signed_in()
    own = call.user is not None and (call.user.admin or call.user.id == user.id)
    return shape.private(call, user) if own else shape.full(call, user)


@put("/users/{id}")
def change_user(call: Call) -> Any:
    call.admin()
    user = someone(call)
    return change_account(call, user)


def change_account(call: Call, user: User) -> Any:
    """Change what the arguments name: by an administrator, or by whoever owns the account."""
    names = ("name", "username", "email")
    values: dict[str, Any] = {name: call.filled(name) for name in names if call.text(name) is not None}
    for name in ("admin", "external"):
        if call.has(name):
            values[name] = int(call.boolean(name))
    profile = _profile(call)
    if call.text("provider"):
        profile["identities"] = accounts.with_identity(user, call.text("provider"), call.text("extern_uid", ""))
    with call.store.transaction():
        accounts.change(call.store, user, values, profile, call.text("password"))
        if (image := call.file("avatar")) is not None:
            users.set_avatar(call.store, user, keep_avatar(call, image))
    return shape.private(call, users.again(call.store, user))


@delete("/users/{id}")
def delete_user(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.id == call.me.id:
        raise refused(409, "User cannot be removed")
    accounts.remove(call.store, user)
    return no_content()


# -- states ------------------------------------------------------------------------------------------------------


@post("/users/{id}/block")
def block(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.state == "blocked":
        return created(None)
    if user.id == call.me.id:
        raise forbidden("The API initiating user cannot be blocked by the API")
    accounts.set_state(call.store, user, "blocked")
    return created(True)


@post("/users/{id}/unblock")
def unblock(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.state != "blocked":
        return created(False)
    accounts.set_state(call.store, user, "active")
    return created(True)


def _switch(path: str, before: str, after: str) -> None:
    @post(f"/users/{{id}}/{path}")
    def switch(call: Call) -> Any:
        call.admin()
        accounts.switch(call.store, someone(call), before, after)
        return created(True)


_switch("ban", "active", "banned")
_switch("unban", "banned", "active")
_switch("deactivate", "active", "deactivated")
_switch("activate", "deactivated", "active")


# -- what belongs to an account ----------------------------------------------------------------------------------


@get("/users/{id}/memberships")
def memberships(call: Call) -> Any:
    call.admin()
    user = someone(call)
    kind = call.choice("type", ("Project", "Namespace"))

    def render(rows: list[Member]) -> list[Any]:
        sources = [(member, members.source_of(call.store, member)) for member in rows]
        return [
            {
                "source_id": member.source_id,
                "source_name": source.name if source else None,
                "source_type": member.source_type,
                "access_level": member.access_level,
            }
            for member, source in sources
        ]

    return call.listing(members.memberships(user, kind), render)


def _status(call: Call, user: User) -> Any:
    found = user.facts.get("status") or {}
    return {
        "emoji": found.get("emoji", "speech_balloon"),
        "message": found.get("message", ""),
        "message_html": found.get("message", ""),
        "availability": found.get("availability", "not_set"),
        "clear_status_at": None,
    }


@get("/user/status")
def my_status(call: Call) -> Any:
    return _status(call, call.me)


@get("/users/{id}/status")
def status(call: Call) -> Any:
    return _status(call, someone(call))


@put("/user/status")
@patch("/user/status")
def set_status(call: Call) -> Any:
    old = call.me.facts.get("status") or {} if call.request.method == "PATCH" else {}
    changed = {name: call.text(name) for name in ("emoji", "message", "availability") if call.text(name) is not None}
    users.set_profile(call.store, call.me, status={**old, **changed})
    return _status(call, users.again(call.store, call.me))


@get("/user/preferences")
def preferences(call: Call) -> Any:
    found = call.me.facts.get("preferences") or {}
    return {
        "id": call.me.id,
        "user_id": call.me.id,
        "view_diffs_file_by_file": False,
        "show_whitespace_in_diffs": True,
        "pass_user_identities_to_ci_jwt": False,
        **found,
    }


@put("/user/preferences")
def set_preferences(call: Call) -> Any:
    names = ("view_diffs_file_by_file", "show_whitespace_in_diffs", "pass_user_identities_to_ci_jwt")
    users.set_profile(call.store, call.me, preferences={name: call.boolean(name) for name in names if call.has(name)})
    call.user = users.again(call.store, call.me)
    return preferences(call)


@get("/user/activities")
def activities(call: Call) -> Any:
    call.admin()
    return call.paged(
        accounts.active_since(call.store, call.text("from", "0")[:10]),
        lambda user: {
            "username": user.username,
            "last_activity_on": user.last_activity_on,
            "last_activity_at": f"{user.last_activity_on}T00:00:00.000Z",
        },
    )


@get("/user_counts")
def user_counts(call: Call) -> Any:
    assigned = item_counts.open_items(call.store, call.me, "MergeRequest", "assignee")
    return {
        "merge_requests": assigned,
        "assigned_issues": item_counts.open_items(call.store, call.me, "Issue", "assignee"),
        "assigned_merge_requests": assigned,
        "review_requested_merge_requests": item_counts.open_items(call.store, call.me, "MergeRequest", "reviewer"),
        "todos": todos.pending_count(call.store, call.me),
    }


@get("/users/{id}/associations_count")
def associations_count(call: Call) -> Any:
    user = someone(call)
    if not call.me.admin and call.me.id != user.id:
        raise forbidden()
    return {f"{name}_count": count for name, count in accounts.associations(call.store, user).items()}


@delete("/users/{id}/identities/{provider}")
def delete_identity(call: Call) -> Any:
    call.admin()
    user = someone(call)
    kept = [one for one in user.facts.get("identities", []) if one["provider"] != call.path["provider"]]
    if len(kept) == len(user.facts.get("identities", [])):
        raise not_found("Identity")
    users.set_profile(call.store, user, identities=kept)
    return no_content()


@put("/user/avatar")
def set_avatar(call: Call) -> Any:
    image = call.file("avatar")
    if image is None:
        raise bad("avatar is missing")
    users.set_avatar(call.store, call.me, keep_avatar(call, image))
    return {"avatar_url": shape.avatar(call, "user", call.me.id, users.again(call.store, call.me).avatar)}


def managed(call: Call) -> User:
    """The account in the path, for an administrator."""
    call.admin()
    return someone(call)


def of_person(on: Register, tail: str, whose: Callable[[Call], User]) -> Callable[[Any], Any]:
    """Put a handler on the table for the caller's own account and, below `/users/{id}`, for the one `whose` finds."""

    def keep(handler: Any) -> Any:
        on(f"/user{tail}")(lambda call: handler(call, call.me))
        on(f"/users/{{id}}{tail}")(lambda call: handler(call, whose(call)))
        return handler

    return keep


# -- further addresses -------------------------------------------------------------------------------------------


@of_person(get, "/emails", managed)
def emails(call: Call, user: User) -> Any:
    return call.listing(users.emails(user), lambda rows: [shape.email(email) for email in rows])


@of_person(post, "/emails", managed)
def add_email(call: Call, user: User) -> Any:
    confirmed = bool(call.boolean("skip_confirmation"))
    return created(shape.email(users.add_email(call.store, user, call.filled("email"), confirmed=confirmed)))


@of_person(delete, "/emails/{email_id}", managed)
def delete_email(call: Call, user: User) -> Any:
    users.delete_email(call.store, user, call.number("email_id"))
    return no_content()


@get("/user/emails/{email_id}")
def email(call: Call) -> Any:
    return shape.email(users.email(call.store, call.me, call.number("email_id")))
