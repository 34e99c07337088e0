"""Accounts: the caller's own, everyone's, and what an administrator does with them."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.store import users
from dayjob.company.forge.store.access import Member
from dayjob.company.forge.store.base import Listing, dumps, forbidden, invalid, like, not_found, refused
from dayjob.company.forge.store.users import PROFILE, Email, User


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
    where, args = "1", []
    for name in ("username", "extern_uid"):
        if call.text(name) and name == "username":
            where += " AND username=?"
            args.append(call.text(name))
    if call.text("search"):
        text = call.text("search")
        where += " AND (username LIKE ? ESCAPE '\\' OR name LIKE ? ESCAPE '\\' OR email=?)"
        args += [like(text), like(text), text]
    if call.boolean("active"):
        where += " AND state='active'"
    if call.has("blocked"):
        where += " AND state='blocked'" if call.boolean("blocked") else " AND state<>'blocked'"
    if call.boolean("external"):
        where += " AND external=1"
    if call.boolean("without_project_bots") or call.boolean("humans") or call.boolean("exclude_internal"):
        where += " AND bot=0"
    if call.boolean("admins") and call.user is not None and call.user.admin:
        where += " AND admin=1"
    where += by_custom_attributes(call, "user", "users.id")
    if call.user is None and not call.text("username"):
        raise refused(403, "403 Forbidden - Not authorized to access /api/v4/users")
    order = call.choice("order_by", ("id", "name", "username", "created_at", "updated_at"), "id")
    order = "created_at" if order == "updated_at" else order
    sort = call.choice("sort", ("asc", "desc"), "desc")
    listing = Listing(User, f"FROM users WHERE {where}", args, f"users.{order} {sort}")
    full = call.user is not None and call.user.admin
    return call.listing(
        listing, lambda rows: [shape.private(call, one) if full else shape.basic(call, one) for one in rows]
    )


def by_custom_attributes(call: Call, scope: str, column: str) -> str:
    """The condition for `custom_attributes[key]=value`."""
    wanted = call.args.get("custom_attributes")
    if not isinstance(wanted, dict) or call.user is None or not call.user.admin:
        return ""
    conditions = []
    for key, value in wanted.items():
        found = call.store.values(
            "SELECT scope_id FROM records WHERE kind='custom_attribute' AND scope=? AND name=? AND "
            "json_extract(body,'$.value')=?",
            scope,
            str(key),
            str(value),
        )
        conditions.append(f" AND {column} IN ({','.join(str(one) for one in found) or 'NULL'})")
    return "".join(conditions)


@post("/users")
def create_user(call: Call) -> Any:
    call.admin()
    call.need("name", "username", "email")
    password = call.text("password")
    if not (password or call.boolean("reset_password") or call.boolean("force_random_password")):
        raise bad(
            "password, reset_password, force_random_password are missing, at least one parameter must be provided"
        )
    profile = {key: call.args[key] for key in PROFILE if key in call.args and key not in ("identities", "status")}
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
            call.store.update("users", user.id, avatar=keep_avatar(call, image))
    return created(shape.private(call, someone_by_id(call, user.id)))


def someone_by_id(call: Call, user_id: int) -> User:
    found = call.store.one(User, "id=?", user_id)
    assert found is not None
    return found


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
    values: dict[str, Any] = {}
    for name in ("name", "username", "email"):
        if call.text(name) is not None:
            values[name] = call.filled(name)
    if "email" in values and call.store.value("SELECT 1 FROM users WHERE email=? AND id<>?", values["email"], user.id):
        raise refused(409, "Email has already been taken")
    if "username" in values and values["username"] != user.username:
        if not users.USERNAME.fullmatch(values["username"]):
            raise invalid(username=["is invalid"])
        if call.store.value(
            "SELECT 1 FROM namespaces WHERE full_path=? AND owner_id IS NOT ?", values["username"], user.id
        ):
            raise refused(409, "Username has already been taken")
    for name in ("admin", "external"):
        if call.has(name):
            values[name] = int(call.boolean(name))
    profile = {key: call.args[key] for key in PROFILE if key in call.args and key not in ("identities", "status")}
    with call.store.transaction():
        if call.text("provider"):
            kept = [one for one in user.facts.get("identities", []) if one["provider"] != call.text("provider")]
            profile["identities"] = [
                *kept,
                {
                    "provider": call.text("provider"),
                    "extern_uid": call.text("extern_uid", ""),
                    "saml_provider_id": None,
                },
            ]
        if profile:
            values["profile"] = dumps({**user.facts, **profile})
        if (image := call.file("avatar")) is not None:
            values["avatar"] = keep_avatar(call, image)
        call.store.update("users", user.id, **values)
        if "username" in values and values["username"] != user.username:
            space = call.store.value("SELECT id FROM namespaces WHERE owner_id=?", user.id)
            call.store.update("namespaces", space, path=values["username"], full_path=values["username"])
            call.store.db.execute(
                "UPDATE projects SET full_path=? || substr(full_path, ?) WHERE namespace_id=?",
                (values["username"], len(user.username) + 1, space),
            )
        if call.text("password"):
            if len(call.text("password")) < 8:
                raise invalid(password=["is too short (minimum is 8 characters)"])
            users.set_password(call.store, user.id, call.text("password"))
    return shape.private(call, someone_by_id(call, user.id))


@delete("/users/{id}")
def delete_user(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.id == call.me.id:
        raise refused(409, "User cannot be removed")
    remove_account(call, user)
    return no_content()


def remove_account(call: Call, user: User) -> None:
    """Remove an account with its own projects; what it wrote elsewhere passes to the ghost."""
    from dayjob.company.forge.store import projects
    from dayjob.company.forge.store.projects import Project

    store = call.store
    with store.transaction():
        ghost = store.one(User, "username='ghost'") or users.create(
            store,
            username="ghost",
            name="Ghost User",
            email=f"ghost@{store.company.world.host}",
            password=None,
            bot=True,
        )
        for project in store.all(Project, "namespace_id IN (SELECT id FROM namespaces WHERE owner_id=?)", user.id):
            projects.delete(store, project)
        for table, column in (
            ("issues", "author_id"),
            ("merge_requests", "author_id"),
            ("notes", "author_id"),
            ("releases", "author_id"),
            ("snippets", "author_id"),
            ("award_emoji", "user_id"),
            ("resource_events", "user_id"),
            ("pipelines", "user_id"),
            ("jobs", "user_id"),
        ):
            store.db.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?", (ghost.id, user.id))
        store.db.execute("DELETE FROM events WHERE author_id=?", (user.id,))
        store.db.execute("DELETE FROM records WHERE scope='user' AND scope_id=?", (user.id,))
        for kind, table in (("Issue", "issues"), ("MergeRequest", "merge_requests")):
            for item in store.values("SELECT item_id FROM people WHERE user_id=? AND item_type=?", user.id, kind):
                for column in ("assignees", *(("reviewers",) if kind == "MergeRequest" else ())):
                    listed = json.loads(store.value(f"SELECT {column} FROM {table} WHERE id=?", item) or "[]")
                    store.update(table, item, **{column: dumps([one for one in listed if one != user.id])})
        store.delete("users", user.id)


# -- states ------------------------------------------------------------------------------------------------------


@post("/users/{id}/block")
def block(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.state == "blocked":
        return created_value(call, None)
    if user.id == call.me.id:
        raise forbidden("The API initiating user cannot be blocked by the API")
    call.store.update("users", user.id, state="blocked")
    return created_value(call, True)


@post("/users/{id}/unblock")
def unblock(call: Call) -> Any:
    call.admin()
    user = someone(call)
    if user.state != "blocked":
        return created_value(call, False)
    call.store.update("users", user.id, state="active")
    return created_value(call, True)


def created_value(call: Call, value: Any) -> Any:
    return created(value)


def _flip(call: Call, before: str, after: str) -> Any:
    call.admin()
    user = someone(call)
    if user.state != before:
        raise forbidden(f"A user that is {user.state} cannot be made {after}")
    call.store.update("users", user.id, state=after)
    return created(True)


@post("/users/{id}/ban")
def ban(call: Call) -> Any:
    return _flip(call, "active", "banned")


@post("/users/{id}/unban")
def unban(call: Call) -> Any:
    return _flip(call, "banned", "active")


@post("/users/{id}/deactivate")
def deactivate(call: Call) -> Any:
    return _flip(call, "active", "deactivated")


@post("/users/{id}/activate")
def activate(call: Call) -> Any:
    return _flip(call, "deactivated", "active")


# -- what belongs to an account ----------------------------------------------------------------------------------


@get("/users/{id}/memberships")
def memberships(call: Call) -> Any:
    call.admin()
    user = someone(call)
    kind = call.choice("type", ("Project", "Namespace"))
    where = "FROM live_members WHERE user_id=?" + (f" AND source_type='{kind}'" if kind else "")

    def render(rows: list[Member]) -> list[Any]:
        found = []
        for row in rows:
            table = "projects" if row.source_type == "Project" else "namespaces"
            name = call.store.value(f"SELECT name FROM {table} WHERE id=?", row.source_id)
            found.append(
                {
                    "source_id": row.source_id,
                    "source_name": name,
                    "source_type": row.source_type,
                    "access_level": row.access_level,
                }
            )
        return found

    return call.listing(Listing(Member, where, (user.id,), "live_members.id ASC"), render)


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
    return _status(call, someone_by_id(call, call.me.id))


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
    call.user = someone_by_id(call, call.me.id)
    return preferences(call)


@get("/user/activities")
def activities(call: Call) -> Any:
    call.admin()
    rows = call.store.all(
        User,
        "last_activity_on IS NOT NULL AND last_activity_on>=? ORDER BY last_activity_on",
        call.text("from", "0")[:10],
    )
    return call.paged(
        rows,
        lambda one: {
            "username": one.username,
            "last_activity_on": one.last_activity_on,
            "last_activity_at": f"{one.last_activity_on}T00:00:00.000Z",
        },
    )


@get("/user_counts")
def user_counts(call: Call) -> Any:
    def count(role: str, kind: str, table: str) -> int:
        found: int = call.store.value(
            f"SELECT count(*) FROM people p JOIN {table} t ON t.id=p.item_id WHERE p.user_id=? AND p.role=? AND "
            "p.item_type=? "
            f"AND t.state='opened'",
            call.me.id,
            role,
            kind,
        )
        return found

    assigned = count("assignee", "MergeRequest", "merge_requests")
    return {
        "merge_requests": assigned,
        "assigned_issues": count("assignee", "Issue", "issues"),
        "assigned_merge_requests": assigned,
        "review_requested_merge_requests": count("reviewer", "MergeRequest", "merge_requests"),
        "todos": call.store.value("SELECT count(*) FROM todos WHERE user_id=? AND state='pending'", call.me.id),
    }


@get("/users/{id}/associations_count")
def associations_count(call: Call) -> Any:
    user = someone(call)
    if not call.me.admin and call.me.id != user.id:
        raise forbidden()
    value = call.store.value
    return {
        "groups_count": value("SELECT count(*) FROM live_members WHERE source_type='Namespace' AND user_id=?", user.id),
        "projects_count": value("SELECT count(*) FROM live_members WHERE source_type='Project' AND user_id=?", user.id),
        "issues_count": value("SELECT count(*) FROM issues WHERE author_id=?", user.id),
        "merge_requests_count": value("SELECT count(*) FROM merge_requests WHERE author_id=?", user.id),
    }


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
    call.store.update("users", call.me.id, avatar=keep_avatar(call, image))
    return {"avatar_url": shape.avatar(call, "user", call.me.id, someone_by_id(call, call.me.id).avatar)}


# -- further addresses -------------------------------------------------------------------------------------------


def _emails(call: Call, user: User) -> Any:
    return call.listing(
        Listing(Email, "FROM emails WHERE user_id=?", (user.id,), "emails.id ASC"),
        lambda rows: [shape.email(one) for one in rows],
    )


def _add_email(call: Call, user: User) -> Any:
    address = call.filled("email")
    if "@" not in address:
        raise invalid(email=["is invalid"])
    if call.store.value("SELECT 1 FROM users WHERE email=? UNION SELECT 1 FROM emails WHERE email=?", address, address):
        raise invalid(email=["has already been taken"])
    confirmed = call.store.now() if call.boolean("skip_confirmation") or user.admin else None
    email_id = call.store.insert("emails", user_id=user.id, email=address, confirmed_at=confirmed)
    found = call.store.one(Email, "id=?", email_id)
    assert found is not None
    return created(shape.email(found))


def _email(call: Call, user: User) -> Email:
    found = call.store.one(Email, "id=? AND user_id=?", call.number("email_id"), user.id)
    if found is None:
        raise not_found("Email")
    return found


@get("/user/emails")
def my_emails(call: Call) -> Any:
    return _emails(call, call.me)


@post("/user/emails")
def add_my_email(call: Call) -> Any:
    return _add_email(call, call.me)


@get("/user/emails/{email_id}")
def my_email(call: Call) -> Any:
    return shape.email(_email(call, call.me))


@delete("/user/emails/{email_id}")
def delete_my_email(call: Call) -> Any:
    call.store.delete("emails", _email(call, call.me).id)
    return no_content()


@get("/users/{id}/emails")
def emails(call: Call) -> Any:
    call.admin()
    return _emails(call, someone(call))


@post("/users/{id}/emails")
def add_email(call: Call) -> Any:
    call.admin()
    return _add_email(call, someone(call))


@delete("/users/{id}/emails/{email_id}")
def delete_email(call: Call) -> Any:
    call.admin()
    call.store.delete("emails", _email(call, someone(call)).id)
    return no_content()
