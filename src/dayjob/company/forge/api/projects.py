"""Projects: list, create, change, archive, star, share, transfer, delete."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, not_modified
from dayjob.company.forge.api.filters import project_filters
from dayjob.company.forge.api.groups import share, unshare
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.git.reading import resolve, tree_entries
from dayjob.company.forge.git.repositories import ZERO, ref_sha, valid_branch
from dayjob.company.forge.git.writing import commit_actions
from dayjob.company.forge.merging import author
from dayjob.company.forge.pushes import Moved, noticed
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.shapes import users as user_shape
from dayjob.company.forge.store import access, namespaces, projects
from dayjob.company.forge.store.base import Listing, dumps, forbidden, invalid, not_found, refused
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import DEFAULTS, Project
from dayjob.company.forge.store.users import User

_SWITCHES = {
    "issues_enabled": "issues",
    "merge_requests_enabled": "merge_requests",
    "wiki_enabled": "wiki",
    "jobs_enabled": "builds",
    "snippets_enabled": "snippets",
    "container_registry_enabled": "container_registry",
}
_ACCESS = ("disabled", "private", "enabled", "public")


def settings(call: Call) -> dict[str, Any]:
    """The settings among a request's arguments."""
    found: dict[str, Any] = {}
    for name, default in DEFAULTS.items():
        if not call.has(name):
            continue
        if name.endswith("_access_level"):
            found[name] = call.choice(name, _ACCESS)
        elif isinstance(default, bool):
            found[name] = call.boolean(name)
        elif isinstance(default, int):
            found[name] = call.integer(name)
        else:
            found[name] = call.text(name)
    if call.has("merge_method"):
        found["merge_method"] = call.choice("merge_method", ("merge", "rebase_merge", "ff"))
    if call.has("squash_option"):
        found["squash_option"] = call.choice("squash_option", ("never", "always", "default_on", "default_off"))
    for switch, feature in _SWITCHES.items():
        if call.has(switch):
            found[f"{feature}_access_level"] = "enabled" if call.boolean(switch) else "disabled"
    return found


def topics(call: Call) -> list[str] | None:
    wanted = call.names("topics")
    return wanted if wanted is not None else call.names("tag_list")


# -- lists -------------------------------------------------------------------------------------------------------


def _listed(call: Call, where: str = "1", args: list[Any] | None = None) -> Any:
    listing = project_filters(call, where, args)
    simple, statistics = bool(call.boolean("simple")), bool(call.boolean("statistics"))
    return call.listing(listing, lambda rows: shape.projects(call, rows, simple=simple, statistics=statistics))


@get("/projects")
def list_projects(call: Call) -> Any:
    return _listed(call)


@get("/users/{id}/projects")
def user_projects(call: Call) -> Any:
    return _listed(call, "p.namespace_id IN (SELECT id FROM namespaces WHERE owner_id=?)", [someone(call).id])


@get("/users/{id}/starred_projects")
def starred_projects(call: Call) -> Any:
    return _listed(call, "p.id IN (SELECT project_id FROM stars WHERE user_id=?)", [someone(call).id])


@get("/users/{id}/contributed_projects")
def contributed_projects(call: Call) -> Any:
    return _listed(call, "p.id IN (SELECT project_id FROM events WHERE author_id=?)", [someone(call).id])


# -- one ---------------------------------------------------------------------------------------------------------


@post("/projects")
def create_project(call: Call) -> Any:
    call.signed_in()
    return _create(call, call.me)


@post("/projects/user/{user_id}")
def create_for_user(call: Call) -> Any:
    call.admin()
    return _create(call, someone(call, "user_id"))


def _create(call: Call, owner: User) -> Any:
    name, path = call.text("name"), call.text("path")
    if name is None and path is None:
        raise bad("name, path are missing, at least one parameter must be provided")
    space = place(call, owner, call.args.get("namespace_id"))
    default = call.text("default_branch")
    if default is not None and not valid_branch(default):
        raise invalid(default_branch=["is invalid"])
    image = call.file("avatar")
    with call.store.transaction():
        project = projects.create(
            call.store,
            owner,
            space,
            name=name,
            path=path,
            visibility=call.visibility(0),
            description=call.text("description"),
            default_branch=default,
            avatar=keep_avatar(call, image) if image else None,
            topics=topics(call),
            **settings(call),
        )
        if call.boolean("initialize_with_readme"):
            _initialize(call, project)
    return created(shape.project(call, again(call, project)))


def place(call: Call, owner: User, wanted: Any) -> Namespace:
    """The namespace a project goes to: the one asked for, or the owner's own."""
    if wanted is None or wanted == "":
        found = call.store.one(Namespace, "owner_id=?", owner.id)
        if found is None:
            raise refused(403, "403 Forbidden - This account has no namespace of its own")
        return found
    found = namespaces.find(call.store, str(wanted))
    if found is None or not access.can_see_group(call.store, call.user, found):
        raise invalid(namespace=["is not valid"])
    if found.kind == "user" and found.owner_id != call.me.id and not call.me.admin:
        raise invalid(namespace=["is not valid"])
    if found.kind == "group" and access.group_level(call.store, call.user, found) < access.DEVELOPER:
        raise invalid(namespace=["is not valid"])
    return found


def _initialize(call: Call, project: Project) -> None:
    repo = call.store.repos.open(project.id)
    branch = project.default_branch or "main"
    who = author(call.store, call.me)
    text = f"# {project.name}\n\n{project.description or ''}\n".replace("\n\n\n", "\n")
    action = {"action": "create", "file_path": "README.md", "content": text}
    sha = commit_actions(repo, branch, None, [action], "Initial commit", who, who, None)
    noticed(call.store, call.me, project, [Moved(f"refs/heads/{branch}", ZERO, sha)], [])


def again(call: Call, project: Project) -> Project:
    found = projects.find(call.store, project.id)
    assert found is not None
    return found


@get("/projects/{id}")
def show_project(call: Call) -> Any:
    project = call.project()
    space = call.store.one(Namespace, "id=?", project.namespace_id)
    assert space is not None
    if call.user is None:
        return shape.brief(call, project, space)
    return shape.project(
        call, project, space, statistics=bool(call.boolean("statistics")), license=bool(call.boolean("license"))
    )


@put("/projects/{id}")
def change_project(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    values: dict[str, Any] = {}
    for name in ("name", "description"):
        if call.has(name):
            values[name] = call.text(name)
    if values.get("name") is not None or call.text("path"):
        space = call.store.one(Namespace, "id=?", project.namespace_id)
        assert space is not None
        projects.check(
            call.store, values.get("name") or project.name, call.text("path") or project.path, space, own=project.id
        )
    if call.has("visibility"):
        if access.project_level(call.store, call.user, project) < access.OWNER:
            raise forbidden()
        values["visibility"] = call.visibility()
    if call.text("default_branch") is not None:
        branch = call.text("default_branch")
        if not project.empty:
            repo = call.store.repos.open(project.id)
            if ref_sha(repo, f"refs/heads/{branch}") is None:
                raise invalid(base=[f"Could not change HEAD: branch '{branch}' does not exist"])
            repo.set_head(f"refs/heads/{branch}")
        values["default_branch"] = branch
    if topics(call) is not None:
        values["topics"] = dumps(topics(call))
    if (image := call.file("avatar")) is not None:
        values["avatar"] = keep_avatar(call, image)
    elif call.has("avatar"):
        values["avatar"] = None
    if call.has("archived"):
        values["archived"] = int(bool(call.boolean("archived")))
    changed = settings(call)
    if changed:
        values["settings"] = projects.settings_with(project, changed)
    with call.store.transaction():
        call.store.update("projects", project.id, **values, updated_at=call.store.now())
        if call.text("path") and call.text("path") != project.path:
            space = call.store.one(Namespace, "id=?", project.namespace_id)
            assert space is not None
            projects.move(call.store, again(call, project), space, call.text("path"))
    return shape.project(call, again(call, project))


@delete("/projects/{id}")
def delete_project(call: Call) -> Any:
    project = call.project(access.OWNER)
    with call.store.transaction():
        projects.delete(call.store, project)
    return Json({"message": "202 Accepted"}, 202)


@post("/projects/{id}/restore")
def restore_project(call: Call) -> Any:
    return created(shape.project(call, call.project(access.OWNER)))


@post("/projects/{id}/archive")
def archive(call: Call) -> Any:
    project = call.project(access.OWNER)
    call.store.update("projects", project.id, archived=1)
    return created(shape.project(call, again(call, project)))


@post("/projects/{id}/unarchive")
def unarchive(call: Call) -> Any:
    project = call.project(access.OWNER)
    call.store.update("projects", project.id, archived=0)
    return created(shape.project(call, again(call, project)))


@post("/projects/{id}/star")
def star(call: Call) -> Any:
    project = call.project()
    me = call.me
    with call.store.transaction():
        if call.store.value("SELECT 1 FROM stars WHERE user_id=? AND project_id=?", me.id, project.id):
            return not_modified()
        call.store.insert("stars", user_id=me.id, project_id=project.id, at=call.store.now())
        call.store.db.execute("UPDATE projects SET star_count=star_count+1 WHERE id=?", (project.id,))
    return created(shape.project(call, again(call, project)))


@post("/projects/{id}/unstar")
def unstar(call: Call) -> Any:
    project = call.project()
    with call.store.transaction():
        gone = call.store.db.execute("DELETE FROM stars WHERE user_id=? AND project_id=?", (call.me.id, project.id))
        if not gone.rowcount:
            return not_modified()
        call.store.db.execute("UPDATE projects SET star_count=max(0, star_count-1) WHERE id=?", (project.id,))
    return created(shape.project(call, again(call, project)))


@get("/projects/{id}/starrers")
def starrers(call: Call) -> Any:
    project = call.project()
    rows = call.store.db.execute(
        "SELECT user_id, at FROM stars WHERE project_id=? ORDER BY id", (project.id,)
    ).fetchall()
    people = user_shape.people(call, [row[0] for row in rows])
    return call.paged(rows, lambda row: {"starred_since": row[1], "user": people[row[0]]})


@get("/projects/{id}/users")
def project_users(call: Call) -> Any:
    project = call.project()
    above = namespaces.ancestors(call.store, project.namespace_id)
    marks = ",".join("?" * len(above))
    where = (
        f"FROM users WHERE id IN (SELECT user_id FROM live_members WHERE source_type='Project' AND source_id=? "
        f"OR source_type='Namespace' AND source_id IN ({marks}))"
    )
    args: list[Any] = [project.id, *above]
    if call.text("search"):
        where += " AND (instr(lower(name), lower(?)) OR instr(lower(username), lower(?)))"
        args += [call.text("search")] * 2
    return call.listing(
        Listing(User, where, args, "users.id ASC"), lambda rows: [user_shape.basic(call, one) for one in rows]
    )


@get("/projects/{id}/groups")
def project_groups(call: Call) -> Any:
    project = call.project()
    ids = (
        []
        if call.store.value("SELECT owner_id FROM namespaces WHERE id=?", project.namespace_id)
        else namespaces.ancestors(call.store, project.namespace_id)
    )
    if call.boolean("with_shared"):
        ids += call.store.values(
            "SELECT group_id FROM live_links WHERE source_type='Project' AND source_id=?", project.id
        )
    known = sorted(call.store.by_ids(Namespace, ids).values(), key=lambda one: one.id)
    rows = [one for one in known if access.can_see_group(call.store, call.user, one)]
    return call.paged(
        rows,
        lambda one: {
            "id": one.id,
            "web_url": f"{call.base}/groups/{one.full_path}",
            "name": one.name,
            "avatar_url": user_shape.avatar(call, "group", one.id, one.avatar),
            "full_name": shape.spaced_name(call, one),
            "full_path": one.full_path,
        },
    )


@get("/projects/{id}/languages")
def languages(call: Call) -> Any:
    project = call.project()
    if project.empty:
        return {}
    repo = call.store.repos.open(project.id)
    commit = resolve(repo, project.default_branch or "HEAD")
    if commit is None:
        return {}
    known = {
        "py": "Python",
        "js": "JavaScript",
        "ts": "TypeScript",
        "go": "Go",
        "rs": "Rust",
        "rb": "Ruby",
        "c": "C",
        "h": "C",
        "cpp": "C++",
        "java": "Java",
        "sh": "Shell",
        "html": "HTML",
        "css": "CSS",
        "php": "PHP",
        "vue": "Vue",
        "tf": "HCL",
        "sql": "SQL",
        "kt": "Kotlin",
        "swift": "Swift",
        "scss": "SCSS",
        "lua": "Lua",
        "pl": "Perl",
        "r": "R",
        "scala": "Scala",
    }
    sizes: dict[str, int] = {}
    for entry in tree_entries(commit.tree, recursive=True):
        name = (
            "Dockerfile"
            if entry.name == "Dockerfile"
            else "Makefile"
            if entry.name == "Makefile"
            else known.get(entry.name.rpartition(".")[2])
        )
        if entry.type == "blob" and name:
            sizes[name] = sizes.get(name, 0) + repo[entry.id].size  # type: ignore[attr-defined]  # a blob
    total = sum(sizes.values()) or 1
    return {name: round(100 * size / total, 2) for name, size in sorted(sizes.items(), key=lambda one: -one[1])}


@put("/projects/{id}/transfer")
def transfer(call: Call) -> Any:
    project = call.project(access.OWNER)
    call.need("namespace")
    space = namespaces.find(call.store, str(call.args["namespace"]))
    if space is None or not access.can_see_group(call.store, call.user, space):
        raise not_found("Namespace")
    if access.group_level(call.store, call.user, space) < access.MAINTAINER:
        raise forbidden()
    if space.id == project.namespace_id:
        raise refused(400, "Project is already in this namespace.")
    with call.store.transaction():
        projects.move(call.store, project, space)
    return shape.project(call, again(call, project))


@get("/projects/{id}/transfer_locations")
def transfer_locations(call: Call) -> Any:
    call.project(access.OWNER)
    rows = call.store.all(
        Namespace, f"kind='group' AND id IN ({access.member_groups(call.me, access.MAINTAINER)}) ORDER BY id"
    )
    return call.paged(
        rows,
        lambda one: {
            "id": one.id,
            "web_url": f"{call.base}/groups/{one.full_path}",
            "name": one.name,
            "avatar_url": None,
            "full_name": shape.spaced_name(call, one),
            "full_path": one.full_path,
        },
    )


@post("/projects/{id}/share")
def share_project(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("group_id", "group_access")
    other = call.group(name=str(call.integer("group_id")))
    share(call, "Project", project.id, other)
    link = call.store.value("SELECT max(id) FROM group_links")
    return created(
        {
            "id": link,
            "project_id": project.id,
            "group_id": other.id,
            "group_access": call.integer("group_access"),
            "expires_at": call.text("expires_at"),
        }
    )


@delete("/projects/{id}/share/{group_id}")
def unshare_project(call: Call) -> Any:
    return unshare(call, "Project", call.project(access.MAINTAINER).id)


@post("/projects/{id}/housekeeping")
def housekeeping(call: Call) -> Any:
    call.project(access.OWNER)
    return created({})


@get("/projects/{id}/storage")
def storage(call: Call) -> Any:
    call.admin()
    project = call.project()
    return {
        "project_id": project.id,
        "disk_path": f"@hashed/{project.id}",
        "created_at": project.created_at,
        "repository_storage": "default",
    }


@get("/projects/{id}/statistics")
def fetch_statistics(call: Call) -> Any:
    call.project(access.MAINTAINER)
    return {"fetches": {"total": 0, "days": []}}


@get("/projects/{id}/avatar")
def project_avatar(call: Call) -> Any:
    from dayjob.company.forge.pages.files import file_response

    project = call.project()
    if not project.avatar:
        raise not_found("Avatar")
    blob, _, name = project.avatar.partition(":")
    return file_response(call.forge.company.blobs.path(blob).read_bytes(), name)


@get("/projects/{id}/invited_groups")
def invited_groups(call: Call) -> Any:
    project = call.project()
    invited = "SELECT group_id FROM live_links WHERE source_type='Project' AND source_id=?"
    seen = access.visible_groups(call.user)
    rows = call.store.all(Namespace, f"id IN ({invited}) AND {seen} ORDER BY id", project.id)
    return call.paged(rows, lambda one: shape.group(call, one))
