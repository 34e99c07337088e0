"""What a colleague's model is told, in tokens a call: letters of all messages, divided by four.

The calls are the same each time: the first two colleagues of every task with three messages of a written dialogue in
direct messages, and the first of them mentioned twice in a channel with a past.

python -m bench.colleague_prompts [--parts]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from dayjob.company.world.find import find_world
from dayjob.npc.directory import Directory
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.llm_mind import LlmMind
from dayjob.npc.minds import Briefing
from dayjob.npc.persona import Persona
from dayjob.npc.sheet_mind import SheetMind
from dayjob.task.scenario import Scenario
from tools.conversations import NOW, ROOT, dialogues, parts, people

PAST = 30
"""So many lines a channel has before somebody is mentioned in it."""
WORK = "On the forge I have !31 (Move the totals into one query), #14 (Totals differ from the invoices)."
LETTERS = 4


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as it would go to the model."""

    where: str
    task: str
    persona: Persona
    scenario: Scenario
    talk: Conversation
    messages: list[dict[str, str]]

    @property
    def tokens(self) -> float:
        return sum(len(one["content"]) for one in self.messages) / LETTERS


class Listening:
    """A model that writes down what it is asked and is silent."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, str]]] = []

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append([dict(one) for one in body["messages"]])
        silent = json.dumps({"action": "silent", "message": "", "facts": [], "promises": [], "do": []})
        return {"choices": [{"message": {"content": silent}, "finish_reason": "stop"}], "usage": {"total_tokens": 1}}


def written(task: str, name: str) -> list[str]:
    """Three messages of somebody's to this colleague."""
    for one in dialogues(tasks=[task]):
        if one["with"] == name and one["where"] == "direct" and len(one["turns"]) > 2:
            texts = [turn["sam"] for turn in one["turns"][:3]]
            return ["\n".join(text) if isinstance(text, list) else text for text in texts]
    return ["Hello, do you have a minute?", "What do I need to know?", "Thank you. Anything else?"]


async def calls() -> list[Call]:
    everybody = people(find_world("larkspur"))
    found: list[Call] = []
    for task in sorted({one["task"] for one in dialogues()}):
        scenarios = parts(ROOT / "tasks" / task)
        for at, (name, scenario) in enumerate(list(scenarios.items())[:2]):
            persona = everybody[name]
            found += [one async for one in _direct(task, persona, scenario, everybody)]
            if at == 0:
                found += [one async for one in _in_channel(task, persona, scenario, everybody)]
    return found


def _briefing(persona: Persona, scenario: Scenario, everybody: dict[str, Persona]) -> Briefing:
    async def work(_: str) -> str:
        return WORK

    every = tuple(everybody.values())
    goes_to = partial(Directory(every).for_question, apart_from=persona.username)
    return Briefing(persona, scenario, "Larkspur", lambda: NOW, goes_to=goes_to, people=every, own_work=work)


async def _asked(
    where: str, task: str, briefing: Briefing, mind: LlmMind, access: Listening, talk: Conversation, line: Line
) -> Call:
    talk.lines.append(line)
    access.asked.clear()
    await mind.decide(talk, [line])
    return Call(where, task, briefing.persona, briefing.scenario, _copied(talk), access.asked[0])


def _copied(talk: Conversation) -> Conversation:
    return Conversation.recalled_from(json.loads(json.dumps(talk.memory)))


async def _direct(task: str, persona: Persona, scenario: Scenario, everybody: dict[str, Persona]) -> Any:
    briefing, access = _briefing(persona, scenario, everybody), Listening()
    mind, other = LlmMind(briefing, access), SheetMind(briefing)
    mind.conversations = lambda: (talk,)
    talk = Conversation("d1", "d")
    for number, text in enumerate(written(task, persona.name)):
        line = _line(f"s{number}", "d1", "Sam Reed", text, number)
        yield await _asked("direct", task, briefing, mind, access, talk, line)
        for said in (await other.decide(_copied(talk), [line])).messages:
            talk.lines.append(_line(f"a{number}", "d1", persona.name, said, number))


async def _in_channel(task: str, persona: Persona, scenario: Scenario, everybody: dict[str, Persona]) -> Any:
    briefing, access = _briefing(persona, scenario, everybody), Listening()
    mind = LlmMind(briefing, access)
    mind.conversations = lambda: (talk,)
    talk = Conversation("c1", "c", "general")
    texts = _talk_of_others()
    names = [one for one in everybody if one != persona.name]
    for number in range(PAST):
        talk.lines.append(_line(f"p{number}", "c1", names[number % len(names)], next(texts), number - PAST))
    for number, text in enumerate(written(task, persona.name)[:2]):
        line = _line(f"s{number}", "c1", "Sam Reed", f"@{persona.username} {text}", number, (persona.username,))
        yield await _asked("channel", task, briefing, mind, access, talk, line)


def _talk_of_others() -> Iterator[str]:
    for one in dialogues():
        for turn in one["turns"]:
            if isinstance(turn["sam"], str):
                yield turn["sam"]


def _line(id: str, room: str, name: str, text: str, minute: int, mentions: tuple[str, ...] = ()) -> Line:
    at = round((NOW + timedelta(minutes=minute)).timestamp() * 1000)
    return Line(id, room, name.casefold().replace(" ", "."), name, text, at, "", mentions)


def parts_of(call: Call) -> Counter[str]:
    """The letters of the system message, by what its paragraphs begin with."""
    found: Counter[str] = Counter()
    for paragraph in call.messages[0]["content"].split("\n\n"):
        found[" ".join(paragraph.split()[:3])] += len(paragraph)
    found["(the talk)"] = sum(len(one["content"]) for one in call.messages[1:])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", action="store_true", help="what takes how much")
    asked = parser.parse_args()
    every = asyncio.run(calls())
    print("| where | calls | tokens a call |\n| --- | ---: | ---: |")
    for where in ("direct", "channel"):
        some = [one for one in every if one.where == where]
        print(f"| {where} | {len(some)} | {sum(one.tokens for one in some) / len(some):,.0f} |")
        if asked.parts:
            counted: Counter[str] = sum((parts_of(one) for one in some), Counter())
            for begins, letters in counted.most_common(24):
                print(f"    {letters / LETTERS / len(some):7.1f}  {begins}")


if __name__ == "__main__":
    main()
