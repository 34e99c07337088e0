"""A policy learns a task by doing it: which state of an item people mean, in their own words.

    python examples/learn_status_round.py

The family `status-round`: six items of a board may be in another state than it says; six people know. In each attempt
the policy asks all of them, reads what they answer and decides. It has no idea of language: a weight for each word and
each state, at first all zero. What it earns is what each of its changes is worth by the task's own grader (REINFORCE).
From time to time it works on variants that it does not learn from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import re
from collections import defaultdict
from collections.abc import Coroutine, Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from dayjob.env import Env
from dayjob.trial.workshop import Workshop

_T = TypeVar("_T")
WHO = {
    15: "chidi.eze", 16: "arjun.mehta", 20: "mateo.vargas", 23: "lena.fischer", 25: "ewa.kowalska", 28: "jonas.weber",
}  # fmt: skip
STATES = ("Todo", "In Progress", "In Review", "Done")
HELD_OUT = range(2000, 3000)
"""Variants that nothing is learned from."""
RATE, CRITIC = 0.2, 0.1
"""How fast weights are learned, and how fast what to expect."""


@dataclass
class Policy:
    """A softmax over the states, linear in the words of an answer and their pairs."""

    weights: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    expected: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """What a decision after such words earned so far; what is learned from is the surprise."""

    def chances(self, words: list[str]) -> list[float]:
        scores = [sum(self.weights[word, state] for word in words) for state in STATES]
        powers = [math.exp(score - max(scores)) for score in scores]
        return [power / sum(powers) for power in powers]

    def learn(self, decisions: Iterable[Decision]) -> None:
        for one in decisions:
            part = 1 / math.sqrt(len(one.words))
            surprise = one.earned - part * sum(self.expected[word] for word in one.words)
            for word in one.words:
                self.expected[word] += CRITIC * part * surprise
            for state, chance in zip(STATES, self.chances(one.words), strict=True):
                for word in one.words:
                    self.weights[word, state] += RATE * part * surprise * ((state == one.state) - chance)


@dataclass
class Decision:
    """A state for an item, why, and what it was worth."""

    words: list[str]
    state: str
    earned: float = 0.0


@dataclass(frozen=True)
class Point:
    """One row of the curve: shares of points on average, of the attempts since the last row and of held-out ones."""

    attempts: int
    learning: float | None
    held_out: float


def words_of(answer: str) -> list[str]:
    """The words of an answer, and each two that follow each other."""
    words = re.findall(r"[a-z]+", answer.lower())
    return ["", *words, *(" ".join(pair) for pair in pairwise(words))]


async def use(env: Env, tool: str, **arguments: object) -> str:
    used = await env.call(tool, arguments)
    assert not used.failed, used.text
    return used.text


async def attempt(
    workshop: Workshop, policy: Policy, variant: int, draw: random.Random | None
) -> tuple[list[Decision], float]:
    """One attempt: the decisions with what they earned, and the share of points. Without `draw`, the likeliest."""
    async with Env("status-round", variant=variant, workshop=workshop) as env:
        await env.reset()
        rows = [json.loads(row) for row in (await use(env, "board_items", project="Trellis")).splitlines()]
        now = {row["number"]: row["state"] for row in rows}
        rows = [json.loads(row) for row in (await use(env, "board_states", project="Trellis")).splitlines()]
        ids = {row["name"]: row["id"] for row in rows}
        for number, person in WHO.items():
            await use(env, "chat_post", room=f"@{person}", text=f"Good morning! In which state is TREL-{number}?")
        await use(env, "wait", length="1h")
        made: dict[int, Decision] = {}
        worth = 0
        for number, person in WHO.items():
            answer = json.loads(await use(env, "chat_read", room=f"@{person}", count=1))["text"]
            words = words_of(answer)
            chances = policy.chances(words)
            state = draw.choices(STATES, chances)[0] if draw else STATES[chances.index(max(chances))]
            made[number] = Decision(words, state)
            if state != now[f"TREL-{number}"]:
                changes = {"state": ids[state]}
                await use(env, "board_edit_item", project="Trellis", item=f"TREL-{number}", changes=changes)
                if draw:
                    before, worth = worth, (await env.grade()).result
                    made[number].earned = worth - before
        report = "\n".join(f"TREL-{number}: {one.state}" for number, one in made.items())
        await use(env, "chat_post", room="#engineering", text=report)
        marks = await env.grade()
        for one in made.values():
            one.earned += (marks.result - worth) / 2 if draw else 0.0
        return list(made.values()), marks.share


async def learn(updates: int, batch: int, variants: int, held_out: int, every: int, seed: int) -> list[Point]:
    """The curve: before anything is learned, and after each `every` updates of `batch` attempts."""
    policy = Policy()
    curve: list[Point] = []
    lately: list[float] = []
    order = random.Random(seed)
    async with Workshop() as workshop:
        for update in range(updates + 1):
            if update % every == 0 or update == updates:
                tried = [attempt(workshop, policy, HELD_OUT[number], None) for number in range(held_out)]
                shares = [share for _, share in await in_twos(tried)]
                learning = sum(lately) / len(lately) if lately else None
                curve.append(Point(update * batch, learning, sum(shares) / len(shares)))
                lately = []
            if update < updates:
                seeds = [order.random() for _ in range(batch)]
                tried = [
                    attempt(workshop, policy, (update * batch + at) % variants, random.Random(one))
                    for at, one in enumerate(seeds)
                ]
                for decisions, share in await in_twos(tried):
                    policy.learn(decisions)
                    lately.append(share)
    return curve


async def in_twos(tried: Iterable[Coroutine[Any, Any, _T]]) -> list[_T]:
    """Two at a time, which is what two cores are for; results in their order."""
    two = asyncio.Semaphore(2)

    async def one(work: Coroutine[Any, Any, _T]) -> _T:
        async with two:
            return await work

    return await asyncio.gather(*(one(work) for work in tried))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--batch", type=int, default=6, help="attempts for each update")
    parser.add_argument("--variants", type=int, default=30, help="how many to learn from")
    parser.add_argument("--held-out", type=int, default=12, help="how many to be tried on")
    parser.add_argument("--every", type=int, default=4, help="updates between two rows")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = vars(parser.parse_args())
    as_json = given.pop("json")
    curve = asyncio.run(learn(**given))
    if as_json:
        print(json.dumps([asdict(point) for point in curve]))
        return
    print("attempts  learning  held out")
    for point in curve:
        learning = "" if point.learning is None else f"{point.learning:.3f}"
        print(f"{point.attempts:8}  {learning:>8}  {point.held_out:8.3f}")


if __name__ == "__main__":
    main()
