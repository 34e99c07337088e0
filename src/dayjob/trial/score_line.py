"""The score line: what the work is worth after each step, graded on copies beside the work.

A copy is made where the examinee is known to rest: when it asks its model for what to do next, when an agent of this
process says that a step is over, or, as long as neither has happened, when a request of its has changed something and
it waits for the answer. They are graded one after the other. A grading that fails costs a note, and never the trial.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.agent import Trajectory
from dayjob.trial.colleagues import Passes
from dayjob.trial.company_process import CompanyLost
from dayjob.trial.egress import PORT as EGRESS_PORT
from dayjob.trial.grade import WITHHELD, GraderError, Verdict, ports_left
from dayjob.trial.listeners import MODELS_PORT
from dayjob.trial.outcome import Outcome
from dayjob.trial.premises import Premises
from dayjob.trial.score_rows import EXTRA, FILE, FORMAT, Point, assigned
from dayjob.trial.work_clock import WorkClock
from dayjob.trial.work_copy import WorkCopy, copy_work, grade_copy

MOST_POINTS = 1000
MOST_WAITING = 64
MOST_WAITING_BYTES = 512 * 1024 * 1024
"""Of copies that wait to be graded; there is always room for one."""
REST_SECONDS = 200.0
"""How long gradings may go on when the work has ended and was graded itself."""

Told = Callable[[], Awaitable[str]]


class _Known(IntEnum):
    """How it is known that the examinee rests. Once something better is known, the worse no longer counts."""

    CHANGED = 1
    ASKED = 2
    TOLD = 3


class ScoreLine:
    """The line of one trial; without `score_every` in its spec it does nothing. `async with`, inside the premises."""

    def __init__(self, at: Premises) -> None:
        self.at = at
        self.every = at.spec.score_every
        self.points: list[Point] = []
        self.notes: list[str] = []
        self._known = _Known.CHANGED
        self._answered = 0
        self._steps = 0
        self._missed = 0
        self._seen: tuple[int, str] | None = None
        """How many changes there were, and which files, when it was last looked."""
        self._ports: set[int] = set()
        self._left_out: dict[str, None] = {}
        self._moment = asyncio.Lock()
        self._queue: asyncio.Queue[tuple[Point, WorkCopy]] = asyncio.Queue()
        self._waiting = self._waiting_bytes = 0
        self._judge: Passes | None = None

    async def __aenter__(self) -> ScoreLine:
        if self.every is not None:
            self._folder = owned.folder("line")
            if self.at.spec.score_judge:
                self._judge = self.at.passes.apart("score-line")
            self._grading = asyncio.create_task(self._grade_all())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.every is None:
            return
        self._grading.cancel()
        await asyncio.gather(self._grading, return_exceptions=True)
        for point in self.points:
            if point.result is None and not point.failed:
                point.failed = "the trial ended before it was graded"
        if self._judge is not None:
            self._judge.close()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    # -- while the examinee works --------------------------------------------------------------------------------

    @asynccontextmanager
    async def drawn(self, trajectory: Trajectory, clock: WorkClock, told: Told) -> AsyncIterator[None]:
        """Look along the way at what is done in the block; `told` is what evaluators are given of the trajectory."""
        if self.every is None:
            yield
            return
        self._trajectory, self._clock, self._told = trajectory, clock, told
        access = self.at.passes.of("examinee")
        company = self.at.company
        await self._carefully(self._look_first())
        company.on_changed = self._changed
        if access is not None:
            access.on_asking = self._asking
        try:
            await company.tell_changes(True)
            yield
        finally:
            company.on_changed = None
            if access is not None:
                access.on_asking = None
            async with self._moment:
                with contextlib.suppress(CompanyLost):  # whoever asks it next is told
                    await company.tell_changes(False)

    async def stepped(self) -> None:
        """An agent of this process says that a step of its is over."""
        await self._rest(_Known.TOLD)

    async def _changed(self) -> None:
        await self._rest(_Known.CHANGED)

    async def _asking(self) -> None:
        """What it has done since its model last answered was a step; a question asked again is none."""
        answered = self.at.passes.answered("examinee")
        if answered > self._answered:
            self._answered = answered
            await self._rest(_Known.ASKED)
        else:
            self._known = max(self._known, _Known.ASKED)

    async def _rest(self, known: _Known) -> None:
        if self.every is None or known < self._known:
            return
        self._known = known
        async with self._moment:
            self._steps += 1
            if self.every.isdigit() and self._steps % int(self.every):
                return
            with self._clock.still():
                await self._carefully(self._look())

    async def _carefully(self, looking: Awaitable[None]) -> None:
        """Whatever goes wrong here is told, and the work goes on."""
        try:
            await looking
        except Exception as error:
            self.at.evidence.log("score_line", traceback.format_exc())
            self._note(f"a copy could not be made: {type(error).__name__}: {error}; see logs/score_line.log")

    async def _look_first(self) -> None:
        """How it was before anything was done, where steps that change nothing do not count."""
        if self.every == "change":
            copy = await self._copy("")
            self._seen = copy.looked.changed, copy.files
            await _remove(copy.folder)

    async def _look(self) -> None:
        full = self._waiting and (self._waiting >= MOST_WAITING or self._waiting_bytes >= MOST_WAITING_BYTES)
        if full or len(self.points) >= MOST_POINTS:
            self._missed += 1
            return
        if self._trajectory.refresh is not None:
            await self._trajectory.refresh()
        began = time.monotonic()
        copy = await self._copy(await self._told())
        seen = copy.looked.changed, copy.files
        if self.every == "change" and seen == self._seen:
            await _remove(copy.folder)
            return
        self._seen = seen
        ours = [*self.at.company.world.ports.values(), MODELS_PORT, EGRESS_PORT]
        self._ports.update(await ports_left(self.at.sandbox, ours))
        now = time.monotonic()
        point = Point(now - self.at.began, copy.looked.now, self._last_step(), self._answered, now - began)
        self.points.append(point)
        self._waiting, self._waiting_bytes = self._waiting + 1, self._waiting_bytes + copy.size
        self._queue.put_nowait((point, copy))

    async def _copy(self, trajectory: str) -> WorkCopy:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            return await copy_work(self.at, folder, trajectory)
        except BaseException:
            await _remove(folder)
            raise

    def _last_step(self) -> int | None:
        return max(self._agent_steps(self._trajectory), default=None)

    @staticmethod
    def _agent_steps(trajectory: Trajectory) -> list[int]:
        return [number for number, step in enumerate(trajectory.steps, 1) if step.source == "agent"]

    # -- beside the work -----------------------------------------------------------------------------------------

    async def _grade_all(self) -> None:
        """One after the other, in order."""
        while True:
            point, copy = await self._queue.get()
            try:
                self._take(point, await grade_copy(self.at, copy, self._judge))
            except Exception as error:
                said = str(error) if isinstance(error, GraderError) else f"{type(error).__name__}: {error}"
                point.failed = WITHHELD if self._private else said
            finally:
                await _remove(copy.folder)
                self._waiting, self._waiting_bytes = self._waiting - 1, self._waiting_bytes - copy.size
                self._queue.task_done()

    def _take(self, point: Point, verdict: Verdict) -> None:
        point.seconds = verdict.seconds
        self._left_out.update(dict.fromkeys(verdict.left_out))
        point.take(verdict, withheld=self._private)
        if point.failed and self._private:
            point.failed = WITHHELD

    @property
    def _private(self) -> bool:
        return self.at.spec.variant_set is not None

    async def finish(self) -> None:
        """Let what is still to be graded come to its end, if it does so in time."""
        if self.every is None:
            return
        try:
            async with asyncio.timeout(REST_SECONDS):
                await self._queue.join()
        except TimeoutError:
            self._note(f"{self._queue.qsize() + 1} gradings did not end within {REST_SECONDS:g} s of the work's end")

    # -- what is kept --------------------------------------------------------------------------------------------

    def keep(self, outcome: Outcome) -> None:
        """Write the line down: in a file of its own, in the outcome, and in the agent's steps."""
        if self.every is None or not hasattr(self, "_trajectory"):
            return
        steps = self._agent_steps(self._trajectory)
        assigned(self.points, steps, self.at.passes.answered("examinee"))
        kept = [*self.points, *self._last(outcome, steps)]
        for point in kept:
            if point.step is not None:
                extra = self._trajectory.steps[point.step - 1].extra
                extra[EXTRA] = [*extra.get(EXTRA, []), point.in_a_step()]
        self._tell_notes()
        outcome.notes += [f"score line: {note}" for note in self.notes]
        failed = sum(1 for point in kept if point.failed)
        about: dict[str, Any] = {"every": self.every, "judge": self._judge is not None}
        rows = [point.as_dict() for point in kept]
        self.at.evidence.json(FILE, {"format": FORMAT, **about, "notes": self.notes, "points": rows})
        if self._judge is not None:
            outcome.resources["score_line"] = self._judge.usage()
        outcome.score_line = {
            "file": FILE,
            **about,
            "points": len(kept),
            "failed": failed,
            "best": max((point.result for point in kept if point.result is not None), default=None),
            "held": round(sum(point.held for point in self.points), 3),
            "seconds": round(sum(point.seconds for point in self.points), 3),
        }

    def _last(self, outcome: Outcome, steps: list[int]) -> list[Point]:
        """What it was worth in the end, as the trial's own grading said."""
        if not outcome.scored or not outcome.checkpoints:
            return []
        moments = self.at.company.moments
        ended = sum(outcome.timings.get(step, 0.0) for step in ("build", "start", "init", "setup", "work"))
        last = Point(ended, moments[-1][2], max(steps, default=None), result=outcome.result, total=outcome.total)
        last.checkpoints = [dict(row) for row in outcome.checkpoints]
        return [last]

    def _tell_notes(self) -> None:
        if failed := [point for point in self.points if point.failed]:
            self._note(f"{len(failed)} of {len(self.points)} gradings failed: {failed[0].failed}")
        if self._missed:
            self._note(f"{self._missed} steps were not graded: {MOST_WAITING} copies waited, or there were too many")
        if self._left_out:
            self._note(f"checks that ask a model are left out ({', '.join(self._left_out)}); --score-judge makes them")
        if self._ports:
            ports = ", ".join(map(str, sorted(self._ports)))
            self._note(f"what listened on port {ports} was not reached along the way; only the last grading reaches it")

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


async def _remove(folder: Path) -> None:
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
