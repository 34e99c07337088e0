"""Whatever a company says about a value of a task's key is marked by its author: agreeing, superseded, or a trap.

An examinee who reads everything must come to the key, and nowhere else. So every passage of the world, of the task's
overlay and of its colleagues' lines that speaks of the same thing and has a value of the same kind is looked at. One
that has the key's own value and no other agrees by itself; any other needs a mark in key.yml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dayjob.company.world.files import WorldFiles
from dayjob.company.world.find import find_world
from dayjob.company.world.passages import Passage, passages
from dayjob.task import Task
from dayjob.task.findings import TaskError
from dayjob.task.key import FILE, Value, read_key, squeezed
from dayjob.task.model import COLLEAGUES
from dayjob.task.rules import Rule
from dayjob.task.values import dates, is_date, numbers

_LONGEST = 160
# What colleagues are asked by says nothing.
_CUES = frozenset({"asked", "yes_to", "no_to", "shown", "heard", "matter", "on"})


def contradictions(task: Task, world: str | None = None) -> tuple[int, list[str]]:
    """How many values the key has, and a line for every passage without a mark and every mark without a passage."""
    values = read_key(task.path)
    if not values:
        return 0, []
    said = [*passages(WorldFiles(find_world(world or task.settings.world), task.world_overlay)), *_lines(task.path)]
    return len(values), [line for value in values for line in _unsettled(value, said)]


def _unsettled(value: Value, said: list[Passage]) -> Iterator[str]:
    used = set[int]()
    for passage in said:
        if not _speaks_of(value, passage):
            continue
        marks = [mark for mark in value.marks if mark.covers(passage.file, passage.text)]
        used |= {mark.line for mark in marks}
        if not marks and not _agrees(value, passage):
            text = passage.text if len(passage.text) <= _LONGEST else f"{passage.text[:_LONGEST]}…"
            yield (
                f"{passage.place} speaks of {value.what}, which is {value.value}, and is not marked: {text} "
                f"(mark it in {FILE}:{value.line}: agrees, superseded, trap or unrelated)"
            )
    for mark in value.marks:
        if mark.line not in used:
            yield f"{FILE}:{mark.line}: no passage of {mark.file} speaks of {value.what} any more; take the mark away"


def _speaks_of(value: Value, passage: Passage) -> bool:
    words = f"{passage.about}\n{passage.text}"
    if value.among or is_date(value.value) or numbers(value.value):
        words += f"\n{passage.answers}"  # a number or a name alone is said of what was asked
    return all(one.search(words) for one in value.about) and bool(_stated(value, passage.text))


def _agrees(value: Value, passage: Passage) -> bool:
    return _stated(value, passage.text) == _stated(value, value.value)


def _stated(value: Value, text: str) -> set[str]:
    """The values in a text that are of the same kind as the key's."""
    if value.among:
        words = squeezed(text)
        return {
            one
            for one in map(squeezed, (value.value, *value.among))
            if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", words)
        }
    if is_date(value.value):
        return dates(text)
    if numbers(value.value):
        return numbers(text)
    return {squeezed(value.value)} if squeezed(value.value) in squeezed(text) else {"something else"}


def _lines(folder: Path) -> Iterator[Passage]:
    """What colleagues know and say: every text of colleagues.yml and scenarios.json."""
    for file, parse in COLLEAGUES.items():
        try:
            read = parse((folder / file).read_text("utf-8"), file, Rule.SCENARIOS)
        except (OSError, TaskError):
            continue
        for name, part in read.items() if isinstance(read, dict) else ():
            for text in _texts(part):
                yield Passage(file, 0, text, str(name))


def _texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, (list, dict)):
        for one in (part[key] for key in part if key not in _CUES) if isinstance(part, dict) else part:
            yield from _texts(one)
