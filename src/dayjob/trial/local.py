"""Many trials on this machine: a few at a time on one event loop, each outcome told as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.trial import Workshop

OnOutcome = Callable[[TrialSpec, Outcome], None]


async def run_all(
    specs: Sequence[TrialSpec], *, parallel: int = 1, cache: Path | None = None, on_outcome: OnOutcome | None = None
) -> list[Outcome]:
    """The outcomes in the order of the specs."""
    turn = asyncio.Semaphore(parallel)
    async with Workshop(cache) as workshop:

        async def one(spec: TrialSpec) -> Outcome:
            async with turn:
                outcome = await workshop.run(spec)
            if on_outcome is not None:
                on_outcome(spec, outcome)
            return outcome

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(spec)) for spec in specs]
        return [task.result() for task in tasks]


def run_trials(
    specs: Sequence[TrialSpec], *, parallel: int = 1, cache: Path | None = None, on_outcome: OnOutcome | None = None
) -> list[Outcome]:
    """The same, on a loop of its own."""
    import uvloop

    return uvloop.run(run_all(specs, parallel=parallel, cache=cache, on_outcome=on_outcome))
