"""Protected branches and tags: who may push, merge, create and delete, by name or wildcard."""

from __future__ import annotations

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.git.reading import matches
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project, Protection, Record
from dayjob.company.forge.store import access, namespaces, records
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


def rules(store: Store, project: Project, kind: str, name: str) -> list[Protection]:
    """Every rule that covers the ref."""
    covering = listed(store, project, kind)
    if kind == "branch":
        covering += group_rules(store, namespaces.ancestors(store, project.namespace_id))
    return [rule for rule in covering if matches(rule.name, name)]


def listed(store: Store, project: Project, kind: str) -> list[Protection]:
    """A project's own rules for branches or tags."""
    return store.all(Protection, "project_id=? AND kind=? ORDER BY id", project.id, kind)


def find(store: Store, project: Project, kind: str, name: str) -> Protection | None:
    """A project's own rule of exactly that name."""
    return store.one(Protection, "project_id=? AND kind=? AND name=?", project.id, kind, name)


def get(store: Store, project: Project, kind: str, name: str) -> Protection:
    rule = find(store, project, kind, name)
    if rule is None:
        raise not_found()
    return rule


def create(store: Store, project: Project, kind: str, name: str, **levels: int) -> Protection:
    """A new rule; without levels, one for maintainers."""
    if find(store, project, kind, name) is not None:
        raise refused(409, f"Protected {kind} '{name}' already exists")
    return protect(store, project, kind, name, **levels)


def protect(store: Store, project: Project, kind: str, name: str, **levels: int) -> Protection:
    """The rule of that name, with these levels; what it does not name stays as it is."""
    rule = find(store, project, kind, name)
    if rule is None:
        store.insert("protected_refs", project_id=project.id, kind=kind, name=name, **levels)
    else:
        store.update("protected_refs", rule.id, **levels)
    return get(store, project, kind, name)


def unprotect(store: Store, project: Project, kind: str, name: str) -> None:
    """Remove a rule, if there is one."""
    rule = find(store, project, kind, name)
    if rule is not None:
        store.delete("protected_refs", rule.id)


# -- rules of groups ---------------------------------------------------------------------------------------------


def group_rules(store: Store, groups: list[int]) -> list[Protection]:
    """Rules that groups set for all their projects."""
    marks = placeholders(groups)
    rows = store.all(
        Record, f"kind='protected_branch' AND scope='group' AND scope_id IN ({marks}) ORDER BY id", *groups
    )
    return [Protection(record.id, 0, "branch", **record.values) for record in rows]


def get_in_group(store: Store, group: Namespace, name: str) -> Protection:
    for rule in group_rules(store, [group.id]):
        if rule.name == name:
            return rule
    raise not_found()


def create_in_group(store: Store, group: Namespace, name: str, **levels: int) -> Protection:
    """A new rule for all of a group's projects; `levels` are all three."""
    if any(rule.name == name for rule in group_rules(store, [group.id])):
        raise refused(409, f"Protected branch '{name}' already exists")
    records.create(store, "protected_branch", "group", group.id, name, {"name": name, **levels})
    return get_in_group(store, group, name)


def change_in_group(store: Store, group: Namespace, name: str, **levels: int) -> Protection:
    records.change(store, _group_record(store, group, name), {"name": name, **levels})
    return get_in_group(store, group, name)


def unprotect_in_group(store: Store, group: Namespace, name: str) -> None:
    records.delete(store, _group_record(store, group, name))


def _group_record(store: Store, group: Namespace, name: str) -> Record:
    named = records.named(store, "protected_branch", "group", group.id, name)
    if not named:
        raise not_found()
    return named[0]


# -- who may -----------------------------------------------------------------------------------------------------


def protects_history(store: Store, project: Project, branch: str) -> bool:
    """Whether the branch may only move forward."""
    found = rules(store, project, "branch", branch)
    return bool(found) and not any(rule.allow_force_push for rule in found)


def may_push(
    store: Store, user: User, project: Project, kind: str, name: str, *, deleting: bool = False, exists: bool = False,
    empty: bool = False,
) -> str | None:  # fmt: skip
    """Why someone may not push this branch or tag, or None."""
    level = access.project_level(store, user, project)
    if level < access.DEVELOPER:
        return "You are not allowed to push code to this project."
    found = rules(store, project, kind, name)
    if kind == "tag":
        if exists and level < access.MAINTAINER:
            return "You are not allowed to change existing tags on this project."
        if found and (deleting or exists):
            return "Protected tags cannot be deleted." if deleting else "Protected tags cannot be updated."
        if found and not any(_reaches(level, rule.push_level) for rule in found):
            return "You are not allowed to create this tag as it is protected."
        return None
    if not found or empty:
        return None
    if deleting:
        if level >= access.MAINTAINER:
            return "You can only delete protected branches using the web interface."
        return (
            "You are not allowed to delete protected branches from this project. Only a project maintainer or "
            "owner can delete a protected branch."
        )
    if not any(_reaches(level, rule.push_level) for rule in found):
        return "You are not allowed to push code to protected branches on this project."
    return None


def check_removal(store: Store, user: User, project: Project, branch: str) -> None:
    """The default branch stays; a protected one is removed by maintainers alone."""
    if branch == project.default_branch:
        raise refused(400, "Cannot remove HEAD branch")
    if access.project_level(store, user, project) < access.MAINTAINER and rules(store, project, "branch", branch):
        raise refused(405, "Protected branch cant be removed")


def may_merge(store: Store, user: User, project: Project, branch: str) -> bool:
    """Whether someone may merge into the branch."""
    level = access.project_level(store, user, project)
    found = rules(store, project, "branch", branch)
    if not found:
        return level >= access.DEVELOPER
    return any(_reaches(level, rule.merge_level) or _reaches(level, rule.push_level) for rule in found)


def _reaches(level: int, required: int) -> bool:
    return required != 0 and level >= required
