"""SSH keys of people and deploy keys of projects, kept as records: git here is spoken over HTTP."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.shapes.projects import brief
from dayjob.company.forge.store import access, users
from dayjob.company.forge.store.base import Listing, not_found
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import SshKey, User


def _keys(call: Call, user: User) -> Any:
    listing = Listing(SshKey, "FROM ssh_keys WHERE user_id=? AND kind='user'", (user.id,), "ssh_keys.id ASC")
    return call.listing(listing, lambda rows: [shape.key(call, one) for one in rows])


def _add(call: Call, user: User) -> Any:
    call.need("title", "key")
    expires = call.text("expires_at")
    return created(
        shape.key(call, users.add_key(call.store, "user", user.id, call.filled("title"), call.filled("key"), expires))
    )


def _key(call: Call, user: User) -> SshKey:
    found = call.store.one(SshKey, "id=? AND user_id=? AND kind='user'", call.number("key_id"), user.id)
    if found is None:
        raise not_found("Key")
    return found


@get("/user/keys")
def my_keys(call: Call) -> Any:
    return _keys(call, call.me)


@post("/user/keys")
def add_my_key(call: Call) -> Any:
    return _add(call, call.me)


@get("/user/keys/{key_id}")
def my_key(call: Call) -> Any:
    return shape.key(call, _key(call, call.me))


@delete("/user/keys/{key_id}")
def delete_my_key(call: Call) -> Any:
    call.store.delete("ssh_keys", _key(call, call.me).id)
    return no_content()


@get("/users/{id}/keys")
def keys(call: Call) -> Any:
    return _keys(call, someone(call))


@post("/users/{id}/keys")
def add_key(call: Call) -> Any:
    call.admin()
    return _add(call, someone(call))


@get("/users/{id}/keys/{key_id}")
def key(call: Call) -> Any:
    return shape.key(call, _key(call, someone(call)))


@delete("/users/{id}/keys/{key_id}")
def delete_key(call: Call) -> Any:
    call.admin()
    call.store.delete("ssh_keys", _key(call, someone(call)).id)
    return no_content()


def _anyones(call: Call, found: SshKey | None) -> Any:
    if found is None:
        raise not_found("Key")
    owner = call.store.one(User, "id=?", found.user_id) if found.user_id else None
    answer = {**shape.key(call, found), "user": shape.private(call, owner) if owner else None}
    if found.kind == "deploy":
        rows = call.store.db.execute(
            "SELECT project_id, can_push, created_at FROM deploy_keys_projects WHERE key_id=?", (found.id,)
        )
        answer["deploy_keys_projects"] = [
            {
                "id": project,
                "deploy_key_id": found.id,
                "project_id": project,
                "created_at": at,
                "updated_at": at,
                "can_push": bool(push),
            }
            for project, push, at in rows
        ]
    return answer


@get("/keys/{key_id}")
def key_by_id(call: Call) -> Any:
    call.admin()
    return _anyones(call, call.store.one(SshKey, "id=?", call.number("key_id")))


@get("/keys")
def key_by_fingerprint(call: Call) -> Any:
    call.admin()
    wanted = call.filled("fingerprint")
    found = call.store.one(SshKey, "fingerprint_sha256=? OR fingerprint=?", wanted, wanted.removeprefix("MD5:"))
    return _anyones(call, found)


# -- deploy keys -------------------------------------------------------------------------------------------------


@get("/deploy_keys")
def all_deploy_keys(call: Call) -> Any:
    call.admin()
    listing = Listing(SshKey, "FROM ssh_keys WHERE kind='deploy'", (), "ssh_keys.id ASC")

    def render(rows: list[SshKey]) -> list[Any]:
        found = []
        for row in rows:
            where = "id IN (SELECT project_id FROM deploy_keys_projects WHERE key_id=? AND can_push=?)"
            sides = {
                name: [
                    brief(call, one, call.store.by_ids(Namespace, [one.namespace_id])[one.namespace_id])
                    for one in call.store.all(Project, where, row.id, push)
                ]
                for name, push in (("projects_with_write_access", 1), ("projects_with_readonly_access", 0))
            }
            found.append({**shape.deploy_key(call, row), **sides})
        return found

    return call.listing(listing, render)


@post("/deploy_keys")
def create_deploy_key(call: Call) -> Any:
    call.admin()
    call.need("title", "key")
    row = users.add_key(call.store, "deploy", None, call.filled("title"), call.filled("key"), call.text("expires_at"))
    return created(shape.deploy_key(call, row))


def _deploy_key(call: Call, project: Project) -> tuple[SshKey, bool]:
    push = call.store.value(
        "SELECT can_push FROM deploy_keys_projects WHERE key_id=? AND project_id=?", call.number("key_id"), project.id
    )
    found = call.store.one(SshKey, "id=?", call.number("key_id")) if push is not None else None
    if found is None:
        raise not_found("Deploy Key")
    return found, bool(push)


@get("/projects/{id}/deploy_keys")
def deploy_keys(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rows = call.store.all(
        SshKey, "id IN (SELECT key_id FROM deploy_keys_projects WHERE project_id=?) ORDER BY id", project.id
    )
    pushing = set(
        call.store.values("SELECT key_id FROM deploy_keys_projects WHERE project_id=? AND can_push=1", project.id)
    )
    return call.paged(rows, lambda row: shape.deploy_key(call, row, row.id in pushing))


@post("/projects/{id}/deploy_keys")
def add_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("title", "key")
    push = call.boolean("can_push", False)
    prints = users.fingerprints(call.filled("key"))
    existing = call.store.one(SshKey, "fingerprint_sha256=? AND kind='deploy'", prints[1]) if prints else None
    with call.store.transaction():
        row = existing or users.add_key(
            call.store, "deploy", None, call.filled("title"), call.filled("key"), call.text("expires_at")
        )
        call.store.db.execute(
            "INSERT OR IGNORE INTO deploy_keys_projects VALUES (?,?,?,?)",
            (row.id, project.id, int(push), call.store.now()),
        )
    return created(shape.deploy_key(call, row, push))


@get("/projects/{id}/deploy_keys/{key_id}")
def deploy_key(call: Call) -> Any:
    return shape.deploy_key(call, *_deploy_key(call, call.project(access.MAINTAINER)))


@put("/projects/{id}/deploy_keys/{key_id}")
def change_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    row, push = _deploy_key(call, project)
    if call.text("title"):
        call.store.update("ssh_keys", row.id, title=call.text("title"))
    push = call.boolean("can_push", push)
    call.store.db.execute(
        "UPDATE deploy_keys_projects SET can_push=? WHERE key_id=? AND project_id=?", (int(push), row.id, project.id)
    )
    return shape.deploy_key(call, *_deploy_key(call, project))


@post("/projects/{id}/deploy_keys/{key_id}/enable")
def enable_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    row = call.store.one(SshKey, "id=? AND kind='deploy'", call.number("key_id"))
    if row is None:
        raise not_found("Deploy Key")
    call.store.db.execute(
        "INSERT OR IGNORE INTO deploy_keys_projects VALUES (?,?,0,?)", (row.id, project.id, call.store.now())
    )
    return created(shape.deploy_key(call, row))


@delete("/projects/{id}/deploy_keys/{key_id}")
def delete_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    row, _ = _deploy_key(call, project)
    with call.store.transaction():
        call.store.db.execute("DELETE FROM deploy_keys_projects WHERE key_id=? AND project_id=?", (row.id, project.id))
        if not call.store.value("SELECT 1 FROM deploy_keys_projects WHERE key_id=?", row.id):
            call.store.delete("ssh_keys", row.id)
    return no_content()
