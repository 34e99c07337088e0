"""The forge's part of a world, read from `forge/` into a model; what is wrong is reported with file and line.

`groups.yml` (or `groups/*.yml`) lists groups; `projects/<group path>/<project>/` is a project: `project.yml`, its code
(`source/`, `repo.bundle`, `history.yml` with `history/…`), `issues.yml`, `merge_requests.yml`, `releases.yml` and
`wiki/*.md`.
"""

from __future__ import annotations

import os
import re
from typing import Any

import pygit2

from dayjob.company.clock import stamp
from dayjob.company.forge.world_model import (
    Comment,
    Commit,
    Group,
    Issue,
    Label,
    MergeRequest,
    Milestone,
    Project,
    Release,
    Section,
)
from dayjob.company.forge.world_patch import BadPatch, Tree, Trees
from dayjob.company.world import Located, Person, World
from dayjob.company.world.yaml import parse_moment

LEVELS = {"guest": 10, "planner": 15, "reporter": 20, "developer": 30, "maintainer": 40, "owner": 50}
VISIBILITY = {"private": 0, "internal": 10, "public": 20}
START = "2024-01-01T00:00:00.000Z"
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_PROJECT_KEYS = {
    "name", "description", "visibility", "members", "default_branch", "topics", "labels", "milestones",
    "protected_branches", "created", "archived", "merge_method", "settings", "author", "variables",
}  # fmt: skip


def load(world: World) -> Section:
    """Read `forge/`; problems go to `world.problems`."""
    return _Reader(world).read()


class _Reader:
    def __init__(self, world: World) -> None:
        self.world = world
        self.files = world.files
        admin = world.info.accounts.get("forge", {})
        self.admin = str(admin.get("username", "root"))
        self.start = stamp(world.info.now) if world.info.now else START

    def wrong(self, file: str, line: int, message: str, fix: str = "", rule: str = "forge") -> None:
        self.world.problems.add(rule, file, line, message, fix)

    # -- small readers -------------------------------------------------------------------------------------------

    def person(self, name: object, file: str, line: int) -> str:
        """A username; the administrator may be named too."""
        if str(name) == self.admin:
            return self.admin
        found = self.world.known(name, file, line)
        return found.username if found else self.admin

    def signer(self, name: object, file: str, line: int) -> Person:
        if str(name) == self.admin:
            host = self.world.info.host
            return Person("Administrator", self.admin, f"admin@{host}", None, "", "", (), {}, file)
        return self.world.known(name, file, line) or self.signer(self.admin, file, line)

    def moment(self, facts: Located, key: str, file: str, default: str) -> str:
        value = facts.get(key)
        if value is None:
            return default
        found = parse_moment(value)
        if found is None:
            self.wrong(file, facts.at(key), f"'{value}' is not a date and time.", "Write 2026-03-02T09:30:00Z.")
            return default
        return stamp(found)

    def day(self, facts: Located, key: str, file: str) -> str | None:
        value = facts.get(key)
        if value is None:
            return None
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) or parse_moment(value) is None:
            self.wrong(file, facts.at(key), f"'{value}' is not a day.", "Write 2026-03-16.")
            return None
        return str(value)

    def keys(self, facts: Located, known: set[str], file: str) -> None:
        for key in facts:
            if key not in known:
                self.wrong(file, facts.at(key), f"'{key}' means nothing here.", f"Known: {', '.join(sorted(known))}.")

    def mappings(self, value: Any, file: str, what: str, line: int = 1) -> list[Located]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong(file, line, f"This must be a list of {what}.", "Begin each with '- '.")
            return []
        found = []
        for one in value:
            if isinstance(one, Located):
                found.append(one)
            else:
                self.wrong(file, line, f"Each of the {what} is a mapping.", "Write 'key: value' lines.")
        return found

    def needed(self, facts: Located, key: str, file: str) -> str:
        value = facts.get(key)
        if not isinstance(value, str) or not value.strip():
            self.wrong(file, facts.line, f"'{key}' is missing.", f"Add '{key}: …'.")
            return "?"
        return value.strip()

    def optional(self, facts: Located, key: str) -> str | None:
        value = facts.get(key)
        return str(value).rstrip("\n") if value is not None else None

    def listed(self, facts: Located, key: str, file: str) -> list[str]:
        value = facts.get(key) or []
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list):
            self.wrong(file, facts.at(key), f"'{key}' must be a list.", f"Write {key}: [one, two].")
            return []
        return [str(one) for one in value]

    def people(self, facts: Located, key: str, file: str) -> list[str]:
        return [self.person(one, file, facts.at(key)) for one in self.listed(facts, key, file)]

    def members(self, facts: Located, file: str) -> dict[str, int]:
        value = facts.get("members")
        if value is None:
            return {}
        if not isinstance(value, Located):
            self.wrong(file, facts.at("members"), "'members' maps a username to a level.", "Write sam.reed: developer.")
            return {}
        found = {}
        for name, level in value.items():
            if level not in LEVELS and level not in LEVELS.values():
                self.wrong(file, value.at(name), f"'{level}' is no access level.", f"Known: {', '.join(LEVELS)}.")
                continue
            found[self.person(name, file, value.at(name))] = LEVELS.get(level, level)
        return found

    def visibility(self, facts: Located, file: str, default: str) -> int:
        value = facts.get("visibility", default)
        if value not in VISIBILITY:
            self.wrong(file, facts.at("visibility"), f"'{value}' is no visibility.", f"Known: {', '.join(VISIBILITY)}.")
            return 0
        return VISIBILITY[value]

    def labels(self, facts: Located, file: str) -> list[Label]:
        found: list[Label] = []
        for one in self.mappings(facts.get("labels"), file, "labels", facts.at("labels")):
            self.keys(one, {"name", "color", "description"}, file)
            name = self.needed(one, "name", file)
            color = str(one.get("color", "#6699cc"))
            if not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
                self.wrong(file, one.at("color"), f"'{color}' is no colour.", 'Write "#6699cc", in quotes.')
            if any(label.name == name for label in found):
                self.wrong(file, one.line, f"The label '{name}' stands here twice.", "Keep one.", "duplicate")
            found.append(Label(name, color, self.optional(one, "description")))
        return found

    def milestones(self, facts: Located, file: str) -> list[Milestone]:
        found: list[Milestone] = []
        for one in self.mappings(facts.get("milestones"), file, "milestones", facts.at("milestones")):
            self.keys(one, {"title", "description", "due", "start", "state"}, file)
            title = self.needed(one, "title", file)
            state = str(one.get("state", "active"))
            if state not in ("active", "closed"):
                self.wrong(file, one.at("state"), f"A milestone is active or closed, not '{state}'.")
            if any(milestone.title == title for milestone in found):
                self.wrong(file, one.line, f"The milestone '{title}' stands here twice.", "Keep one.", "duplicate")
            found.append(
                Milestone(
                    title,
                    self.optional(one, "description"),
                    self.day(one, "due", file),
                    self.day(one, "start", file),
                    state,
                )
            )
        return found

    def comments(self, facts: Located, file: str, after: str, key: str = "comments") -> list[Comment]:
        found = []
        for one in self.mappings(facts.get(key), file, "comments", facts.at(key)):
            self.keys(one, {"author", "at", "body", "place", "replies", "resolved_by"}, file)
            author = self.person(one.get("author"), file, one.at("author"))
            at = self.moment(one, "at", file, after)
            comment = Comment(author, at, self.needed(one, "body", file))
            if "place" in one:
                path, _, line = str(one["place"]).rpartition(":")
                if not path or not line.isdigit():
                    self.wrong(
                        file,
                        one.at("place"),
                        f"'{one['place']}' is not a line of a file.",
                        "Write place: path/file:12.",
                    )
                else:
                    comment.place = (path, int(line))
            comment.replies = self.comments(one, file, at, "replies")
            if "resolved_by" in one:
                comment.resolved_by = self.person(one["resolved_by"], file, one.at("resolved_by"))
            found.append(comment)
        return found

    def number(self, facts: Located, project: Project, file: str) -> int:
        """An issue's number: its own, or the one after the issue before it."""
        last = project.issues[-1].number if project.issues else 0
        number = facts.get("number", last + 1)
        if type(number) is int and last < number < 1_000_000_000:
            return number
        self.wrong(
            file, facts.at("number"), f"'{number}' is no number for this issue.",
            f"Write a whole number above {last}, or leave it out; issues are in the order of their numbers.",
        )  # fmt: skip
        return last + 1

    def links(self, facts: Located, project: Project, file: str) -> list[tuple[str, int]]:
        """Issues that an issue relates to: `3` in the same project, `group/project#3` elsewhere."""
        found = []
        for one in self.listed(facts, "links", file):
            path, _, number = one.rpartition("#")
            if not number.isdigit():
                self.wrong(file, facts.at("links"), f"'{one}' is no issue.", "Write links: [3, group/project#4].")
                continue
            found.append((path or f"{project.group}/{project.path}", int(number)))
        return found

    def check_links(self, section: Section) -> None:
        there = {f"{one.group}/{one.path}": {issue.number for issue in one.issues} for one in section.projects}
        for project in section.projects:
            file = f"forge/projects/{project.group}/{project.path}/issues.yml"
            for issue in project.issues:
                for path, number in issue.links:
                    if number not in there.get(path, ()):
                        self.wrong(
                            file, 0, f"'{issue.title}' is linked to {path}#{number}, which does not exist.",
                            "Count the issues of that project from 1, or on from their 'number'.", "dangling",
                        )  # fmt: skip

    # -- groups and projects -------------------------------------------------------------------------------------

    def read(self) -> Section:
        section = Section()
        for file in [*self.files.under("forge/groups.yml"), *self.files.under("forge/groups/", ".yml")]:
            for facts in self.mappings(self.world.yaml(file), file, "groups"):
                self.group(section, facts, file)
        known = {group.path for group in section.groups}
        for group in section.groups:
            parent = group.path.rpartition("/")[0]
            if parent and parent not in known:
                self.wrong("forge/groups.yml", 0, f"'{group.path}' needs the group '{parent}'.", "Add it before.")
        folders = [name.removesuffix("/project.yml") for name in self.files.under("forge/projects/", "/project.yml")]
        for folder in folders:
            self.project(section, folder, known)
        self.check_links(section)
        for stray in self.files.under("forge/"):
            if not stray.startswith(("forge/groups", *(f"{one}/" for one in folders))):
                self.wrong(
                    stray, 0, "The forge knows nothing to do with this file.", "See forge/ in the guide to worlds."
                )
        section.groups.sort(key=lambda one: one.path)
        return section

    def group(self, section: Section, facts: Located, file: str) -> None:
        self.keys(
            facts, {"path", "name", "description", "visibility", "members", "labels", "milestones", "created"}, file
        )
        path = self.needed(facts, "path", file)
        if not all(_PATH.fullmatch(part) for part in path.split("/")):
            self.wrong(
                file, facts.at("path"), f"'{path}' is not a group's path.", "Use letters, digits, '_', '-', '.'."
            )
        if any(group.path.lower() == path.lower() for group in section.groups) or self.world.person(path):
            self.wrong(file, facts.at("path"), f"The path '{path}' is taken.", "Paths are unique.", "duplicate")
        section.groups.append(
            Group(
                path, str(facts.get("name", path.rpartition("/")[2])), self.optional(facts, "description") or "",
                self.visibility(facts, file, "internal"), self.members(facts, file), self.labels(facts, file),
                self.milestones(facts, file), self.moment(facts, "created", file, self.start),
            )
        )  # fmt: skip

    def project(self, section: Section, folder: str, groups: set[str]) -> None:
        file = f"{folder}/project.yml"
        facts = self.world.yaml(file)
        if facts is None:
            facts = Located()
            facts.line, facts.lines = 1, {}
        if not isinstance(facts, Located):
            self.wrong(file, 1, "A project is a mapping.", "Start with 'description: …'.")
            return
        self.keys(facts, _PROJECT_KEYS, file)
        group, _, path = folder.removeprefix("forge/projects/").rpartition("/")
        if group not in groups and self.world.person(group) is None and group != self.admin:
            self.wrong(file, 1, f"There is no group or person '{group}'.", "Add the group to forge/groups.yml.")
        if not _PATH.fullmatch(path):
            self.wrong(file, 1, f"'{path}' cannot be a project's path.", "Use letters, digits, '_', '-', '.'.")
        members = self.members(facts, file)
        author = self.person(facts["author"], file, facts.at("author")) if "author" in facts else next(
            (name for name, level in sorted(members.items(), key=lambda one: -one[1])), self.admin
        )  # fmt: skip
        settings = facts.get("settings") or {}
        if "merge_method" in facts:
            settings = {**settings, "merge_method": facts["merge_method"]}
        project = Project(
            group, path, str(facts.get("name", path)), self.optional(facts, "description"),
            self.visibility(facts, file, "private"), members, str(facts.get("default_branch", "main")),
            self.listed(facts, "topics", file), self.labels(facts, file), self.milestones(facts, file), [],
            self.moment(facts, "created", file, self.start), bool(facts.get("archived")), dict(settings), author,
        )  # fmt: skip
        self.protected(project, facts, file)
        self.code(project, folder)
        self.issues(section, project, f"{folder}/issues.yml")
        self.merge_requests(section, project, f"{folder}/merge_requests.yml")
        self.releases(project, f"{folder}/releases.yml")
        for page in self.files.under(f"{folder}/wiki/", ".md"):
            text = self.files.text(page)
            if text is not None:
                project.wiki[page.removeprefix(f"{folder}/wiki/")] = text
        section.projects.append(project)

    def protected(self, project: Project, facts: Located, file: str) -> None:
        rules = self.mappings(
            facts.get("protected_branches"), file, "protected branches", facts.at("protected_branches")
        )
        for one in rules:
            self.keys(one, {"name", "push", "merge", "allow_force_push"}, file)
            levels = []
            for key in ("push", "merge"):
                level = one.get(key, "maintainer")
                if level not in (*LEVELS, "nobody"):
                    self.wrong(
                        file, one.at(key), f"'{level}' is no access level.", f"Known: nobody, {', '.join(LEVELS)}."
                    )
                levels.append(LEVELS.get(level, 0))
            project.protected.append((self.needed(one, "name", file), *levels, bool(one.get("allow_force_push"))))  # type: ignore[arg-type]  # the two levels
        if "protected_branches" not in facts:
            project.protected.append((project.default_branch, 40, 40, False))

    # -- code ----------------------------------------------------------------------------------------------------

    def tree(self, prefix: str) -> Tree:
        found: Tree = {}
        for name in self.files.under(prefix):
            path = self.files.path(name)
            found[name.removeprefix(prefix)] = (path.read_bytes(), os.access(path, os.X_OK))
        return found

    def code(self, project: Project, folder: str) -> None:
        bundle = f"{folder}/repo.bundle"
        if bundle in self.files:
            project.bundle = self.files.path(bundle)
            if not project.bundle.read_bytes()[:32].startswith(b"# v"):
                self.wrong(
                    bundle, 0, "This is not a git bundle.", "Make one with 'git bundle create repo.bundle --all'."
                )
                project.bundle = None
        source = self.tree(f"{folder}/source/")
        file = f"{folder}/history.yml"
        entries = self.mappings(self.world.yaml(file), file, "commits") if file in self.files else []
        if source and not any(one.get("source") for one in entries):
            signer = self.signer(project.author, file, 0)
            first = parse_moment(project.created)
            assert first is not None
            project.history.append(
                Commit(
                    signer,
                    int(first.timestamp()),
                    "Initial commit\n",
                    project.default_branch,
                    None,
                    source,
                    None,
                    None,
                    None,
                )
            )
        trees = Trees()
        for made in project.history:
            trees.start(made.branch, None)
            trees.commit(made.branch, made.files)
        for one in entries:
            self.commit(project, one, file, folder, source, trees)

    def commit(self, project: Project, one: Located, file: str, folder: str, source: Tree, trees: Trees) -> None:
        self.keys(
            one,
            {
                "author", "at", "message", "branch", "from", "files", "folder", "source", "patch", "merge", "tag",
                "tag_message",
            },
            file,
        )  # fmt: skip
        branches = trees.at
        branch = str(one.get("branch", project.default_branch))
        if not pygit2.reference_is_valid_name(f"refs/heads/{branch}"):
            self.wrong(file, one.at("branch"), f"'{branch}' cannot be a branch's name.", "See git check-ref-format.")
            return
        start = one.get("from", project.default_branch if branch not in branches and branches else None)
        for key, name in (("from", start), ("merge", one.get("merge"))):
            if name is not None and str(name) not in branches:
                self.wrong(
                    file, one.at(key), f"No branch '{name}' exists at this point of the history.", "Make it first."
                )
                return
        if branch not in branches:
            trees.start(branch, None if start is None else str(start))
        if "merge" in one:
            trees.merge(branch, str(one["merge"]))
        files = self.from_source(one, source, file)
        if one.get("folder") is not None:
            prefix = f"{folder}/history/{one['folder']}/"
            added = self.tree(prefix)
            if not added:
                self.wrong(
                    file, one.at("folder"), f"There are no files in '{prefix}'.", "Put the commit's files there."
                )
            files.update(added)
        inline = one.get("files")
        if isinstance(inline, Located):
            for path, content in inline.items():
                files[path] = None if content is None else (str(content).encode(), False)
        elif inline is not None:
            self.wrong(file, one.at("files"), "'files' maps a path to its content.", "Write README.md: |")
        trees.commit(branch, files)
        files.update(self.patched(one, trees, branch, file))
        trees.commit(branch, files)
        moment = parse_moment(one.get("at"))
        if moment is None:
            self.wrong(file, one.at("at"), f"'{one.get('at')}' is not a date and time.", "Write 2026-03-02T09:30:00Z.")
            return
        message = self.needed(one, "message", file)
        project.history.append(
            Commit(
                self.signer(one.get("author", project.author), file, one.at("author")),
                int(moment.timestamp()),
                message + "\n",
                branch,
                str(start) if start is not None else None,
                files,
                str(one["merge"]) if "merge" in one else None,
                self.optional(one, "tag"),
                self.optional(one, "tag_message"),
            )
        )

    def patched(self, one: Located, trees: Trees, branch: str, file: str) -> Tree:
        patches = one.get("patch")
        if patches is None:
            return {}
        if not isinstance(patches, Located):
            self.wrong(file, one.at("patch"), "'patch' maps a path to its hunks.", "Write README.md: | and then @@.")
            return {}
        found: Tree = {}
        for path, patch in patches.items():
            try:
                found[path] = trees.patched(branch, path, str(patch))
            except (BadPatch, UnicodeDecodeError) as error:
                self.wrong(file, patches.at(path), str(error), "See 'patch' in the guide to worlds.")
        return found

    def from_source(self, one: Located, source: Tree, file: str) -> Tree:
        """The part of `source/` that a commit brings: all of it, or the files and folders it lists."""
        wanted = one.get("source")
        if not isinstance(wanted, list):
            return dict(source) if wanted else {}
        found: Tree = {}
        for name in wanted:
            part = {path: content for path, content in source.items() if path == name or path.startswith(f"{name}/")}
            if not part:
                self.wrong(file, one.at("source"), f"There is no '{name}' in source/.", "Put it there.", "dangling")
            found.update(part)
        return found

    # -- work ----------------------------------------------------------------------------------------------------

    def known_names(self, section: Section, project: Project) -> tuple[set[str], set[str]]:
        """Labels and milestones that count in a project: its own and its groups'."""
        above = [one for one in section.groups if project.group == one.path or project.group.startswith(f"{one.path}/")]
        places: list[Project | Group] = [project, *above]
        labels = {label.name for place in places for label in place.labels}
        milestones = {milestone.title for place in places for milestone in place.milestones}
        return labels, milestones

    def tags(self, section: Section, project: Project, one: Located, file: str) -> tuple[list[str], str | None]:
        labels, milestones = self.known_names(section, project)
        wanted = self.listed(one, "labels", file)
        for name in wanted:
            if name not in labels:
                self.wrong(
                    file,
                    one.at("labels"),
                    f"There is no label '{name}'.",
                    "Add it to project.yml or its group.",
                    "dangling",
                )
        milestone = self.optional(one, "milestone")
        if milestone is not None and milestone not in milestones:
            self.wrong(
                file, one.at("milestone"), f"There is no milestone '{milestone}'.", "Add it to project.yml.", "dangling"
            )
            milestone = None
        return [name for name in wanted if name in labels], milestone

    def issues(self, section: Section, project: Project, file: str) -> None:
        if file not in self.files:
            return
        for one in self.mappings(self.world.yaml(file), file, "issues"):
            self.keys(
                one,
                {
                    "number",
                    "title",
                    "description",
                    "author",
                    "at",
                    "labels",
                    "milestone",
                    "assignees",
                    "state",
                    "closed",
                    "closed_by",
                    "due",
                    "weight",
                    "confidential",
                    "comments",
                    "links",
                },
                file,
            )
            at = self.moment(one, "at", file, project.created)
            state = one.get("state", "opened")
            if state not in ("opened", "closed"):
                self.wrong(file, one.at("state"), f"An issue is opened or closed, not '{state}'.")
            author = self.person(one.get("author", project.author), file, one.at("author"))
            labels, milestone = self.tags(section, project, one, file)
            weight = one.get("weight")
            project.issues.append(
                Issue(
                    self.number(one, project, file),
                    self.needed(one, "title", file),
                    self.optional(one, "description"),
                    author,
                    at,
                    labels,
                    milestone,
                    self.people(one, "assignees", file),
                    str(state),
                    self.moment(one, "closed", file, at) if state == "closed" else None,
                    self.person(one["closed_by"], file, one.at("closed_by")) if "closed_by" in one else author,
                    self.day(one, "due", file),
                    weight if isinstance(weight, int) else None,
                    bool(one.get("confidential")),
                    self.comments(one, file, at),
                    self.links(one, project, file),
                )
            )

    def merge_requests(self, section: Section, project: Project, file: str) -> None:
        if file not in self.files:
            return
        branches = {one.branch for one in project.history}
        for one in self.mappings(self.world.yaml(file), file, "merge requests"):
            self.keys(
                one,
                {
                    "title",
                    "description",
                    "author",
                    "at",
                    "source",
                    "target",
                    "labels",
                    "milestone",
                    "assignees",
                    "reviewers",
                    "state",
                    "done",
                    "done_by",
                    "approved_by",
                    "comments",
                },
                file,
            )
            at = self.moment(one, "at", file, project.created)
            source, target = self.needed(one, "source", file), str(one.get("target", project.default_branch))
            for key, name in (("source", source), ("target", target)):
                if project.bundle is None and name not in branches:
                    self.wrong(
                        file, one.at(key), f"There is no branch '{name}'.", "Make it in history.yml.", "dangling"
                    )
            state = one.get("state", "opened")
            if state not in ("opened", "closed", "merged"):
                self.wrong(file, one.at("state"), f"A merge request is opened, closed or merged, not '{state}'.")
            if state == "merged" and not any(c.merge == source and c.branch == target for c in project.history):
                self.wrong(
                    file,
                    one.at("state"),
                    f"Nothing in history.yml merges '{source}' into '{target}'.",
                    "Add a commit with 'merge:'.",
                    "dangling",
                )
                state = "opened"
            author = self.person(one.get("author", project.author), file, one.at("author"))
            labels, milestone = self.tags(section, project, one, file)
            done = one.get("done_by")
            project.merge_requests.append(
                MergeRequest(
                    self.needed(one, "title", file),
                    self.optional(one, "description"),
                    author,
                    at,
                    source,
                    target,
                    labels,
                    milestone,
                    self.people(one, "assignees", file),
                    self.people(one, "reviewers", file),
                    str(state),
                    self.moment(one, "done", file, at) if state != "opened" else None,
                    self.person(done, file, one.at("done_by")) if done is not None else author,
                    self.people(one, "approved_by", file),
                    self.comments(one, file, at),
                )
            )

    def releases(self, project: Project, file: str) -> None:
        if file not in self.files:
            return
        tags = {one.tag for one in project.history if one.tag}
        for one in self.mappings(self.world.yaml(file), file, "releases"):
            self.keys(one, {"tag", "name", "description", "author", "at"}, file)
            tag = self.needed(one, "tag", file)
            if project.bundle is None and tag not in tags:
                self.wrong(file, one.at("tag"), f"There is no tag '{tag}'.", "Set it in history.yml.", "dangling")
            project.releases.append(
                Release(
                    tag,
                    str(one.get("name", tag)),
                    self.optional(one, "description"),
                    self.person(one.get("author", project.author), file, one.at("author")),
                    self.moment(one, "at", file, project.created),
                )
            )
