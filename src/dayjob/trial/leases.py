"""The run's desk, asked from worker processes over the lines they exchange with their driver.

A worker says `{"event": "turns", "do": …}`; the driver answers what has an `id` with `{"turn": id}`, or with the reason
why nothing may be spent any more. Every call asks, so a run goes beyond its budget by the calls that are under way and
by no more. What a worker held when it went away is given back.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import asdict
from itertools import count
from typing import Any

from dayjob.llm.budget import Budget
from dayjob.llm.rate_limits import Limits
from dayjob.llm.run_limits import Desk, RunSpent, Spent, Turns

EVENT = "turns"
Say = Callable[[dict[str, Any]], None]


class LeasedTurns(Turns):
    """A worker's side: `say` sends a line to the driver, `hear` takes its answers."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    def hear(self, answer: dict[str, Any]) -> None:
        waiting = self._waiting.pop(int(answer["turn"]), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def call(self) -> None:
        answer = await self._ask("call")
        if (sentence := answer.get("spent")) is not None:
            raise RunSpent(str(sentence), Budget(**answer["share"]))

    async def enter(self, limits: Limits) -> None:
        await self._ask("enter", limits=asdict(limits))

    def leave(self, limits: Limits) -> None:
        self._tell("leave", limits=asdict(limits))

    def pause(self, limits: Limits, seconds: float) -> None:
        self._tell("pause", limits=asdict(limits), seconds=seconds)

    def spent(self, limits: Limits, what: Spent) -> None:
        self._tell("spent", limits=asdict(limits), spent=asdict(what))

    async def _ask(self, do: str, **facts: Any) -> dict[str, Any]:
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._tell(do, id=number, **facts)
        try:
            return await answer
        except asyncio.CancelledError:
            self._waiting.pop(number, None)
            self._tell("drop", id=number, **facts)
            raise

    def _tell(self, do: str, **facts: Any) -> None:
        self._say({"event": EVENT, "do": do, **facts})


class Leases:
    """The driver's side for one worker: asks the desk for it. `reply` sends a line to the worker."""

    def __init__(self, desk: Desk, reply: Say) -> None:
        self._desk = desk
        self._reply = reply
        self._held: Counter[Limits] = Counter()
        self._asked: dict[int, asyncio.Task[None]] = {}
        self._granted: deque[int] = deque(maxlen=1000)
        """The last turns that were given: an answer and a change of mind may cross."""

    def hear(self, event: dict[str, Any]) -> None:
        limits = Limits(**event["limits"]) if "limits" in event else None
        match event["do"], limits:
            case "call", _:
                self._begin(event["id"], self._call(event["id"]))
            case "enter", Limits():
                self._begin(event["id"], self._enter(event["id"], limits))
            case "drop", _:
                self._drop(event["id"], limits)
            case "leave", Limits():
                self._leave(limits)
            case "pause", Limits():
                self._desk.pause(limits, float(event["seconds"]))
            case "spent", Limits():
                self._desk.spent(limits, Spent(**event["spent"]))

    def close(self) -> None:
        """The worker is gone, or done: nothing is held for it any more."""
        for task in self._asked.values():
            task.cancel()
        for limits, held in self._held.items():
            for _ in range(held):
                self._desk.leave(limits)
        self._held.clear()

    def _begin(self, number: int, work: Any) -> None:
        task = self._asked[number] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda _: self._asked.pop(number, None))

    async def _call(self, number: int) -> None:
        try:
            await self._desk.call()
        except RunSpent as refusal:
            self._reply({"turn": number, "spent": refusal.sentence, "share": asdict(refusal.share)})
        else:
            self._reply({"turn": number})

    async def _enter(self, number: int, limits: Limits) -> None:
        await self._desk.enter(limits)
        self._held[limits] += 1
        self._granted.append(number)
        self._reply({"turn": number})

    def _drop(self, number: int, limits: Limits | None) -> None:
        """Whoever asked has gone: the turn, if it was given already, is free again."""
        if (task := self._asked.get(number)) is not None:
            task.cancel()
        if number in self._granted and limits is not None:
            self._leave(limits)

    def _leave(self, limits: Limits) -> None:
        if self._held[limits] > 0:
            self._held[limits] -= 1
            self._desk.leave(limits)
