"""SSH keys of people and deploy keys of projects."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.users import managed, of_person, someone
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.people import SshKey, User
from dayjob.company.forge.shapes import users as shape
from dayjob.company.forge.shapes.projects import projects
from dayjob.company.forge.store import access, keys, users


@of_person(get, "/keys", someone)
def own_keys(call: Call, user: User) -> Any:
    return call.listing(keys.of_user(user), lambda rows: [shape.key(call, key) for key in rows])


@of_person(post, "/keys", managed)
def add(call: Call, user: User) -> Any:
    call.need("title", "key")
    title, key = call.filled("title"), call.filled("key")
    return created(shape.key(call, keys.add(call.store, "user", user.id, title, key, call.text("expires_at"))))


@of_person(get, "/keys/{key_id}", someone)
def own_key(call: Call, user: User) -> Any:
    return shape.key(call, keys.find_of_user(call.store, user, call.number("key_id")))


@of_person(delete, "/keys/{key_id}", managed)
def remove(call: Call, user: User) -> Any:
    keys.delete_of_user(call.store, user, call.number("key_id"))
    return no_content()


def _anyones(call: Call, key: SshKey | None) -> Any:
    if key is None:
        raise not_found("Key")
    owner = users.by_id(call.store, key.user_id)
    answer = {**shape.key(call, key), "user": shape.private(call, owner) if owner else None}
    if key.kind == "deploy":
        answer["deploy_keys_projects"] = [
            {
                "id": enabled.project_id,
                "deploy_key_id": enabled.key_id,
                "project_id": enabled.project_id,
                "created_at": enabled.created_at,
                "updated_at": enabled.created_at,
                "can_push": enabled.can_push,
            }
            for enabled in keys.where_enabled(call.store, key)
        ]
    return answer


@get("/keys/{key_id}")
def key_by_id(call: Call) -> Any:
    call.admin()
    return _anyones(call, keys.find(call.store, call.number("key_id")))


@get("/keys")
def key_by_fingerprint(call: Call) -> Any:
    call.admin()
    return _anyones(call, keys.by_fingerprint(call.store, call.filled("fingerprint")))


# -- deploy keys -------------------------------------------------------------------------------------------------


@get("/deploy_keys")
def all_deploy_keys(call: Call) -> Any:
    call.admin()

    def render(rows: list[SshKey]) -> list[Any]:
        return [
            {
                **shape.deploy_key(call, key),
                "projects_with_write_access": projects(
                    call, keys.projects_with(call.store, key, can_push=True), simple=True
                ),
                "projects_with_readonly_access": projects(
                    call, keys.projects_with(call.store, key, can_push=False), simple=True
                ),
            }
            for key in rows
        ]

    return call.listing(keys.deploy_keys(), render)


@post("/deploy_keys")
def create_deploy_key(call: Call) -> Any:
    call.admin()
    call.need("title", "key")
    row = keys.add(call.store, "deploy", None, call.filled("title"), call.filled("key"), call.text("expires_at"))
    return created(shape.deploy_key(call, row))


@get("/projects/{id}/deploy_keys")
def deploy_keys(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return call.paged(keys.of_project(call.store, project), lambda enabled: shape.deploy_key(call, *enabled))


@post("/projects/{id}/deploy_keys")
def add_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("title", "key")
    push = call.boolean("can_push", False)
    row = keys.add_to_project(
        call.store, project, call.filled("title"), call.filled("key"), call.text("expires_at"), can_push=push
    )
    return created(shape.deploy_key(call, row, push))


@get("/projects/{id}/deploy_keys/{key_id}")
def deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return shape.deploy_key(call, *keys.find_of_project(call.store, project, call.number("key_id")))


@put("/projects/{id}/deploy_keys/{key_id}")
def change_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    key, push = keys.find_of_project(call.store, project, call.number("key_id"))
    keys.change_in_project(call.store, project, key, title=call.text("title"), can_push=call.boolean("can_push", push))
    return shape.deploy_key(call, *keys.find_of_project(call.store, project, key.id))


@post("/projects/{id}/deploy_keys/{key_id}/enable")
def enable_deploy_key(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return created(shape.deploy_key(call, keys.enable(call.store, project, call.number("key_id"))))


@delete("/projects/{id}/deploy_keys/{key_id}")
def delete_deploy_key(call: Call) -> Any:
    keys.remove_from_project(call.store, call.project(access.MAINTAINER), call.number("key_id"))
    return no_content()
