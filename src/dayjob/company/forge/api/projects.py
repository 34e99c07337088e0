"""Projects: list, create, change, archive, star, share, transfer, delete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dayjob.company.forge.api.call import Call, Json, created, not_modified
from dayjob.company.forge.api.filters import filtered_projects
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.api.uploads import keep_avatar
from dayjob.company.forge.api.users import someone
from dayjob.company.forge.errors import bad, forbidden, invalid, not_found, refused
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.reading import resolve, tree_entries
from dayjob.company.forge.git.repositories import ZERO, ref_sha, valid_branch
from dayjob.company.forge.git.writing import commit_actions
from dayjob.company.forge.merging import author
from dayjob.company.forge.pushes import noticed
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import DEFAULTS, Project
from dayjob.company.forge.shapes import projects as shape
from dayjob.company.forge.shapes import users as user_shape
from dayjob.company.forge.store import access, groups, members, namespaces, project_lists, projects, shares, stars
from dayjob.company.forge.store import settings as instance_settings
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.project_lists import Condition
from dayjob.company.rows import packed

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
        elif isinstance(default, bool) or name == "allow_merge_on_skipped_pipeline":
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


def _listed(call: Call, within: Condition = ("1", [])) -> Any:
    simple, statistics = bool(call.boolean("simple")), bool(call.boolean("statistics"))
    return call.listing(
        filtered_projects(call, within),
        lambda rows: shape.projects(call, rows, simple=simple, statistics=statistics),
    )


@get("/projects")
def list_projects(call: Call) -> Any:
    return _listed(call)


@get("/users/{id}/projects")
def user_projects(call: Call) -> Any:
    return _listed(call, project_lists.owned_by(someone(call)))


@get("/users/{id}/starred_projects")
def starred_projects(call: Call) -> Any:
    return _listed(call, project_lists.starred_by(someone(call)))


@get("/users/{id}/contributed_projects")
def contributed_projects(call: Call) -> Any:
    return _listed(call, project_lists.contributed_to_by(someone(call)))


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
    if call.text("import_url"):
        # As where the administrator allows no import from an address (`import_sources`).
        raise forbidden()
    if template := call.text("template_name"):
        raise invalid(template_name=[f"'{template}' is unknown or invalid"])
    space = place(call, owner, call.args.get("namespace_id"))
    default = call.text("default_branch") or instance_settings.get(call.store, "default_branch_name")
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
            visibility=call.visibility(instance_settings.default_visibility(call.store, "project", space)),
            description=call.text("description"),
            default_branch=default,
            topics=topics(call),
            **settings(call),
        )
        if image is not None:
            project = projects.change(call.store, project, {"avatar": keep_avatar(call, image)}, {})
        if call.boolean("initialize_with_readme"):
            _initialize(call, project)
    return created(shape.project(call, again(call, project)))


def place(call: Call, owner: User, wanted: Any) -> Namespace:
    """The namespace a project goes to: the one asked for, or the owner's own."""
    if wanted is None or wanted == "":
        own = namespaces.own(call.store, owner)
        if own is None:
            raise refused(403, "403 Forbidden - This account has no namespace of its own")
        return own
    return access.namespace_for_projects(call.store, call.me, str(wanted))


def _initialize(call: Call, project: Project) -> None:
    repo = call.store.repos.open(project.id)
    branch = project.default_branch or "main"
    who = author(call.store, call.me)
    text = f"# {project.name}\n\n{project.description or ''}\n".replace("\n\n\n", "\n")
    action = {"action": "create", "file_path": "README.md", "content": text}
    sha = commit_actions(repo, branch, None, [action], "Initial commit", who, who, None)
    noticed(call.store, call.me, project, [Moved(f"refs/heads/{branch}", ZERO, sha)], [])


def again(call: Call, project: Project) -> Project:
    return projects.get(call.store, project.id)


@get("/projects/{id}")
def show_project(call: Call) -> Any:
    project = call.project()
    if call.user is None:
        return shape.brief(call, project, namespaces.get(call.store, project.namespace_id))
    return shape.project(
        call, project, statistics=bool(call.boolean("statistics")), license=bool(call.boolean("license"))
    )


@put("/projects/{id}")
def change_project(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    values: dict[str, Any] = {}
    for name in ("name", "description"):
        if call.has(name):
            values[name] = call.text(name)
    if call.has("visibility"):
        values["visibility"] = call.visibility()
    branch = call.text("default_branch")
    if branch is not None:
        if not project.empty and ref_sha(call.store.repos.open(project.id), f"refs/heads/{branch}") is None:
            raise invalid(base=[f"Could not change HEAD: branch '{branch}' does not exist"])
        values["default_branch"] = branch
    if topics(call) is not None:
        values["topics"] = packed(topics(call))
    image = call.file("avatar")
    if image is None and call.has("avatar"):
        values["avatar"] = None
    if call.has("archived"):
        values["archived"] = int(bool(call.boolean("archived")))
    access.may_set(call.store, call.me, project, values)
    with call.store.transaction():
        changed = projects.change(call.store, project, values, settings(call), call.text("path"))
        if image is not None:
            changed = projects.change(call.store, changed, {"avatar": keep_avatar(call, image)}, {})
    if branch is not None and not project.empty:
        call.store.repos.open(project.id).set_head(f"refs/heads/{branch}")
    return shape.project(call, changed)


@delete("/projects/{id}")
def delete_project(call: Call) -> Any:
    project = call.project(access.OWNER)
    with call.store.transaction():
        projects.delete(call.store, project)
    return Json({"message": "202 Accepted"}, 202)


@post("/projects/{id}/archive")
def archive(call: Call) -> Any:
    return created(shape.project(call, projects.set_archived(call.store, call.project(access.OWNER), True)))


@post("/projects/{id}/unarchive")
def unarchive(call: Call) -> Any:
    return created(shape.project(call, projects.set_archived(call.store, call.project(access.OWNER), False)))


def _star(call: Call, change: Callable[[Store, User, Project], bool]) -> Any:
    project = call.project()
    if not change(call.store, call.me, project):
        return not_modified()
    return created(shape.project(call, again(call, project)))


post("/projects/{id}/star")(lambda call: _star(call, stars.star))
post("/projects/{id}/unstar")(lambda call: _star(call, stars.unstar))


@get("/projects/{id}/starrers")
def starrers(call: Call) -> Any:
    given = stars.of_project(call.store, call.project())
    people = user_shape.people(call, [user_id for user_id, _ in given])
    return call.paged(given, lambda star: {"starred_since": star[1], "user": people[star[0]]})


@get("/projects/{id}/users")
def project_users(call: Call) -> Any:
    listing = members.users_of(call.store, call.project(), call.text("search"))
    return call.listing(listing, lambda rows: [user_shape.basic(call, user) for user in rows])


@get("/projects/{id}/groups")
def project_groups(call: Call) -> Any:
    around = shares.groups_of(call.store, call.user, call.project(), invited=bool(call.boolean("with_shared")))
    return call.paged(around, lambda group: shape.group_brief(call, group))


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
    groups.transfer_project(call.store, call.me, project, str(call.args["namespace"]))
    return shape.project(call, again(call, project))


@get("/projects/{id}/transfer_locations")
def transfer_locations(call: Call) -> Any:
    locations = groups.project_transfer_locations(call.store, call.me, call.project(access.OWNER))
    return call.paged(locations, lambda group: {**shape.group_brief(call, group), "avatar_url": None})


@post("/projects/{id}/share")
def share_project(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.need("group_id", "group_access")
    other = call.group(name=str(call.integer("group_id")))
    link = shares.share(call.store, project, other, call.access_level("group_access"), call.text("expires_at"))
    return created(
        {
            "id": link,
            "project_id": project.id,
            "group_id": other.id,
            "group_access": call.integer("group_access"),
            "expires_at": call.text("expires_at"),
        }
    )


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
    invited = shares.invited_groups(call.store, call.user, call.project())
    return call.paged(invited, lambda group: shape.group(call, group))
