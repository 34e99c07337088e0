"""The board of a world: projects that tasks name, with stand-ins for the cycles and items that they ask for."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from dayjob.importing.mentions import Index, Mentions
from dayjob.importing.world_files import Draft

_FIRST_CYCLE = date(2024, 10, 28)
_FAR = date(2039, 12, 31)
_LONGEST_NAME = 255


def board(draft: Draft, mentions: Mentions) -> None:
    here = draft.there("board", "project", mentions.boards)
    ids = {name: id for id, name in mentions.named_ids.items()}
    for id, named in sorted(mentions.board_ids.items()):
        if id not in mentions.named_ids:
            why = "tasks open this project by its id, and no task tells its name alone. Add 'id:' to the right file."
            draft.gap("board", f"project {id}", why, named)
    identifiers = set(here)  # the board tells a name and an identifier apart by nothing but their place
    for name, named in here.items():
        identifier = _identifier(name, identifiers)
        facts: dict[str, Any] = {"name": name, "identifier": identifier}
        if name in ids:
            facts["id"] = ids[name]
        place = f"board/projects/{identifier.lower()}.yml"
        if cycles := _cycles(draft, name, mentions, place):
            facts["cycles"] = cycles
        if items := _items(draft, name, mentions, place, cycles):
            facts["items"] = items
        draft.yaml(place, facts)
        draft.gap("board", f"project '{name}'", "nothing that is in it is in the checkout.", named, place)
    for thing, named in sorted(mentions.board_things.items()):
        draft.gap(
            "board", thing, "a grader asks for it; unless the examinee makes it, write it in board/projects/.", named
        )
    draft.counts["board projects"] = len(here)


def _cycles(draft: Draft, project: str, mentions: Mentions, place: str) -> list[dict[str, Any]]:
    """The cycles that tasks ask for, two weeks each, the first one the running one.

    Where a grader asks the machine for the day, and not the company, the running one lasts until both clocks agree.
    """
    there = draft.there("board", "cycle", mentions.cycles.get(project, Index()))
    names = dict(sorted(there.items(), key=lambda one: _by_number(one[0])))
    while project in mentions.running and len(names) < 2:
        last = re.fullmatch(r"(.*\D)(\d{1,3})", next(iter(names), "Cycle 0"))
        follows = f"{last[1]}{int(last[2]) + 1}" if last else f"Cycle {len(names) + 1}"
        names[follows] = mentions.running[project]
    found: list[dict[str, Any]] = []
    start = _FIRST_CYCLE
    for name, named in names.items():
        end = _FAR if not found and project in mentions.by_clock else start + timedelta(days=13)
        found.append({"name": name, "start": start, "end": end})
        why = f"stands in for a cycle that is not in the checkout, with days of our own: {start} to {end}."
        draft.gap("board", f"cycle '{name}' of '{project}'", why, named, place)
        start = end + timedelta(days=1)
    return found


def _by_number(name: str) -> list[tuple[int, str]]:
    """For sorting: `Sprint 9` is before `Sprint 10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"[0-9]+|[^0-9]+", name)]


def _items(
    draft: Draft, project: str, mentions: Mentions, place: str, cycles: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """An item for each that tasks take for granted, in the running cycle where they want one."""
    found: list[dict[str, Any]] = []
    for item, named in sorted(mentions.items.get(project, Index()).items()):
        thing = f"item '{item}' of '{project}'"
        if len(item) > _LONGEST_NAME:
            draft.gap("board", thing, "an item cannot be called so.", named)
        elif not named.by:
            draft.gap("board", thing, "left out, because the task seems to have this item made.", named, is_hole=False)
        else:
            facts = {"name": item, "description": "This stands in for an item that is not in the checkout."}
            if project in mentions.running and cycles:
                facts["cycle"] = cycles[0]["name"]
            found.append(facts)
            why = f"an item of this name stands in for it. Write its state, people and text in {place}."
            draft.gap("board", thing, why, named, place)
    return found


def _identifier(name: str, taken: set[str]) -> str:
    short = re.sub(r"[^A-Z0-9]", "", name.upper())[:5] or "PROJECT"
    found, number = short, 2
    while found in taken:
        found, number = f"{short}{number}", number + 1
    taken.add(found)
    return found
