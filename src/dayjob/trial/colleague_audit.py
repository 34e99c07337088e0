"""The audit of a trial's colleagues, from its folder into its outcome.

It is made after every trial and changes nothing that anybody is measured by: not the label, not the score, not whether
the trial is tried again. Whatever goes wrong in it is a note.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from dayjob.company.world.model import WorldInfo
from dayjob.company.world.snapshot import Snapshot
from dayjob.npc.audit import audit
from dayjob.npc.audit_found import Audited, ColleagueAudit, Surroundings
from dayjob.npc.bystanders import NO_PART
from dayjob.npc.heard_and_said import Journalled, Taken, read_journal, read_turns
from dayjob.npc.persona import Persona
from dayjob.npc.plain_questions import words_of
from dayjob.npc.second_look import look_again
from dayjob.task import Task
from dayjob.task.scenario import ScenarioError, read_scenarios
from dayjob.trial.colleague_rows import clean_counts, clean_fault
from dayjob.trial.colleagues import Passes
from dayjob.trial.evidence import Evidence
from dayjob.trial.grade import WITHHELD
from dayjob.trial.outcome import Outcome

TURNS = "colleagues.jsonl"
FORMAT = 1
_MOST_TURNS = 5000
_MOST_LINES = 1_000_000
_LOOKING_SECONDS = 60.0
_READING_SECONDS = 60.0


class TooMuch(Exception):
    """There is more evidence than can be audited in time: an examinee may write as much as it likes."""


async def audit_trial(
    evidence: Evidence, outcome: Outcome, task: Task, snapshot: Snapshot, passes: Passes | None, *, private: bool
) -> None:
    """Write audit.json and what the outcome tells of it; `passes` where a judge may look again at what a model said.

    A variant of a private set is told of in counts alone: words could give away what was drawn.
    """
    turns_file = evidence.folder / TURNS
    if not turns_file.is_file() or not (task.scenarios or turns_file.stat().st_size):
        return  # nobody was there to be asked
    try:
        found, turns = await asyncio.to_thread(read_audit, evidence.folder, task, snapshot, _READING_SECONDS)
    except TooMuch as problem:
        outcome.notes.append(f"colleagues could not be audited: {problem}")
        return
    looked = 0
    access = passes.second_look() if passes is not None else None
    if access is not None:
        try:
            async with asyncio.timeout(_LOOKING_SECONDS):
                looked = await look_again(found, turns, task_people(snapshot.info), access)
        except TimeoutError:
            outcome.notes.append(f"the judge had no time to look at all that colleagues said ({_LOOKING_SECONDS:g} s)")
        finally:
            access.close()
            if calls := access.usage.as_dict():
                outcome.resources["audit"] = calls
    outcome.colleagues = {
        one.name: clean_counts({"mind": one.mind, "sheet": one.has_sheet, **one.counts}) for one in found
    }
    words = {"quote": WITHHELD, "said": WITHHELD} if private else {}
    outcome.colleague_fault = [clean_fault({**fault.fault, **words}) for one in found for fault in one.faults]
    rows = [one.as_dict() for one in found]
    if private:
        rows = _without_words(rows)
    evidence.json("audit.json", {"format": FORMAT, "looked_again": looked, "colleagues": rows})


def read_audit(
    folder: Path, task: Task, snapshot: Snapshot, seconds: float = math.inf
) -> tuple[list[ColleagueAudit], list[Taken]]:
    """The audit of a trial's folder, without a judge. Blocking. Raises `TooMuch` when it takes longer."""
    ends = time.monotonic() + seconds

    def in_time() -> None:
        if time.monotonic() > ends:
            raise TooMuch(f"what was said takes longer than {seconds:g} s to read")

    turns = read_turns(islice(_lines(folder / TURNS, in_time), _MOST_TURNS))
    usernames = _user_ids(snapshot.path / "chat.db")
    path = folder / "journal.jsonl"
    journal = read_journal(islice(_lines(path, in_time), _MOST_LINES), usernames) if path.is_file() else Journalled()
    around = surroundings(task, snapshot.info)
    return audit(audited(task, snapshot.info, turns), turns, journal, around, in_time), turns


def audited(task: Task, world: WorldInfo, turns: Sequence[Taken] = ()) -> list[Audited]:
    """A task's colleagues, and whoever else was asked, as the audit knows them."""
    try:
        scenarios = read_scenarios(task.scenarios)
    except ScenarioError:  # nobody could come to work with these, so there is nothing to hold against anybody
        return []
    found = []
    others = dict.fromkeys(one.colleague for one in turns if one.colleague not in scenarios)
    for name, scenario in {**scenarios, **dict.fromkeys(others, NO_PART)}.items():
        person = next((one for one in world.people if name in (one.name, one.username)), None)
        persona = Persona.of(person) if person is not None else Persona(name, "")
        about = (persona.character, persona.title, *persona.knows, scenario.extra_info, *scenario.knows)
        if scenario.sheet is not None:
            about = (*about, scenario.sheet.wants, scenario.sheet.conduct)
        found.append(Audited(name, persona.username, scenario.sheet, persona.facts, tuple(one for one in about if one)))
    return found


def surroundings(task: Task, world: WorldInfo) -> Surroundings:
    people: dict[str, str] = {}
    for person in world.people:
        for called in (person.name, person.username, person.name.split()[0]):
            people.setdefault(" ".join(words_of(called)), person.name)
    texts = [world.name, world.host, task.instruction, *world.accounts, *world.ports]
    for person in world.people:
        texts += [person.name, person.username, person.title, person.persona, *person.channels]
        texts += [str(one) for one in person.more.values()]
    return Surroundings(people, frozenset(words_of(" ".join(texts))), world.examinee or "")


def task_people(world: WorldInfo) -> dict[str, str]:
    """Usernames by full names."""
    return {person.name: person.username for person in world.people}


def _without_words(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    hidden = dict.fromkeys(("text", "quote", "said", "second_look"), WITHHELD)
    return [
        {
            **row,
            **{
                part: [{name: hidden.get(name, value) for name, value in one.items()} for one in row[part]]
                for part in ("questions", "findings")
            },
        }
        for row in rows
    ]


def _user_ids(database: Path) -> dict[str, str]:
    """Usernames by chat's ids: a direct room is called by those of the two in it."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)) as chat:
            return {str(id): str(name) for id, name in chat.execute("SELECT id, username FROM users") if name}
    except sqlite3.Error:  # a world without chat has no rooms
        return {}


def _lines(path: Path, in_time: Callable[[], None]) -> Iterable[bytes]:
    with path.open("rb") as file:
        for line in file:
            in_time()
            yield line
