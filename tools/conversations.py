"""The conversation bench: dialogues written from task.md alone, played with the colleagues' sheets, and judged.

Each turn of a dialogue says what a fair colleague may do (`ok`, alternatives): tell facts (`fact:ID`), ask for what is
missing, say that they do not know, and so on; parts of an alternative are joined by `&`. `never` lists facts that must
not have been told. Run it: `python -m tools.conversations [--held-out] [--show] [TASK…]`.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import runpy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from dayjob.company.world.find import find_world
from dayjob.company.world.model import Person
from dayjob.npc.acquaintance import sentences
from dayjob.npc.bystanders import NO_PART
from dayjob.npc.hearing import Conversation, Line, is_addressed
from dayjob.npc.minds import Briefing, Decision
from dayjob.npc.persona import Persona
from dayjob.npc.sheet_mind import SheetMind
from dayjob.task.model import load_scenarios
from dayjob.task.reading import parse_yaml
from dayjob.task.rules import Rule
from dayjob.task.scenario import Scenario, read_scenarios

ROOT = Path(__file__).resolve().parents[1]
DIALOGUES = ROOT / "tests" / "npc" / "dialogues"
NOW = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
_ACKNOWLEDGED = frozenset(
    [
        "thanks",
        "done",
        "early",
        "not_yet",
        "noted",
        "confirm",
        "small_talk",
        "greeting",
        "nothing_more",
        "yes",
        "no",
        "later",
        "did",
    ]
)
_NOTED = ("refers", "unknown", "cannot", "hours", "why", "more", "looked_up", "left_to_others", "read", "reached")


@dataclass(slots=True)
class Verdict:
    """What came of one turn."""

    dialogue: str
    kind: str
    number: int
    said: str
    did: dict[str, Any]
    replies: dict[str, tuple[str, ...]]
    wrong: str = ""
    unanswered: bool = False
    """A plain question about an open fact that got none."""
    told_locked: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


def people(world: Path) -> dict[str, Persona]:
    found = {}
    for path in sorted((world / "people").glob("*.yml")):
        facts = yaml.safe_load(path.read_text("utf-8"))
        person = Person(
            facts["name"], facts["username"], "", None, facts.get("title", ""), facts.get("persona", ""), (), facts,
            path.name,
        )  # fmt: skip
        found[person.name] = Persona.of(person)
    return found


def acts(decision: Decision) -> set[str]:
    """What a decision does, in the words of `ok`."""
    how = decision.how
    found = {f"fact:{one}" for one in how.get("facts", ())}
    found |= {f"reached:{one}" for one in how.get("reached", ())}
    found |= {f"deed:{one}" for one in how.get("deeds", ())}
    found |= {name for name in _NOTED if how.get(name)}
    found |= set(how.get("phrases", ()))
    if how.get("asks_for"):
        found.add("asks")
    if how.get("rules"):
        found.add("rule")
    for one in how.get("hours", ()):
        found |= {f"hours:{name}" for name in ("free", "taken", "partly") if one[name]}
    if found & _ACKNOWLEDGED:
        found.add("ack")
    if decision.action == "silent":
        found.add("silent")
    return found


@cache
def parts(task: Path) -> dict[str, Scenario]:
    """The colleagues' parts; of a family, those of its canonical variant."""
    template = task / "colleagues.yml.j2"
    if not template.exists():
        return read_scenarios(load_scenarios(task))
    values = runpy.run_path(str(task / "variant.py"))["CANONICAL"]
    text = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True).from_string(
        template.read_text("utf-8")
    )
    return read_scenarios(parse_yaml(text.render(**values), "colleagues.yml", Rule.SCENARIOS))


class Office:
    """The colleagues of one task, fresh."""

    def __init__(self, task: Path, everybody: Mapping[str, Persona]) -> None:
        scenarios = parts(task)
        self._everybody = everybody
        self.minds = {name: self._mind(everybody[name], one) for name, one in scenarios.items() if one.sheet}
        self._talks: dict[str, Conversation] = {}
        self._count = 0

    def _mind(self, persona: Persona, scenario: Scenario) -> SheetMind:
        return SheetMind(Briefing(persona, scenario, "Larkspur", lambda: NOW, people=tuple(self._everybody.values())))

    async def hear(self, where: str, names: Sequence[str], texts: Sequence[str], thread: bool) -> dict[str, Decision]:
        """What each of those who are meant decides; the others are not in it."""
        kind = {"direct": "d", "group": "g"}.get(where, "c")
        found: dict[str, Decision] = {}
        for name in names:
            mind = self.minds.get(name) or self.minds.setdefault(name, self._mind(self._everybody[name], NO_PART))
            persona = mind.briefing.persona
            talk = self._talks.setdefault(name, Conversation("room", kind, where.lstrip("#"), "t" if thread else ""))
            meant = []
            for text in texts:
                self._count += 1
                mentions = tuple(re.findall(r"@([a-z]+\.[a-z]+)", text))
                line = Line(str(self._count), "room", "sam.reed", "Sam Reed", text, 0, talk.thread, mentions)
                beside = [self._everybody[one] for one in names] if kind == "g" else ()
                talk.lines.append(line)
                if kind == "d" or is_addressed(line, persona, takes_part=thread, beside=beside):
                    meant.append(line)
            if meant:
                found[name] = await mind.decide(talk, meant)
        return found


def dialogues(held_out: bool = False, tasks: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    folder = DIALOGUES / "held-out" if held_out else DIALOGUES
    for path in sorted(folder.glob("*.yml")):
        for one in yaml.safe_load(path.read_text("utf-8")):
            if not tasks or one["task"] in tasks:
                yield one


async def play(dialogue: Mapping[str, Any], tasks: Path, everybody: Mapping[str, Persona]) -> list[Verdict]:
    """Every turn of a dialogue, judged."""
    office = Office(tasks / dialogue["task"], everybody)
    names = dialogue["with"] if isinstance(dialogue["with"], list) else [dialogue["with"]]
    thread = dialogue["where"] == "thread"
    where = dialogue.get("channel", "#general") if thread else dialogue["where"]
    before: dict[str, set[str]] = {name: set() for name in names}
    found = []
    for number, turn in enumerate(dialogue["turns"], 1):
        texts = turn["sam"] if isinstance(turn["sam"], list) else [turn["sam"]]
        decisions = await office.hear(where, names, texts, thread)
        did = {name: sorted(acts(one)) for name, one in decisions.items()}
        replies = {name: one.messages for name, one in decisions.items()}
        verdict = Verdict(dialogue["id"], dialogue["class"], number, " / ".join(texts), did, replies)
        judge(verdict, turn, names)
        for name, messages in replies.items():
            said = [one for text in messages for one in sentences(text)]
            verdict.repeated += [one for one in said if one in before[name]]
            before[name].update(said)
        if verdict.repeated and not verdict.wrong:
            verdict.wrong = f"said before: {verdict.repeated[0]}"
        found.append(verdict)
    return found


def judge(verdict: Verdict, turn: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        ok = turn.get("ok", [])
        alternatives = ok.get(name, ["silent"]) if isinstance(ok, Mapping) else ok
        did = set(verdict.did.get(name, ["silent"]))
        told = [one for one in turn.get("never", ()) if f"fact:{one}" in did or f"reached:{one}" in did]
        verdict.told_locked += told
        if told:
            verdict.wrong = verdict.wrong or f"{name} told {', '.join(told)}"
        if not any(all(_held(part.strip(), did) for part in one.split("&")) for one in alternatives):
            verdict.wrong = verdict.wrong or f"{name}: {' or '.join(alternatives)}"
            plain = all(one.startswith("fact:") for one in alternatives)
            verdict.unanswered = verdict.unanswered or (plain and bool(did & {"unknown", "silent"}))


def _held(part: str, did: set[str]) -> bool:
    if part == "fact":
        return any(one.startswith("fact:") for one in did)
    if part == "silent":
        return "silent" in did or did <= {"read", "left_to_others"}
    if part == "hours":
        return any(one.startswith("hours:") for one in did)
    return part in did


async def all_verdicts(held_out: bool, tasks: Sequence[str] = (), root: Path = ROOT) -> list[list[Verdict]]:
    world = find_world("larkspur")
    everybody = people(world)
    return [await play(one, root / "tasks", everybody) for one in dialogues(held_out, tasks)]


def table(played: Sequence[Sequence[Verdict]]) -> str:
    """By class: dialogues, turns, turns that are right."""
    turns, right, count = Counter[str](), Counter[str](), Counter[str]()
    for one in played:
        count[one[0].kind] += 1
        for verdict in one:
            turns[verdict.kind] += 1
            right[verdict.kind] += not verdict.wrong
    lines = ["| class | dialogues | turns | right |", "| --- | --- | --- | --- |"]
    for kind in sorted(count):
        lines.append(f"| {kind} | {count[kind]} | {turns[kind]} | {right[kind] / turns[kind]:.1%} |")
    every = [verdict for one in played for verdict in one]
    whole = sum(not verdict.wrong for verdict in every) / len(every)
    lines.append(f"| all | {len(played)} | {len(every)} | {whole:.1%} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--held-out", action="store_true", help="those in held-out/, which nothing was tuned on")
    parser.add_argument("--show", action="store_true", help="every turn that is not right")
    asked = parser.parse_args()
    played = asyncio.run(all_verdicts(asked.held_out, asked.tasks))
    if not played:
        parser.error("there are no such dialogues; put files for tasks into tests/npc/dialogues or its held-out folder")
    if asked.show:
        for verdict in (one for each in played for one in each if one.wrong):
            print(f"{verdict.dialogue}.{verdict.number} ({verdict.kind}): {verdict.said}")
            for name, messages in verdict.replies.items():
                print(f"    {name}: {' | '.join(messages) or '(silent)'}  {verdict.did[name]}")
            print(f"    -> {verdict.wrong}")
    every = [verdict for one in played for verdict in one]
    print(table(played))
    repeated, locked = sum(bool(one.repeated) for one in every), sum(bool(one.told_locked) for one in every)
    unanswered = sum(one.unanswered for one in every)
    print(f"repeated: {repeated}, locked facts told: {locked}, plain questions unanswered: {unanswered}")


if __name__ == "__main__":
    main()
