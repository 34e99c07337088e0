"""The files of a world, service by service, from what a checkout holds and its tasks name.

Each function adds to `files` (path in the world to content) and `gaps`. Things that tasks have made are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import yaml

from dayjob.company.drive.names import name_problem
from dayjob.importing.cast import CHANNEL, Cast, username_for
from dayjob.importing.checkout import CHANNELS, WIKI, Checkout, clean
from dayjob.importing.gaps import Gap
from dayjob.importing.mentions import Index, Mentions, Named
from dayjob.importing.writing import Target

HOST = "the-agent-company.com"
WORD = "theagentcompany"
ADMIN = "root"
WIKI_HOME = "root/doc"
# What a task may want none left of: the kind of gap, where to add some, and the files that have some.
_EMPTIED = {
    "merge requests": ("forge", "merge_requests.yml of a project", "forge/projects/*/*/merge_requests.yml"),
    "issues": ("forge", "issues.yml of a project", "forge/projects/*/*/issues.yml"),
    "projects": ("forge", "forge/projects/", "forge/projects/*/*/project.yml"),
    "branches": ("forge", "a project, as repo.bundle or history.yml", "forge/projects/*/*/repo.bundle"),
    "milestones": ("forge", "'milestones' of a project", "forge/projects/*/*/project.yml"),
    "channels": ("channels", "chat/channels/", "chat/channels/*.yml"),
    "items": ("board", "'items' of a project in board/projects/", "board/projects/*.yml"),
}
_INSIDE = {"milestones": re.compile(r"^milestones:", re.M), "items": re.compile(r"^items:", re.M)}
"""What is not a file of its own, but an entry of one."""
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


@dataclass(slots=True)
class Draft:
    """A world in the making, for a folder that may have files of the user's."""

    target: Target
    files: dict[str, str] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def yaml(self, path: str, facts: Any) -> None:
        self.files[path] = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=110)

    def gap(
        self, kind: str, thing: str, why: str, named: Named | None = None, place: str = "", is_hole: bool = True
    ) -> None:
        if not (place and self.target.holds(place)):
            self.gaps.append(Gap(kind, thing, why, named.tasks if named else (), place, is_hole))

    def there(self, kind: str, what: str, index: Index) -> dict[str, Named]:
        """The things to put into the world: named as there by a task; what every task has made is left out."""
        found = {}
        for name in sorted(index):
            named = index[name]
            if named.by and named.made_by:
                makers = ", ".join(sorted(named.made_by))
                why = f"{makers} has this {what} made, but others take it for granted; it is here."
                self.gap(kind, name, why, named, is_hole=False)
            if named.by:
                found[name] = named
            else:
                self.gap(
                    kind, name, f"left out, because the task seems to have this {what} made.", named, is_hole=False
                )
        return found


def settings(draft: Draft, constants: dict[str, Any]) -> None:
    """world.toml: the accounts that published tasks and their graders sign in with, as everybody knows them."""
    key = constants.get("PLANE_API_KEY")
    if not isinstance(key, str) or not re.fullmatch(r"[\w-]{8,80}", key):
        key = "plane_api_tac"
        draft.gap(
            "board", "API key", f"no PLANE_API_KEY in the checkout's settings; it is '{key}'.", None, "world.toml"
        )
    slug = constants.get("PLANE_WORKSPACE_SLUG")
    slug = slug if isinstance(slug, str) and re.fullmatch(r"[a-z0-9-]{1,40}", slug) else "tac"
    draft.gap(
        "clock",
        "now",
        "the checkout does not say what day it is in the company; world.toml says 1 November 2024.",
        None,
        "world.toml",
    )
    draft.files["world.toml"] = f"""\
# Made by dayjob world import-tac from a checkout of TheAgentCompany. GAPS.md says what is missing.
format = 1
name = "The Agent Company"
slug = "tac"
host = "{HOST}"
now = 2024-11-01T09:00:00Z

# Published tasks tell these accounts to everyone, the examinee too, so a trial leaves them as they are.
[accounts.chat]
username = "{WORD}"
password = "{WORD}"
name = "{WORD}"
public = true

[accounts.forge]
username = "{ADMIN}"
password = "{WORD}"
token = "root-token"
public = true

[accounts.board]
workspace = "{slug}"
email = "agent@company.com"
password = "{WORD}"
api_key = "{key}"
public = true

[accounts.drive]
username = "{WORD}"
password = "{WORD}"
public = true

[ports]
chat = 3000
forge = 8929
board = 8091
drive = 8092
control = 2999
"""


def people(draft: Draft, cast: Cast, mentions: Mentions) -> None:
    for one in cast.people:
        facts: dict[str, Any] = {"name": one.name, "username": one.username}
        if one.password is not None:
            facts["password"] = one.password
        for key, value in (("title", one.title), ("persona", one.persona), ("channels", one.channels)):
            if value:
                facts[key] = value
        draft.yaml(f"people/{one.username}.yml", facts)
    draft.gaps += [gap for gap in cast.gaps if not (gap.place and draft.target.holds(gap.place))]
    known = {name.lower() for one in cast.people for name in (one.name, one.username)}
    for name, named in sorted(mentions.people.items()):
        if name.lower() not in known:
            place = f"people/{username_for(name)}.yml"
            why = (
                f"a task has its examinee write to them, and nothing in the checkout says who they are. Write {place}."
            )
            draft.gap("people", name, why, named, place)
    own = {WORD, ADMIN, "admin", "rocket.cat"}
    for name, named in sorted(mentions.accounts.items()):
        if name.lower() not in known | own | {one.lower() for one in mentions.people} and named.by:
            place = f"people/{username_for(name)}.yml"
            why = f"a program of a task asks for them, and nothing in the checkout says who they are. Write {place}."
            username = username_for(name)
            if name in mentions.init_accounts and username:  # without it the init script fails, and nobody can begin
                written = re.sub(r"[._]+", " ", username).title() if name == username else name
                draft.yaml(place, {"name": written, "username": username})
                why = f"an init script takes this account for granted, so one stands in. Write who it is in {place}."
            draft.gap("people", name, why, named, place)
    draft.counts["colleagues"] = len(cast.people)


def channels(draft: Draft, checkout: Checkout, cast: Cast, mentions: Mentions) -> None:
    here: dict[str, str] = {name.lower(): name for name in cast.channels}
    here.setdefault("general", "general")
    for name in checkout.channels:
        if not CHANNEL.fullmatch(name):
            draft.gap("channels", name, f"{CHANNELS} lists it; a channel cannot be called so.")
        elif name.lower() not in here:
            here[name.lower()] = name
            why = f"made without members: {CHANNELS} lists it, and no definition puts anybody there."
            draft.gap("channels", name, why, mentions.channels.get(name), f"chat/channels/{name.lower()}.yml")
    for name, named in draft.there("channels", "channel", mentions.channels).items():
        if not CHANNEL.fullmatch(name):
            draft.gap("channels", name, "a channel cannot be called so.", named)
        elif name.lower() not in here:
            here[name.lower()] = name
            place = f"chat/channels/{name.lower()}.yml"
            draft.gap("channels", name, "made empty, without members: only task texts name it.", named, place)
    for name in here.values():
        # Nobody owns a channel here: the checkout does not say who, and a task may reward an owner.
        facts: dict[str, Any] = {"name": name, "owners": []}
        facts["members"] = ["everyone", WORD] if name == "general" else [WORD]
        if name in mentions.private:
            facts["type"] = "private"
        draft.yaml(f"chat/channels/{name.lower()}.yml", facts)
    if mentions.owners.by:
        why = "the checkout does not say who owns a channel, so nobody does. Write 'owners:' into the channels' files."
        draft.gap("channels", "owners", why, mentions.owners)
    draft.counts["channels"] = len(here)


def forge(draft: Draft, checkout: Checkout, cast: Cast, mentions: Mentions) -> None:
    wanted = draft.there("forge", "project", mentions.projects)
    known = checkout.constants.get("PROJECT_FILES")
    marks = {clean(name): clean(mark) for name, mark in known.items()} if isinstance(known, dict) else {}
    for name in sorted(marks):
        wanted.setdefault(f"{ADMIN}/{name}", Named())
    if checkout.wiki:
        wanted.setdefault(WIKI_HOME, Named())
    pages = draft.there("wiki", "page", mentions.wiki)
    spelling: dict[str, str] = {}
    namespaces: dict[str, str] = {}
    owned = {ADMIN, *(one.username for one in cast.people), *(one.name for one in cast.people)}
    for project, named in sorted(wanted.items()):
        space, name = project.split("/", 1)
        if not _PATH.fullmatch(name) or not _PATH.fullmatch(space):
            draft.gap("forge", project, "a project cannot be called so.", named)
            continue
        if project.lower() in spelling:
            draft.gap("forge", project, f"the same as {spelling[project.lower()]}, written otherwise.", named)
            continue
        space = namespaces.setdefault(space.lower(), space)
        spelling[project.lower()] = f"{space}/{name}"
        about_code = mentions.code.get(project, Named())
        labels = sorted(mentions.labels.get(project, ()))
        milestones = _milestones(draft, f"{space}/{name}", mentions.milestones.get(project, Index()))
        facts = {"labels": [{"name": one} for one in labels], "milestones": [{"title": one} for one in milestones]}
        _project(draft, f"{space}/{name}", about_code, facts, marks.get(name, "") if space == ADMIN else "")
    groups = [space for space in namespaces.values() if space not in owned]
    if groups:
        draft.yaml("forge/groups.yml", [{"path": space, "visibility": "public"} for space in groups])
    for slug, text in sorted(checkout.wiki.items()):
        if problem := _slug_problem(slug):
            draft.gap("wiki", f"{WIKI}/{slug}.md", problem)
        else:
            draft.files[f"forge/projects/{WIKI_HOME}/wiki/{_page(slug)}.md"] = text
    for page, named in pages.items():
        space, name, slug = page.split("/", 2)
        project = spelling.get(f"{space}/{name}".lower(), "")
        place = f"forge/projects/{project}/wiki/{_page(slug)}.md"
        if not project or (problem := _slug_problem(slug)):
            draft.gap("wiki", page, problem if project else "its project was left out.", named)
        elif place not in draft.files:
            draft.files[place] = (
                f"# {slug.rpartition('/')[2]}\n\nThis page stands in for one that is not in the checkout.\n"
            )
            draft.gap("wiki", page, "only its address is known; the page says so.", named, place)
    for project in sorted({*mentions.issues, *mentions.titles}):
        if home := spelling.get(project.lower()):
            _issues(draft, home, project, mentions)
    for thing, named in sorted(mentions.forge.items()):
        project, _, rest = thing.partition(" ")
        number = rest.removeprefix("issues/")
        if not (number.isdigit() and int(number) in mentions.issues.get(project, ())):
            why = "a grader asks for them, and there is none. Write some in releases.yml." if rest == "releases" else ""
            draft.gap("forge", thing, why or "not in the checkout.", named)
    draft.counts["forge projects"] = len(spelling)
    draft.counts["wiki pages"] = sum(1 for path in draft.files if "/wiki/" in path)


def _page(slug: str) -> str:
    return "home" if slug.lower() == "home" else slug


def _slug_problem(slug: str) -> str:
    fine = all(re.fullmatch(r"\w[\w .,()&+-]{0,79}", part) for part in slug.split("/"))
    return "" if fine else "a page cannot be called so here."


def _milestones(draft: Draft, project: str, index: Index) -> list[str]:
    """The milestones that stand in for those that tasks take for granted."""
    found, place = [], f"forge/projects/{project}/project.yml"
    for title, named in sorted(index.items()):
        thing = f"{project} milestone '{title}'"
        if named.by:
            found.append(title)
            why = f"an open milestone with this title stands in for it. Write its dates and text in {place}."
            draft.gap("forge", thing, why, named, place)
        else:
            why = "left out, because the task seems to have this milestone made."
            draft.gap("forge", thing, why, named, is_hole=False)
    return found


def _project(draft: Draft, project: str, named: Named, more: dict[str, Any], mark: str) -> None:
    """A project with a stand-in for its code, which has the file that graders tell a clone by (`mark`)."""
    folder = f"forge/projects/{project}"
    facts: dict[str, Any] = {"description": "", "visibility": "public"}
    facts |= {key: value for key, value in more.items() if value}
    bundle = f"{folder}/repo.bundle"
    draft.yaml(f"{folder}/project.yml", facts)
    if draft.target.holds(bundle):
        return
    place = f"{folder}/source/README.md"
    draft.files[place] = f"# {project.rpartition('/')[2]}\n\nThis stands in for code that is not in the checkout.\n"
    if re.fullmatch(r"[\w.-]{1,80}", mark) and mark not in (".", "..", ".git", "README.md"):
        draft.files[f"{folder}/source/{mark}"] = "This stands in for a file that is not in the checkout.\n"
    why = f"not in the checkout. 'git bundle create repo.bundle --all' in a clone makes the file for {bundle}."
    draft.gap("code", project, why, named, bundle)


def _issues(draft: Draft, project: str, written: str, mentions: Mentions) -> None:
    """An open issue for each that tasks name by number or by title, with the labels that they have taken off it."""
    place = f"forge/projects/{project}/issues.yml"
    text = "This stands in for an issue that is not in the checkout."
    issues: list[dict[str, Any]] = []
    labels = (
        {} if draft.target.holds(f"forge/projects/{project}/project.yml") else mentions.labels.get(written, Index())
    )

    def stand_in(facts: dict[str, Any], named: Named) -> None:
        on_it = [label for label, takers in sorted(labels.items()) if takers.by & named.by]
        issues.append({**facts, "description": text, **({"labels": on_it} if on_it else {})})

    for number, named in sorted(mentions.issues.get(written, {}).items()):
        stand_in({"number": number, "title": f"Issue {number}"}, named)
        why = f"an open issue with this number stands in for it. Write its title and text in {place}."
        draft.gap("forge", f"{project} issues/{number}", why, named, place)
    for title, named in sorted(mentions.titles.get(written, Index()).items()):
        thing = f"{project} issue '{title}'"
        if named.by:
            stand_in({"title": title}, named)
            why = f"an open issue with this title stands in for it. Write its number and text in {place}."
            draft.gap("forge", thing, why, named, place)
        else:
            draft.gap("forge", thing, "left out, because the task seems to have this issue made.", named, is_hole=False)
    if issues:
        draft.yaml(place, issues)


def drive(draft: Draft, mentions: Mentions) -> None:
    folders = set()
    for path, named in draft.there("drive", "folder", mentions.folders).items():
        if problem := next((why for part in path.split("/") if (why := name_problem(part))), None):
            draft.gap("drive", path, f"{problem}.", named)
            continue
        parts = path.split("/")
        folders |= {"/".join(parts[:depth]) for depth in range(1, len(parts) + 1)}
    for path, named in sorted(mentions.documents.items()):
        place = f"drive/files/{path}"
        if problem := next((why for part in path.split("/") if (why := name_problem(part))), None):
            draft.gap("drive", path, f"{problem}.", named)
        elif named.by:
            draft.gap("drive", path, f"not in the checkout. Put it at {place}.", named, place)
        else:
            why = f"perhaps what the examinee or an init script makes; if not, put it at {place}."
            draft.gap("drive", path, why, named, place, is_hole=False)
    for name, named in sorted(mentions.loose_documents.items()):
        if named.by:
            why = "a task names it without saying in which folder; the checkout does not hold it."
        else:
            why = "named without a folder; perhaps what the examinee or an init script makes."
        draft.gap("drive", name, why, named, is_hole=bool(named.by))
    for folder in sorted(folders - set(mentions.documents)):
        draft.files[f"drive/files/{folder}/.gitkeep"] = ""
    draft.counts["drive folders"] = len(folders)


def emptied(draft: Draft, mentions: Mentions) -> None:
    """Tasks that want none left of something, where there is none: doing nothing succeeds."""
    for what, named in sorted(mentions.emptied.items()):
        kind, place, there = _EMPTIED[what]
        inside = _INSIDE.get(what, re.compile(""))
        mine = any(fnmatchcase(path, there) and inside.search(text) for path, text in draft.files.items())
        if not mine and not _there(draft, there, inside):
            why = f"the task wants none left, and this world has none, so doing nothing succeeds. Add some to {place}."
            draft.gap(kind, f"all {what}", why, named)


def _there(draft: Draft, pattern: str, inside: re.Pattern[str]) -> bool:
    """Does the folder have such a file of the user's, with such an entry?"""
    return any(inside.search(path.read_text("utf-8", "replace")) for path in draft.target.folder.glob(pattern))
