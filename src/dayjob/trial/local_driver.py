"""Many trials on this machine: a few at a time, on this event loop or in one worker process per core.

Nothing of a trial is kept here once its outcome was told: a run of ten thousand needs the memory of one of ten.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dayjob.llm.run_limits import Desk
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worklist import Worklist
from dayjob.trial.workshop import Workshop

OnOutcome = Callable[[TrialSpec, Outcome], None]


@dataclass(frozen=True, slots=True)
class Stepped:
    """A trial has come to a step."""

    spec: TrialSpec
    step: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A trial has an outcome; `again` when it is tried once more all the same."""

    spec: TrialSpec
    outcome: Outcome
    again: bool = False


Event = Stepped | Ended
Tell = Callable[[Event], None]


class Stop:
    """How a person ends a run: once, and what is at work is cancelled with its evidence kept; twice, and it is over."""

    def __init__(self, on_first: Callable[[], None] | None = None) -> None:
        self.asked = asyncio.Event()
        self._on_first = on_first

    def listen(self) -> None:
        """Take Ctrl-C and a polite kill as such a wish."""
        for one in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(one, self._wish)

    def _wish(self) -> None:
        if self.asked.is_set():
            os._exit(130)  # every child dies with us; the next start sweeps up
        self.asked.set()
        if self._on_first is not None:
            self._on_first()


async def work_through(
    worklist: Worklist,
    *,
    parallel: int,
    tell: Tell,
    stop: Stop,
    processes: int | None = None,
    hold: int | None = None,
    desk: Desk | None = None,
) -> None:
    """Run every trial of the list. `processes`: how many to work in; one is this one. `hold` is theirs to inherit.

    `desk` decides what all of them together may ask of models; without one there is no budget of the run.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    number = min(processes or cores, parallel, worklist.total)
    if number <= 1:
        await _until(stop, worklist, [_on_this_loop(worklist, parallel, tell, stop, desk)])
        return
    from dayjob.trial.worker_process import WorkerProcess

    shared = desk or Desk()
    crew = [
        WorkerProcess(worklist, parallel // number + (place < parallel % number), tell, stop, hold, shared)
        for place in range(number)
    ]
    await _until(stop, worklist, [worker.run() for worker in crew])


async def _until(stop: Stop, worklist: Worklist, work: Sequence[object]) -> None:
    """Do the work; when a person wants it to stop, nothing more is begun."""

    async def watch() -> None:
        await stop.asked.wait()
        worklist.drop()

    watching = asyncio.create_task(watch())
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)  # type: ignore[arg-type]  # coroutines of no result
    finally:
        watching.cancel()


async def _on_this_loop(worklist: Worklist, parallel: int, tell: Tell, stop: Stop, desk: Desk | None) -> None:
    async with Workshop(on_step=lambda spec, step: tell(Stepped(spec, step)), turns=desk) as workshop:

        async def hand() -> None:
            while (spec := worklist.next()) is not None:
                trial = asyncio.ensure_future(workshop.run(spec))
                stopping = asyncio.ensure_future(stop.asked.wait())
                await asyncio.wait({trial, stopping}, return_when=asyncio.FIRST_COMPLETED)
                stopping.cancel()
                if not trial.done():
                    worklist.drop()
                    trial.cancel()
                    await asyncio.wait({trial})
                outcome = _ended(spec) if trial.cancelled() else trial.result()
                tell(Ended(spec, outcome, worklist.again(spec, outcome)))

        async with asyncio.TaskGroup() as group:
            for _ in range(min(parallel, worklist.total)):
                group.create_task(hand())


def _ended(spec: TrialSpec) -> Outcome:
    try:
        return ended_outcome(spec)
    except FileNotFoundError:
        return Outcome.of(spec, Label.CANCELLED, "cancelled before it began")


def ended_outcome(spec: TrialSpec) -> Outcome:
    """The outcome a trial has left on disk."""
    return Outcome.from_json((Path(spec.out) / "outcome.json").read_text("utf-8"))


def run_trials(
    specs: Sequence[TrialSpec], *, parallel: int = 1, on_outcome: OnOutcome | None = None, stop: Stop | None = None
) -> list[Outcome]:
    """The outcomes in the order of the specs, worked out on a loop of this process.

    With `stop`, a person can end it: trials at work are taken down, and `KeyboardInterrupt` is raised.
    """
    import uvloop

    found: dict[str, Outcome] = {}

    def tell(event: Event) -> None:
        if isinstance(event, Ended):
            found[event.spec.out] = event.outcome
            if on_outcome is not None and event.outcome.label is not Label.CANCELLED:
                on_outcome(event.spec, event.outcome)

    async def main() -> None:
        if stop is not None:
            stop.listen()
        await work_through(Worklist(specs), parallel=parallel, tell=tell, stop=stop or Stop(), processes=1)

    uvloop.run(main())
    if stop is not None and stop.asked.is_set():
        raise KeyboardInterrupt
    return [found[spec.out] for spec in specs]
