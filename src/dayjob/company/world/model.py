"""What every service needs to know of a world: its name, host, clock, ports, accounts and people.

`load_world` reads `world.toml` and `people/*.yml`; each service reads its own folder. Nothing raises on bad content:
problems are collected with file and line.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob.company.world import hours, voices
from dayjob.company.world.ci_images import CiImages, load_ci_images
from dayjob.company.world.files import Problems, WorldFiles
from dayjob.company.world.yaml import Located, load_layers, load_yaml

FORMAT = 1
DEFAULT_PORTS = {"chat": 3000, "forge": 8929, "board": 8091, "drive": 8092, "control": 2999}
_USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_PERSON_KEYS = {
    "name", "username", "email", "password", "title", "role", "persona", "knows", "channels", "bio", "chat", "forge",
    "board", "drive", "examinee", "timezone", "manager", "joined", *hours.KEYS, *voices.KEYS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A colleague: one file in `people/`. `more` holds what single services read for themselves."""

    name: str
    username: str
    email: str
    password: str | None
    title: str
    persona: str
    channels: tuple[str, ...]
    more: Mapping[str, Any]
    file: str


@dataclass(frozen=True, slots=True)
class WorldInfo:
    """The part of a world a running company needs: compiled into the snapshot."""

    name: str
    slug: str
    host: str
    now: datetime | None
    ports: Mapping[str, int]
    accounts: Mapping[str, Mapping[str, Any]]
    people: tuple[Person, ...]
    ci_images: CiImages = field(default_factory=CiImages)
    """What `image:` in CI files means to whoever runs jobs."""

    def to_json(self) -> str:
        facts = asdict(self)
        facts["now"] = self.now.isoformat() if self.now else None
        return json.dumps({"format": FORMAT, **facts}, indent=1, default=str)

    @classmethod
    def from_json(cls, text: str) -> WorldInfo:
        facts = json.loads(text)
        del facts["format"]
        facts["now"] = datetime.fromisoformat(facts["now"]) if facts["now"] else None
        facts["people"] = tuple(Person(**{**one, "channels": tuple(one["channels"])}) for one in facts["people"])
        facts["ci_images"] = CiImages.from_facts(facts["ci_images"])
        return cls(**facts)

    @property
    def examinee(self) -> str | None:
        """The username of whoever the work is done as, when the world says who that is."""
        return next((person.username for person in self.people if person.more.get("examinee") is True), None)

    def url(self, service: str) -> str:
        return f"http://{self.host}:{self.ports[service]}"


@dataclass(slots=True)
class World:
    """A world being read or compiled."""

    files: WorldFiles
    info: WorldInfo
    problems: Problems
    settings: Mapping[str, Any] = field(default_factory=dict)
    """`world.toml` whole, for what single services read for themselves."""

    @property
    def people(self) -> tuple[Person, ...]:
        return self.info.people

    def person(self, name: object) -> Person | None:
        """Who a username or a full name means."""
        return self._by_name.get(str(name))

    @property
    def _by_name(self) -> dict[str, Person]:
        found = {one.name: one for one in self.people}
        found.update({one.username: one for one in self.people})
        return found

    def yaml(self, relative: str) -> Any:
        return load_yaml(self.files, relative)

    def layers(self, relative: str) -> list[Any]:
        return load_layers(self.files, relative)

    def known(self, name: object, file: str, line: int) -> Person | None:
        """Like `person`, but an unknown one is a problem of that place."""
        found = self.person(name)
        if found is None:
            self.problems.add(
                "unknown-person",
                file,
                line,
                f"Nobody here is called '{name}'.",
                "Name someone from people/, or add them.",
            )
        return found


def load_world(folder: Path, overlay: Path | None = None) -> World:
    """Read a world's own files. What is wrong is in `.problems`; services add theirs when they read their folders."""
    problems = Problems()
    files = WorldFiles(folder, overlay, problems)
    settings: dict[str, Any] = {}
    if "world.toml" not in files:
        problems.add(
            "no-world",
            "world.toml",
            0,
            f"'{folder}' is not a world: it has no world.toml.",
            "Write one: name, host.",
        )
    elif (text := files.text("world.toml")) is not None:
        try:
            settings = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            problems.add("syntax", "world.toml", int(line[1]) if line else 0, f"This is not valid TOML: {error}.")
    info = _info(folder, settings, _people(files, settings), files)
    return World(files, info, problems, settings)


def _info(folder: Path, settings: dict[str, Any], people: tuple[Person, ...], files: WorldFiles) -> WorldInfo:
    def wrong(key: str, message: str, fix: str = "") -> None:
        files.problems.add("world", "world.toml", line_of(files, key), message, fix)

    form = settings.get("format", FORMAT)
    if form != FORMAT:
        wrong("format", f"This world has format {form}; this dayjob reads format {FORMAT}.", "Update dayjob.")
    for key in sorted(
        set(settings)
        - {"format", "name", "slug", "host", "now", "ports", "accounts", "chat", "forge", "board", "drive"}
    ):
        wrong(key, f"'{key}' means nothing in world.toml.", "Remove it or correct its spelling.")
    name = settings.get("name", folder.name)
    slug = settings.get("slug", re.sub(r"[^a-z0-9]+", "-", str(name).lower()).strip("-"))
    host = settings.get("host", f"{slug}.test")
    if not isinstance(host, str) or not _HOST.fullmatch(host):
        wrong(
            "host",
            f"'{host}' is not a host name.",
            "Use small letters, digits, dots and hyphens, as in larkspur.test.",
        )
        host = "unknown.test"
    now = settings.get("now")
    if now is not None and not isinstance(now, datetime):
        wrong("now", "'now' must be a date and time.", "Write it as 2026-03-09T09:00:00Z, without quotes.")
        now = None
    ports = dict(DEFAULT_PORTS)
    for service, port in _table(settings, "ports", files).items():
        if service not in ports or type(port) is not int or not 0 < port < 65536:
            wrong(service, f"'{service} = {port}' is not a port of a service.", f"Known: {', '.join(ports)}.")
        else:
            ports[service] = port
    accounts = {}
    for service, account in _table(settings, "accounts", files).items():
        if service not in ports or not isinstance(account, dict):
            wrong(service, f"[accounts.{service}] belongs to no service.", "Known: chat, forge, board, drive.")
        else:
            accounts[service] = account
    moment = now.replace(tzinfo=now.tzinfo or UTC) if now else None
    return WorldInfo(str(name), str(slug), host, moment, ports, accounts, people, load_ci_images(files))


def _table(settings: dict[str, Any], key: str, files: WorldFiles) -> dict[str, Any]:
    table = settings.get(key, {})
    if isinstance(table, dict):
        return table
    files.problems.add("world", "world.toml", line_of(files, key), f"'{key}' must be a table.", f"Write [{key}].")
    return {}


def line_of(files: WorldFiles, key: str) -> int:
    """The line of world.toml where a key stands; TOML's own parser does not tell."""
    text = files.text("world.toml") or ""
    pattern = re.compile(rf"^\s*(\[[^\]]*\b{re.escape(key)}\]|\"?{re.escape(key)}\"?\s*=)")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 0)


def _people(files: WorldFiles, settings: dict[str, Any]) -> tuple[Person, ...]:
    people: list[Person] = []
    seen: dict[str, str] = {}
    for file in files.under("people/", ".yml"):
        facts = load_yaml(files, file)
        if not isinstance(facts, Located):
            if not any(one.file == file for one in files.problems.found):
                files.problems.add("person", file, 1, "A person is a mapping.", "Start with 'name: …'.")
            continue
        person = _person(file, facts, files, settings)
        if person is None:
            continue
        for mark in (person.username.lower(), person.name, person.email.lower()):
            if mark in seen and seen[mark] != file:
                files.problems.add(
                    "duplicate",
                    file,
                    facts.line,
                    f"'{mark}' is already in {seen[mark]}.",
                    "Names are unique.",
                )
            seen.setdefault(mark, file)
        people.append(person)
    return tuple(people)


def _person(file: str, facts: Located, files: WorldFiles, settings: dict[str, Any]) -> Person | None:
    add = files.problems.add
    for key in facts:
        if key not in _PERSON_KEYS:
            add(
                "person",
                file,
                facts.at(key),
                f"'{key}' means nothing here.",
                f"Known: {', '.join(sorted(_PERSON_KEYS))}.",
            )
    name = facts.get("name")
    if not isinstance(name, str) or not name.strip():
        add("person", file, facts.line, "This person has no name.", "Add 'name: Full Name'.")
        return None
    username = facts.get("username", re.sub(r"[^a-z0-9]+", ".", name.lower()).strip("."))
    if not isinstance(username, str) or not _USERNAME.fullmatch(username):
        add(
            "person",
            file,
            facts.at("username"),
            f"'{username}' is not a username.",
            "Use letters, digits, '.', '_', '-'.",
        )
        return None
    channels = facts.get("channels") or []
    if not isinstance(channels, list) or not all(isinstance(one, str) for one in channels):
        add("person", file, facts.at("channels"), "'channels' must be a list of channel names.")
        channels = []
    hours.read_hours(facts, lambda key, message, fix: add("person", file, facts.at(key), message, fix))
    voices.check_voices(facts, lambda line, message, fix: add("person", file, line, message, fix))
    host = settings.get("host", "company.test")
    return Person(
        name=name.strip(),
        username=username,
        email=str(facts.get("email") or f"{username}@{host}"),
        password=str(facts["password"]) if facts.get("password") is not None else None,
        title=str(facts.get("title") or facts.get("role") or ""),
        persona=str(facts.get("persona") or ""),
        channels=tuple(channels),
        more={key: value for key, value in facts.items() if key not in ("name", "username", "email", "password")},
        file=file,
    )
