"""What a task must know of its world: who works there (`people/*.yml`), at which host, as whom the examinee.

Worlds are looked for beside the folder the task is in (`tasks/` and `worlds/` of one checkout), upwards from there, and
last in the worlds that come with the package.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dayjob.task.findings import TaskError
from dayjob.task.reading import parse_toml, parse_yaml, read_text
from dayjob.task.rules import Rule

PACKAGED = Path(__file__).resolve().parent.parent / "_data" / "worlds"
CHECKOUT = Path(__file__).resolve().parents[3] / "worlds"

WORLD_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")

# Almost every person's file has its name on a line of its own: no need to parse a whole biography for it.
_NAME = re.compile(r"^name:[ \t]*([^\s'\"#&*!|>%@`{\[][^#\n:]*?)[ \t]*$", re.MULTILINE)


@cache
def find_world(task: Path, world: str) -> Path | None:
    """The folder of the world a task names; a name is a name, never a path."""
    if not WORLD_NAME.fullmatch(world):
        return None
    for folder in [*task.resolve().parents, CHECKOUT.parent, PACKAGED.parent]:
        candidate = folder / "worlds" / world
        if candidate.is_dir():
            return candidate
    return None


@cache
def names_in(world: Path) -> frozenset[str]:
    """The full names of everybody who works there."""
    people = world / "people"
    found = set()
    for path in sorted(people.glob("*.yml")) if people.is_dir() else []:
        text = read_text(people, path.name)
        plain = _NAME.search(text)
        if plain:
            found.add(plain.group(1))
            continue
        person = parse_yaml(text, f"{world.name}/people/{path.name}", Rule.UNKNOWN_WORLD)
        if not isinstance(person, dict) or not isinstance(person.get("name"), str):
            raise TaskError(
                Rule.UNKNOWN_WORLD, f"{world.name}/people/{path.name}", 1, "this person has no name", "Add 'name:'"
            )
        found.add(person["name"])
    return frozenset(found)


def host_of(world: Path) -> str:
    """The host name at which the world's services are."""
    found = parse_toml(read_text(world, "world.toml"), f"{world.name}/world.toml", Rule.UNKNOWN_WORLD)
    return str(found.get("host") or f"{world.name}.test")


def examinee_of(world: Path) -> tuple[str, str] | None:
    """User name and password of the person an examinee is, where the world has one."""
    for path in sorted((world / "people").glob("*.yml")):
        text = read_text(world / "people", path.name)
        if "examinee" not in text:
            continue
        person = parse_yaml(text, f"{world.name}/people/{path.name}", Rule.UNKNOWN_WORLD)
        if isinstance(person, dict) and person.get("examinee") is True:
            return str(person.get("username", "")), str(person.get("password", ""))
    return None
