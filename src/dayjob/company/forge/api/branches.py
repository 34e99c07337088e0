"""Branches, tags, and the rules that protect them."""

from __future__ import annotations

import re
from typing import Any

import pygit2

from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.forge.api import code
from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, patch, post, put
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ZERO, RefMoved, delete_ref, ref_sha, set_ref, valid_branch
from dayjob.company.forge.merging import author
from dayjob.company.forge.pushes import Moved
from dayjob.company.forge.shapes import repository as shape
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import dumps, not_found, refused
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.protection import Protection, group_rules, may_push, rules

BRANCHES = "/projects/{id}/repository/branches"
TAGS = "/projects/{id}/repository/tags"


def _names(repo: pygit2.Repository, prefix: str) -> list[str]:
    return sorted(name.removeprefix(prefix) for name in repo.references if name.startswith(prefix))


def _searched(call: Call, names: list[str]) -> list[str]:
    text = call.text("search")
    if text:
        wanted = text.strip("^$").lower()
        if text.startswith("^") and text.endswith("$"):
            names = [name for name in names if name.lower() == wanted]
        elif text.startswith("^"):
            names = [name for name in names if name.lower().startswith(wanted)]
        elif text.endswith("$"):
            names = [name for name in names if name.lower().endswith(wanted)]
        else:
            names = [name for name in names if wanted in name.lower()]
    if call.text("regex"):
        try:
            pattern = expression(call.text("regex"))
        except InvalidExpression as error:
            raise bad(f"regex is invalid: {error}") from None
        names = [name for name in names if pattern.found_in(name)]
    return names


@get(BRANCHES)
def branches(call: Call) -> Any:
    project, repo = code.repository(call)
    names = _searched(call, _names(repo, "refs/heads/"))
    sort = call.choice("sort", ("name_asc", "updated_asc", "updated_desc"))
    if sort in ("updated_asc", "updated_desc"):
        times = {
            name: (reading.resolve(repo, f"refs/heads/{name}") or code.commit_at(call, project, repo, None)).commit_time
            for name in names
        }
        names.sort(key=lambda name: times[name], reverse=sort == "updated_desc")
    return call.paged(names, lambda name: _branch(call, project, repo, name))


def _branch(call: Call, project: Project, repo: pygit2.Repository, name: str) -> dict[str, Any]:
    found = reading.commit_of(repo, ref_sha(repo, f"refs/heads/{name}"))
    if found is None:
        raise not_found("Branch")
    head = ref_sha(repo, f"refs/heads/{project.default_branch}") if project.default_branch != name else None
    merged = head is not None and reading.is_ancestor(repo, str(found.id), head)
    return shape.branch(call, project, name, found, merged)


@get(f"{BRANCHES}/{{branch}}")
def branch(call: Call) -> Any:
    project, repo = code.repository(call)
    return _branch(call, project, repo, call.path["branch"])


@post(BRANCHES)
async def create_branch(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    call.need("branch", "ref")
    name = call.filled("branch")
    if not valid_branch(name):
        raise refused(400, "Branch name is invalid")
    code.check_push(call, project, name)
    if project.empty:
        await _first_commit(call, project, call.filled("ref"))
        project = call.project()
    start = reading.resolve(repo, call.filled("ref"))
    if start is None:
        raise refused(400, f"Invalid reference name: {call.text('ref')}")
    if ref_sha(repo, f"refs/heads/{name}") is not None:
        raise refused(400, "Branch already exists")
    try:
        set_ref(repo, f"refs/heads/{name}", str(start.id), None)
    except RefMoved as error:
        raise refused(400, f"Failed to create branch '{name}': {error}") from error
    await code.settle(call, project, [Moved(f"refs/heads/{name}", ZERO, str(start.id))])
    return created(_branch(call, project, repo, name))


async def _first_commit(call: Call, project: Project, ref: str) -> None:
    """A branch asked of an empty project: the default branch comes into being first, with an empty README."""
    default = project.default_branch or "main"
    if ref == default:
        call.args["commit_message"] = "Add README.md"
        await code.commit(call, project, default, None, [{"action": "create", "file_path": "README.md", "content": ""}])


@delete(f"{BRANCHES}/{{branch}}")
async def delete_branch(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    name = call.path["branch"]
    old = ref_sha(repo, f"refs/heads/{name}")
    if old is None:
        raise not_found("Branch")
    if name == project.default_branch:
        raise refused(400, "Cannot remove HEAD branch")
    if (
        rules(call.store, project, "branch", name)
        and access.project_level(call.store, call.user, project) < access.MAINTAINER
    ):
        raise refused(405, "Protected branch cant be removed")
    delete_ref(repo, f"refs/heads/{name}")
    await code.settle(call, project, [Moved(f"refs/heads/{name}", old, ZERO)])
    return no_content()


@delete("/projects/{id}/repository/merged_branches")
async def delete_merged(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    head = ref_sha(repo, f"refs/heads/{project.default_branch}")
    moved = []
    for name in _names(repo, "refs/heads/"):
        sha = ref_sha(repo, f"refs/heads/{name}")
        if (
            name != project.default_branch
            and sha
            and head
            and reading.is_ancestor(repo, sha, head)
            and not rules(call.store, project, "branch", name)
        ):
            delete_ref(repo, f"refs/heads/{name}")
            moved.append(Moved(f"refs/heads/{name}", sha, ZERO))
    if moved:
        await code.settle(call, project, moved)
    return Json({"message": "202 Accepted"}, 202)


# -- tags --------------------------------------------------------------------------------------------------------


@get(TAGS)
def tags(call: Call) -> Any:
    project, repo = code.repository(call)
    names = _searched(call, _names(repo, "refs/tags/"))
    order = call.choice("order_by", ("updated", "name", "version"), "updated")
    down = call.choice("sort", ("asc", "desc"), "desc") == "desc"
    if order == "name":
        names.sort(reverse=down)
    elif order == "version":
        names.sort(
            key=lambda name: [(int(one) if one.isdigit() else -1, one) for one in re.split(r"(\d+)", name)],
            reverse=down,
        )
    else:
        names.sort(
            key=lambda name: (code.commit_at(call, project, repo, f"refs/tags/{name}").commit_time, name), reverse=down
        )
    return call.paged(
        names, lambda name: shape.tag(call, project, repo, name, ref_sha(repo, f"refs/tags/{name}") or "")
    )


def _tag(call: Call, project: Project, repo: pygit2.Repository) -> tuple[str, str]:
    name = call.path["tag"]
    sha = ref_sha(repo, f"refs/tags/{name}")
    if sha is None:
        raise not_found("Tag")
    return name, sha


@get(f"{TAGS}/{{tag}}")
def tag(call: Call) -> Any:
    project, repo = code.repository(call)
    return shape.tag(call, project, repo, *_tag(call, project, repo))


def make_tag(call: Call, project: Project, repo: pygit2.Repository, name: str, ref: str, message: str | None) -> Moved:
    """Write a tag; annotated when it has a message."""
    if not valid_branch(name):
        raise refused(400, "Tag name invalid")
    refusal = may_push(call.store, call.me, project, "tag", name)
    if refusal:
        raise refused(400, refusal)
    if ref_sha(repo, f"refs/tags/{name}") is not None:
        raise refused(400, f"Tag {name} already exists")
    start = reading.resolve(repo, ref)
    if start is None:
        raise refused(400, f"Target {ref} is invalid")
    sha = str(start.id)
    if message:
        who = author(call.store, call.me).signature()
        # libgit2 writes the ref along with the object.
        sha = str(repo.create_tag(name, start.id, pygit2.enums.ObjectType.COMMIT, who, message))
        return Moved(f"refs/tags/{name}", ZERO, sha)
    try:
        set_ref(repo, f"refs/tags/{name}", sha, None)
    except RefMoved as error:
        raise refused(400, f"Failed to create tag '{name}': {error}") from error
    return Moved(f"refs/tags/{name}", ZERO, sha)


@post(TAGS)
async def create_tag(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    call.need("tag_name", "ref")
    moved = make_tag(call, project, repo, call.filled("tag_name"), call.filled("ref"), call.text("message"))
    await code.settle(call, project, [moved])
    return created(shape.tag(call, project, repo, call.text("tag_name"), moved.new))


@delete(f"{TAGS}/{{tag}}")
async def delete_tag(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    name, sha = _tag(call, project, repo)
    refusal = may_push(call.store, call.me, project, "tag", name, deleting=True)
    if refusal:
        raise refused(403, f"403 Forbidden - {refusal}")
    delete_ref(repo, f"refs/tags/{name}")
    await code.settle(call, project, [Moved(f"refs/tags/{name}", sha, ZERO)])
    return no_content()


@get(f"{TAGS}/{{tag}}/signature")
def tag_signature(call: Call) -> Any:
    project, repo = code.repository(call)
    _tag(call, project, repo)
    raise not_found("Signature")


# -- protection --------------------------------------------------------------------------------------------------

PROTECTED = "/projects/{id}/protected_branches"
LEVELS = (0, 30, 40, 60)


def _level(call: Call, single: str, several: str, default: int) -> int:
    if call.integer(single) is not None:
        number: int = call.integer(single)
    else:
        listed = call.args.get(several)
        numbers = []
        for one in listed if isinstance(listed, list) else []:
            if (
                isinstance(one, dict)
                and one.get("access_level") is not None
                and str(one.get("_destroy", "")).lower() not in ("true", "1")
            ):
                numbers.append(int(one["access_level"]) if str(one["access_level"]).isdigit() else -1)
        if not numbers:
            return default
        number = min(numbers)
    if number not in LEVELS:
        raise bad(f"{single} does not have a valid value")
    return number


def _rule(call: Call, project: Project, kind: str, name: str) -> Protection:
    found = call.store.one(Protection, "project_id=? AND kind=? AND name=?", project.id, kind, name)
    if found is None:
        raise not_found()
    return found


@get(PROTECTED)
def protected_branches(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    rows = call.store.all(Protection, "project_id=? AND kind='branch' ORDER BY id", project.id)
    if call.text("search"):
        rows = [one for one in rows if call.text("search").lower() in one.name.lower()]
    return call.paged(rows, shape.protected_branch)


@get(f"{PROTECTED}/{{name}}")
def protected_branch(call: Call) -> Any:
    return shape.protected_branch(_rule(call, call.project(access.DEVELOPER), "branch", call.path["name"]))


@post(PROTECTED)
def protect_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    name = call.filled("name")
    if call.store.value(
        "SELECT 1 FROM protected_refs WHERE project_id=? AND kind='branch' AND name=?", project.id, name
    ):
        raise refused(409, f"Protected branch '{name}' already exists")
    call.store.insert(
        "protected_refs", project_id=project.id, kind="branch", name=name,
        push_level=_level(call, "push_access_level", "allowed_to_push", 40),
        merge_level=_level(call, "merge_access_level", "allowed_to_merge", 40),
        allow_force_push=int(bool(call.boolean("allow_force_push", False))),
    )  # fmt: skip
    return created(shape.protected_branch(_rule(call, project, "branch", name)))


@patch(f"{PROTECTED}/{{name}}")
def change_protected_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rule = _rule(call, project, "branch", call.path["name"])
    call.store.update(
        "protected_refs", rule.id,
        push_level=_level(call, "push_access_level", "allowed_to_push", rule.push_level),
        merge_level=_level(call, "merge_access_level", "allowed_to_merge", rule.merge_level),
        allow_force_push=int(bool(call.boolean("allow_force_push", bool(rule.allow_force_push)))),
    )  # fmt: skip
    return shape.protected_branch(_rule(call, project, "branch", rule.name))


@delete(f"{PROTECTED}/{{name}}")
def unprotect_branch(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.store.delete("protected_refs", _rule(call, project, "branch", call.path["name"]).id)
    return no_content()


GROUP_PROTECTED = "/groups/{id}/protected_branches"


def _group_rule(call: Call, group_id: int, name: str) -> Protection:
    for rule in group_rules(call.store, [group_id]):
        if rule.name == name:
            return rule
    raise not_found()


def _group_body(call: Call, name: str, old: Protection | None) -> str:
    return dumps(
        {
            "name": name,
            "push_level": _level(call, "push_access_level", "allowed_to_push", old.push_level if old else 40),
            "merge_level": _level(call, "merge_access_level", "allowed_to_merge", old.merge_level if old else 40),
            "allow_force_push": int(
                bool(call.boolean("allow_force_push", bool(old.allow_force_push) if old else False))
            ),
        }
    )


@get(GROUP_PROTECTED)
def group_protected_branches(call: Call) -> Any:
    return call.paged(group_rules(call.store, [call.group(access.OWNER).id]), shape.protected_branch)


@get(f"{GROUP_PROTECTED}/{{name}}")
def group_protected_branch(call: Call) -> Any:
    return shape.protected_branch(_group_rule(call, call.group(access.OWNER).id, call.path["name"]))


@post(GROUP_PROTECTED)
def protect_in_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    name, now = call.filled("name"), call.store.now()
    if any(rule.name == name for rule in group_rules(call.store, [group.id])):
        raise refused(409, f"Protected branch '{name}' already exists")
    call.store.insert(
        "records",
        kind="protected_branch",
        scope="group",
        scope_id=group.id,
        name=name,
        body=_group_body(call, name, None),
        created_at=now,
        updated_at=now,
    )
    return created(shape.protected_branch(_group_rule(call, group.id, name)))


@patch(f"{GROUP_PROTECTED}/{{name}}")
def change_in_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    rule = _group_rule(call, group.id, call.path["name"])
    call.store.update("records", rule.id, body=_group_body(call, rule.name, rule), updated_at=call.store.now())
    return shape.protected_branch(_group_rule(call, group.id, rule.name))


@delete(f"{GROUP_PROTECTED}/{{name}}")
def unprotect_in_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    call.store.delete("records", _group_rule(call, group.id, call.path["name"]).id)
    return no_content()


@put(f"{BRANCHES}/{{branch}}/protect")
def old_protect(call: Call) -> Any:
    project, repo = code.repository(call, access.MAINTAINER)
    name = call.path["branch"]
    found = _branch(call, project, repo, name)
    push = 30 if call.boolean("developers_can_push") else 40
    merge = 30 if call.boolean("developers_can_merge") else 40
    call.store.db.execute(
        "INSERT INTO protected_refs (project_id, kind, name, push_level, merge_level) VALUES (?,'branch',?,?,?) "
        "ON CONFLICT (project_id, kind, name) DO UPDATE SET push_level=excluded.push_level, "
        "merge_level=excluded.merge_level",
        (project.id, name, push, merge),
    )
    return _branch(call, project, repo, found["name"])


@put(f"{BRANCHES}/{{branch}}/unprotect")
def old_unprotect(call: Call) -> Any:
    project, repo = code.repository(call, access.MAINTAINER)
    name = call.path["branch"]
    call.store.db.execute(
        "DELETE FROM protected_refs WHERE project_id=? AND kind='branch' AND name=?", (project.id, name)
    )
    return _branch(call, project, repo, name)


@get("/projects/{id}/protected_tags")
def protected_tags(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    return call.paged(
        call.store.all(Protection, "project_id=? AND kind='tag' ORDER BY id", project.id), shape.protected_tag
    )


@get("/projects/{id}/protected_tags/{name}")
def protected_tag(call: Call) -> Any:
    return shape.protected_tag(_rule(call, call.project(access.MAINTAINER), "tag", call.path["name"]))


@post("/projects/{id}/protected_tags")
def protect_tag(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    name = call.filled("name")
    if call.store.value("SELECT 1 FROM protected_refs WHERE project_id=? AND kind='tag' AND name=?", project.id, name):
        raise refused(409, f"Protected tag '{name}' already exists")
    call.store.insert(
        "protected_refs", project_id=project.id, kind="tag", name=name,
        push_level=_level(call, "create_access_level", "allowed_to_create", 40),
    )  # fmt: skip
    return created(shape.protected_tag(_rule(call, project, "tag", name)))


@delete("/projects/{id}/protected_tags/{name}")
def unprotect_tag(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    call.store.delete("protected_refs", _rule(call, project, "tag", call.path["name"]).id)
    return no_content()
