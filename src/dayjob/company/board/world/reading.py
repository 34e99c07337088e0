"""The board's part of a world: `board/workspace.yml` (optional) and one file a project in `board/projects/`.

`load` reads and checks them, with file and line for everything that is wrong; `compiling` writes what it found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from dayjob.company.board.store import accounts, items, modules, projects
from dayjob.company.board.throttle import parse_rate
from dayjob.company.board.world.model import ProjectFile, Section, names_in, short_name
from dayjob.company.world import Located, World
from dayjob.company.world.yaml import parse_moment

ROLES = {"admin": accounts.ADMIN, "member": accounts.MEMBER, "guest": accounts.GUEST}

_PROJECT_KEYS = (
    "id", "name", "identifier", "description", "lead", "members", "states", "labels", "cycles", "modules", "items",
    "intake", "secret", "created",
)  # fmt: skip
_ITEM_KEYS = (
    "id", "number", "name", "state", "priority", "assignees", "labels", "cycle", "module", "start", "due", "parent",
    "description", "comments", "links", "blocked_by", "created_by", "created", "completed",
)  # fmt: skip
_IDENTIFIER = re.compile(r"[A-Z0-9_]{1,12}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class _Reader:
    def __init__(self, world: World) -> None:
        self.world = world
        self.ids: dict[str, str] = {}
        """The ids that files have written so far, and where."""

    def wrong(self, rule: str, file: str, line: int, message: str, fix: str = "") -> None:
        self.world.problems.add(rule, file, line, message, fix)

    def unknown_keys(self, file: str, facts: Located, known: tuple[str, ...]) -> None:
        for key in facts:
            if key not in known:
                self.wrong("board", file, facts.at(key), f"'{key}' means nothing here.", f"Known: {', '.join(known)}.")

    def entries(self, file: str, facts: Located, key: str) -> Iterator[Located]:
        """The mappings in a list; a plain text stands for a mapping with that name."""
        value = facts.get(key) or []
        if not isinstance(value, list):
            self.wrong("board", file, facts.at(key), f"'{key}' must be a list.")
            return
        for one in value:
            if isinstance(one, str):
                made = Located(name=one)
                made.line, made.lines = facts.at(key), {}
                one = made
            if not isinstance(one, Located) or not isinstance(one.get("name"), str) or not one["name"].strip():
                line = one.line if isinstance(one, Located) else facts.at(key)
                self.wrong("board", file, line, f"Each of '{key}' needs a name.", "Write '- name: …'.")
                continue
            yield one

    def unique(self, file: str, what: str, entries: list[Located]) -> dict[str, Located]:
        found: dict[str, Located] = {}
        for one in entries:
            if one["name"] in found:
                first = found[one["name"]].line
                self.wrong(
                    "duplicate", file, one.at("name"), f"The {what} '{one['name']}' is already on line {first}.",
                    "Names are unique in a project.",
                )  # fmt: skip
            found.setdefault(one["name"], one)
        return found

    def own_id(self, file: str, facts: Located) -> None:
        """An id of a thing's own, for worlds whose tasks or graders hold it."""
        id = facts.get("id")
        if id is None:
            return
        if not isinstance(id, str) or not _UUID.fullmatch(id):
            fix = "Write a UUID in small letters, or leave it out."
            self.wrong("board", file, facts.at("id"), f"'{id}' is not an id.", fix)
        elif id in self.ids:
            words = f"The id '{id}' is already in {self.ids[id]}."
            self.wrong("duplicate", file, facts.at("id"), words, "Give each thing an id of its own.")
        else:
            self.ids[id] = f"{file}, line {facts.at('id')}"

    def day(self, file: str, facts: Located, key: str) -> str | None:
        if facts.get(key) is None:
            return None
        found = parse_moment(facts[key])
        if found is None:
            self.wrong("board", file, facts.at(key), f"'{facts[key]}' is not a date.", "Write it as 2026-03-09.")
            return None
        return found.date().isoformat()

    def moment(self, file: str, facts: Located, key: str) -> None:
        if facts.get(key) is not None and parse_moment(facts[key]) is None:
            self.wrong(
                "board", file, facts.at(key), f"'{facts[key]}' is not a moment.", "Write it as 2026-03-09T09:00:00Z."
            )

    def ordered(self, file: str, facts: Located, start: str, end: str) -> None:
        first, last = self.day(file, facts, start), self.day(file, facts, end)
        if first is not None and last is not None and first > last:
            self.wrong("board", file, facts.at(end), f"'{end}' is before '{start}'.", "Turn the dates around.")

    def people(self, file: str, facts: Located, key: str) -> None:
        for name in names_in(facts.get(key)):
            self.world.known(name, file, facts.at(key))

    def known(self, file: str, facts: Located, key: str, among: dict[str, Any], what: str) -> None:
        for name in names_in(facts.get(key)):
            if name not in among:
                known = f"There are: {', '.join(among)}." if among else f"The project has no {what}s."
                self.wrong("dangling", file, facts.at(key), f"There is no {what} '{name}' in this project.", known)


def load(world: World) -> Section:
    account = world.info.accounts.get("board", {})
    reader = _Reader(world)
    section = Section(
        slug=str(account.get("workspace", world.info.slug)),
        name=world.info.name,
        admin_email=str(account.get("email", f"admin@{world.info.host}")),
        admin_password=str(account["password"]) if "password" in account else None,
        admin_key=str(account["api_key"]) if "api_key" in account else None,
        rate_limit=None,
        roles={},
        keys={},
        ids={},
        display_names={},
    )
    _load_settings(world, reader, section)
    _load_workspace(world, reader, section)
    seen: dict[str, str] = {}
    for file in world.files.under("board/projects/", ".yml"):
        facts = world.yaml(file)
        if isinstance(facts, Located):
            section.projects.append(_load_project(reader, section, file, facts, seen))
        elif not any(one.file == file for one in world.problems.found):
            reader.wrong("board", file, 1, "A project is a mapping.", "Start with 'name: …'.")
    return section


def _load_settings(world: World, reader: _Reader, section: Section) -> None:
    settings = world.settings.get("board", {})
    rate = settings.get("rate_limit") if isinstance(settings, dict) else None
    if rate is not None:
        if not isinstance(rate, str) or parse_rate(rate) is None:
            reader.wrong(
                "board", "world.toml", 0, f"[board] rate_limit = '{rate}' is not a rate.", "Write '60/minute'."
            )
        else:
            section.rate_limit = rate
    for person in world.people:
        own = person.more.get("board")
        if own is None:
            continue
        if not isinstance(own, Located):
            reader.wrong("person", person.file, 0, "'board' must be a mapping.", "Write 'board: {role: member}'.")
            continue
        reader.unknown_keys(person.file, own, ("api_key", "display_name", "id", "role"))
        reader.own_id(person.file, own)
        if isinstance(own.get("id"), str):
            section.ids[person.username] = own["id"]
        if own.get("display_name") is not None:
            section.display_names[person.username] = _display_name(reader, person.file, own)
        if own.get("api_key") is not None:
            section.keys[person.username] = str(own["api_key"])
        if own.get("role") is not None:
            section.roles[person.username] = _role(reader, person.file, own.at("role"), own["role"])


def _display_name(reader: _Reader, file: str, own: Located) -> str:
    name = own["display_name"]
    if isinstance(name, str) and name.strip():
        return name.strip()
    reader.wrong("board", file, own.at("display_name"), f"'{name}' is not a display name.", "Write it as text.")
    return ""


def _role(reader: _Reader, file: str, line: int, value: Any) -> int:
    if not isinstance(value, str) or value not in ROLES:
        reader.wrong("board", file, line, f"'{value}' is not a role.", f"Known: {', '.join(ROLES)}.")
        return accounts.MEMBER
    return ROLES[value]


def _load_workspace(world: World, reader: _Reader, section: Section) -> None:
    file = "board/workspace.yml"
    facts = world.yaml(file) if file in world.files else None
    if facts is None:
        return
    if not isinstance(facts, Located):
        reader.wrong("board", file, 1, "The workspace is a mapping.", "Write 'name: …'.")
        return
    reader.unknown_keys(file, facts, ("name", "roles"))
    section.name = str(facts.get("name", section.name))
    roles = facts.get("roles")
    if not isinstance(roles, Located):
        return
    for name, role in roles.items():
        person = world.known(name, file, roles.at(name))
        if person is not None:
            section.roles[person.username] = _role(reader, file, roles.at(name), role)


def _load_project(reader: _Reader, section: Section, file: str, facts: Located, seen: dict[str, str]) -> ProjectFile:
    reader.unknown_keys(file, facts, _PROJECT_KEYS)
    for key in ("name", "identifier"):
        if not isinstance(facts.get(key), str):
            reader.wrong("board", file, facts.at(key), f"This project has no {key}.", f"Add '{key}: …'.")
            facts[key] = file
        elif facts[key] in seen:
            reader.wrong("duplicate", file, facts.at(key), f"'{facts[key]}' is already in {seen[facts[key]]}.")
        else:
            seen[facts[key]] = file
    if facts["identifier"] != file and not _IDENTIFIER.fullmatch(facts["identifier"]):
        fix = "Use up to twelve capital letters and digits, as in TREL."
        reader.wrong("board", file, facts.at("identifier"), f"'{facts['identifier']}' is not an identifier.", fix)
    reader.own_id(file, facts)
    reader.moment(file, facts, "created")
    reader.people(file, facts, "lead")
    found = ProjectFile(file, facts, _load_members(reader, section, file, facts))
    states = reader.unique(file, "state", list(reader.entries(file, facts, "states")))
    for state in states.values():
        reader.unknown_keys(file, state, ("id", "name", "group", "color", "description", "default"))
        reader.own_id(file, state)
        if state.get("group") not in projects.GROUPS[:-1]:
            known = f"Known: {', '.join(projects.GROUPS[:-1])}."
            reader.wrong("board", file, state.at("group"), f"'{state.get('group')}' is not a group of states.", known)
    labels = reader.unique(file, "label", list(reader.entries(file, facts, "labels")))
    for label in labels.values():
        reader.unknown_keys(file, label, ("id", "name", "color", "description"))
        reader.own_id(file, label)
    plans = reader.unique(file, "cycle", list(reader.entries(file, facts, "cycles")))
    _check_cycles(reader, file, list(plans.values()))
    parts = reader.unique(file, "module", list(reader.entries(file, facts, "modules")))
    for part in parts.values():
        reader.unknown_keys(file, part, ("id", "name", "description", "status", "lead", "members", "start", "due"))
        reader.own_id(file, part)
        reader.ordered(file, part, "start", "due")
        reader.people(file, part, "lead")
        reader.people(file, part, "members")
        if part.get("status", "planned") not in modules.STATUSES:
            known = f"Known: {', '.join(modules.STATUSES)}."
            reader.wrong("board", file, part.at("status"), f"'{part['status']}' is not a module's status.", known)
    named_states: dict[str, Any] = states or {name: None for name, *_ in projects.DEFAULT_STATES}
    work = list(reader.entries(file, facts, "items"))
    for item in work:
        reader.known(file, item, "state", named_states, "state")
        reader.known(file, item, "labels", labels, "label")
        reader.known(file, item, "cycle", plans, "cycle")
        reader.known(file, item, "module", parts, "module")
    _check_items(reader, found, work)
    return found


def _check_numbers(reader: _Reader, file: str, work: list[Located]) -> dict[int, Located]:
    """The items by their numbers, which count on from the item before unless an item has one of its own."""
    found: dict[int, Located] = {}
    last = 0
    for item in work:
        number = item.get("number", last + 1)
        if type(number) is int and number in found:
            words = f"The number {number} is already that of the item on line {found[number].line}."
            reader.wrong("duplicate", file, item.at("number"), words, "Give each item a number of its own.")
        elif type(number) is not int or not last < number < 1_000_000_000:
            fix = f"Write a whole number above {last}, or leave it out; items are in the order of their numbers."
            reader.wrong("board", file, item.at("number"), f"'{number}' is no number for this item.", fix)
        else:
            last = number
        found.setdefault(last, item)
    return found


def _check_names(reader: _Reader, file: str, work: list[Located]) -> None:
    """Items may share a name if each has a number to be known by."""
    first: dict[str, Located] = {}
    for item in work:
        other = first.setdefault(item["name"], item)
        if other is not item and not ("number" in item and "number" in other):
            words = f"The item '{item['name']}' is already on line {other.line}."
            reader.wrong("duplicate", file, item.at("name"), words, "Change the name, or give both a 'number'.")


def _check_items(reader: _Reader, project: ProjectFile, work: list[Located]) -> None:
    file, facts = project.file, project.facts
    _check_names(reader, file, work)
    names = Counter(item["name"] for item in work)
    short = {short_name(facts["identifier"], number) for number in _check_numbers(reader, file, work)}
    for item in work:
        reader.unknown_keys(file, item, _ITEM_KEYS)
        reader.own_id(file, item)
        for key in ("parent", "blocked_by"):
            for name in names_in(item.get(key)):
                if names[name] > 1:
                    fix = f"Write its short name, such as {short_name(facts['identifier'], 1)}."
                    words = f"{names[name]} items of this project are called '{name}'."
                    reader.wrong("dangling", file, item.at(key), words, fix)
                elif name not in names and name not in short:
                    known = f"There are: {', '.join(names)}."
                    reader.wrong("dangling", file, item.at(key), f"There is no item '{name}' in this project.", known)
        _check_item(reader, project, item)


def _load_members(reader: _Reader, section: Section, file: str, facts: Located) -> dict[str, int]:
    """Who is in a project: everyone unless it says otherwise."""
    wanted = facts.get("members")
    if wanted is None:
        return {one.username: section.roles.get(one.username, accounts.MEMBER) for one in reader.world.people}
    members: dict[str, int] = {}
    pairs = wanted.items() if isinstance(wanted, Located) else ((name, "member") for name in names_in(wanted))
    for name, role in pairs:
        line = wanted.at(name) if isinstance(wanted, Located) else facts.at("members")
        person = reader.world.known(name, file, line)
        if person is not None:
            members[person.username] = _role(reader, file, line, role)
    return members


def _check_cycles(reader: _Reader, file: str, plans: list[Located]) -> None:
    dated: list[tuple[str, str, Located]] = []
    for plan in plans:
        reader.unknown_keys(file, plan, ("id", "name", "start", "end", "description", "owner"))
        reader.own_id(file, plan)
        reader.people(file, plan, "owner")
        reader.ordered(file, plan, "start", "end")
        start, end = reader.day(file, plan, "start"), reader.day(file, plan, "end")
        if (start is None) != (end is None):
            reader.wrong(
                "board", file, plan.line, f"The cycle '{plan['name']}' needs both 'start' and 'end', or neither."
            )
        elif start is not None and end is not None:
            for other_start, other_end, other in dated:
                if start <= other_end and end >= other_start:
                    words = f"The cycle '{plan['name']}' overlaps '{other['name']}' (line {other.line})."
                    reader.wrong("overlap", file, plan.at("start"), words, "Cycles of a project follow one another.")
            dated.append((start, end, plan))


def _check_item(reader: _Reader, project: ProjectFile, item: Located) -> None:
    file = project.file
    if item.get("priority", "none") not in items.PRIORITIES:
        known = f"Known: {', '.join(items.PRIORITIES)}."
        reader.wrong("board", file, item.at("priority"), f"'{item['priority']}' is not a priority.", known)
    reader.ordered(file, item, "start", "due")
    for key in ("created", "completed"):
        reader.moment(file, item, key)
    reader.people(file, item, "created_by")
    for name in names_in(item.get("assignees")):
        person = reader.world.known(name, file, item.at("assignees"))
        if person is not None and project.members.get(person.username, 0) < accounts.MEMBER:
            words = f"{person.name} cannot be given work in this project."
            reader.wrong("board", file, item.at("assignees"), words, "Add them to 'members', not as a guest.")
    comments = item.get("comments") or []
    for comment in comments if isinstance(comments, list) else []:
        if not isinstance(comment, Located) or not comment.get("text"):
            reader.wrong("board", file, item.at("comments"), "A comment needs 'by' and 'text'.")
            continue
        reader.unknown_keys(file, comment, ("by", "text", "at"))
        reader.people(file, comment, "by")
        reader.moment(file, comment, "at")
    links = item.get("links") or []
    for link in links if isinstance(links, list) else []:
        if not isinstance(link, Located) or not str(link.get("url", "")).startswith(("http://", "https://")):
            reader.wrong("board", file, item.at("links"), "A link needs a 'url' that begins with http.")
