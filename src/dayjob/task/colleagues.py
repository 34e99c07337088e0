"""Who works in a world: the names in `worlds/<world>/people/*.yml`, for checking scenarios.json.

Worlds are looked for beside the folder the task is in (`tasks/` and `worlds/` of one checkout), upwards from there, and
last in the worlds that come with the package.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dayjob.task.findings import TaskError
from dayjob.task.reading import parse_yaml, read_text
from dayjob.task.rules import Rule

PACKAGED = Path(__file__).resolve().parent.parent / "_data" / "worlds"
CHECKOUT = Path(__file__).resolve().parents[3] / "worlds"

# Almost every person's file has its name on a line of its own: no need to parse a whole biography for it.
_NAME = re.compile(r"^name:[ \t]*([^\s'\"#&*!|>%@`{\[][^#\n:]*?)[ \t]*$", re.MULTILINE)


@cache
def find_world(task: Path, world: str) -> Path | None:
    """The folder of the world a task names."""
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
