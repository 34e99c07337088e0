"""The forge's part of a world, read from `forge/` into a model; what is wrong is reported with file and line.

`groups.yml` (or `groups/*.yml`) lists groups; `projects/<group path>/<project>/` is a project: `project.yml`, its code
(`source/`, `repo.bundle`, `history.yml` with `history/…`), `issues.yml`, `merge_requests.yml`, `releases.yml`,
`pipelines.yml`, `schedules.yml` and `wiki/*.md`.
"""

from __future__ import annotations

import re

from dayjob.company.forge.world.code import find_bundle, read_code
from dayjob.company.forge.world.model import (
    Group,
    Project,
    Section,
)
from dayjob.company.forge.world.pipelines import read_pipelines
from dayjob.company.forge.world.reader import LEVELS, Reader
from dayjob.company.forge.world.schedules import read_schedules
from dayjob.company.forge.world.work import check_links, read_issues, read_merge_requests, read_releases
from dayjob.company.world import Located, World

_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_PROJECT_KEYS = {
    "name", "description", "visibility", "members", "default_branch", "topics", "labels", "milestones",
    "id", "protected_branches", "created", "archived", "merge_method", "settings", "author",
    "broken_ci",
}  # fmt: skip


def load(world: World) -> Section:
    """Read `forge/`; problems go to `world.problems`."""
    return _read(Reader(world))


def _read(reader: Reader) -> Section:
    section = Section()
    for file in [*reader.files.under("forge/groups.yml"), *reader.files.under("forge/groups/", ".yml")]:
        for facts in reader.mappings(reader.world.yaml(file), file, "groups"):
            _group(reader, section, facts, file)
    known = {group.path for group in section.groups}
    reader.outsiders.taken = {path.lower() for path in (*known, reader.admin)}
    for group in section.groups:
        parent = group.path.rpartition("/")[0]
        if parent and parent not in known:
            reader.wrong("forge/groups.yml", 0, f"'{group.path}' needs the group '{parent}'.", "Add it before.")
    folders = [name.removesuffix("/project.yml") for name in reader.files.under("forge/projects/", "/project.yml")]
    for folder in folders:
        _project(reader, section, folder, known)
    check_links(reader, section)
    for stray in reader.files.under("forge/"):
        if not stray.startswith(("forge/groups", *(f"{one}/" for one in folders))):
            reader.wrong(
                stray, 0, "The forge knows nothing to do with this file.", "See forge/ in the guide to worlds."
            )
    section.outsiders = reader.outsiders.found
    section.groups.sort(key=lambda one: one.path)
    return section


def _group(reader: Reader, section: Section, facts: Located, file: str) -> None:
    reader.keys(
        facts, {"path", "name", "description", "visibility", "members", "labels", "milestones", "created"}, file
    )
    path = reader.needed(facts, "path", file)
    if not all(_PATH.fullmatch(part) for part in path.split("/")):
        reader.wrong(file, facts.at("path"), f"'{path}' is not a group's path.", "Use letters, digits, '_', '-', '.'.")
    if any(group.path.lower() == path.lower() for group in section.groups) or reader.world.person(path):
        reader.wrong(file, facts.at("path"), f"The path '{path}' is taken.", "Paths are unique.", "duplicate")
    section.groups.append(
        Group(
            path, str(facts.get("name", path.rpartition("/")[2])), reader.optional(facts, "description") or "",
            reader.visibility(facts, file, "internal"), reader.members(facts, file), reader.labels(facts, file),
            reader.milestones(facts, file), reader.moment(facts, "created", file, reader.start),
        )
    )  # fmt: skip


def _project(reader: Reader, section: Section, folder: str, groups: set[str]) -> None:
    file = f"{folder}/project.yml"
    facts = reader.world.yaml(file)
    if facts is None:
        facts = Located()
        facts.line, facts.lines = 1, {}
    if not isinstance(facts, Located):
        reader.wrong(file, 1, "A project is a mapping.", "Start with 'description: …'.")
        return
    reader.keys(facts, _PROJECT_KEYS, file)
    group, _, path = folder.removeprefix("forge/projects/").rpartition("/")
    if group not in groups and reader.world.person(group) is None and group != reader.admin:
        reader.wrong(file, 1, f"There is no group or person '{group}'.", "Add the group to forge/groups.yml.")
    if not _PATH.fullmatch(path):
        reader.wrong(file, 1, f"'{path}' cannot be a project's path.", "Use letters, digits, '_', '-', '.'.")
    members = reader.members(facts, file)
    author = reader.person(facts["author"], file, facts.at("author")) if "author" in facts else next(
        (name for name, level in sorted(members.items(), key=lambda one: -one[1])), reader.admin
    )  # fmt: skip
    settings = facts.get("settings") or {}
    if "merge_method" in facts:
        settings = {**settings, "merge_method": facts["merge_method"]}
    bundle = find_bundle(reader, folder)
    usual = (bundle.head if bundle else None) or "main"
    project = Project(
        group, path, str(facts.get("name", path)), reader.optional(facts, "description"),
        reader.visibility(facts, file, "private"), members, str(facts.get("default_branch", usual)),
        reader.listed(facts, "topics", file), reader.labels(facts, file), reader.milestones(facts, file), [],
        reader.moment(facts, "created", file, reader.start), bool(facts.get("archived")), dict(settings), author,
    )  # fmt: skip
    project.id = _own_id(reader, section, facts, file)
    _protected(reader, project, facts, file)
    broken_ci = facts.get("broken_ci", False)
    if not isinstance(broken_ci, bool):
        reader.wrong(
            file, facts.at("broken_ci"), "'broken_ci' is true or false.", "Leave it out for a CI file that runs."
        )
    read_code(reader, project, folder, bundle, broken_ci=bool(broken_ci))
    read_issues(reader, section, project, f"{folder}/issues.yml")
    read_merge_requests(reader, section, project, f"{folder}/merge_requests.yml")
    read_releases(reader, project, f"{folder}/releases.yml")
    read_pipelines(reader, project, f"{folder}/pipelines.yml")
    read_schedules(reader, project, f"{folder}/schedules.yml")
    for page in reader.files.under(f"{folder}/wiki/", ".md"):
        text = reader.files.text(page)
        if text is not None:
            project.wiki[page.removeprefix(f"{folder}/wiki/")] = text
    section.projects.append(project)


def _own_id(reader: Reader, section: Section, facts: Located, file: str) -> int | None:
    """A project's own id, for tasks and graders that hold it."""
    id = facts.get("id")
    if id is None:
        return None
    if type(id) is not int or not 0 < id < 1_000_000_000:
        reader.wrong(file, facts.at("id"), f"'{id}' is not a project's id.", "Write a whole number, or leave it out.")
        return None
    for other in section.projects:
        if other.id == id:
            words = f"The id {id} is already that of {other.group}/{other.path}."
            reader.wrong(file, facts.at("id"), words, "Give each project an id of its own.", "duplicate")
    return id


def _protected(reader: Reader, project: Project, facts: Located, file: str) -> None:
    rules = reader.mappings(facts.get("protected_branches"), file, "protected branches", facts.at("protected_branches"))
    for one in rules:
        reader.keys(one, {"name", "push", "merge", "allow_force_push"}, file)
        levels = []
        for key in ("push", "merge"):
            level = one.get(key, "maintainer")
            if level not in (*LEVELS, "nobody"):
                reader.wrong(
                    file, one.at(key), f"'{level}' is no access level.", f"Known: nobody, {', '.join(LEVELS)}."
                )
            levels.append(LEVELS.get(level, 0))
        project.protected.append((reader.needed(one, "name", file), *levels, bool(one.get("allow_force_push"))))  # type: ignore[arg-type]  # the two levels
    if "protected_branches" not in facts:
        project.protected.append((project.default_branch, 40, 40, False))
