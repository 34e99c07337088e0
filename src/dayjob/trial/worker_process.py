"""A worker process as the run sees it: given trials while it has a hand free, replaced when it dies.

A trial whose worker died is an `infra_error` like any other: it says so in its outcome, and may be tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.llm.calls import usage_in
from dayjob.llm.run_limits import Desk
from dayjob.trial.evidence import sentence_about
from dayjob.trial.leases import EVENT, Leases
from dayjob.trial.liveness import Liveness, sentence
from dayjob.trial.local_driver import Ended, Stepped, Stop, Tell, ended_outcome
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worker import BEAT, LONGEST_LINE
from dayjob.trial.worklist import Worklist
from dayjob.whole_files import write_whole


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """`hands` trials at a time in a process of their own."""

    worklist: Worklist
    hands: int
    tell: Tell
    stop: Stop
    hold: int | None
    desk: Desk
    _at_work: dict[str, TrialSpec] = field(default_factory=dict, init=False)
    _stuck: str = field(default="", init=False)

    async def run(self) -> None:
        """Work until the list is empty, in as many processes one after the other as it takes."""
        while len(self.worklist) and not self.stop.asked.is_set():
            await self._one_process()

    async def _one_process(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dayjob.trial.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,  # a Ctrl-C is for us to understand
            pass_fds=() if self.hold is None else (self.hold,),
        )
        assert process.stdin is not None
        assert process.stdout is not None
        dismissing = asyncio.create_task(self._dismiss(process.stdin))
        stdin, life = process.stdin, Liveness(process.pid)
        watching = asyncio.create_task(self._watch(process, life))
        leases = Leases(self.desk, lambda answer: _answer(stdin, answer))
        try:
            self._feed(process.stdin)
            while self._at_work and (line := await process.stdout.readline()):
                life.beat()
                self._hear(json.loads(line), leases)
                if not self.stop.asked.is_set():
                    self._feed(process.stdin)
        finally:
            dismissing.cancel()
            leases.close()
            process.stdin.close()
            code = await process.wait()
            watching.cancel()
        for spec in tuple(self._at_work.values()):
            self._end(spec, cut_short(spec, self._stuck or code, cancelled=self.stop.asked.is_set()))

    async def _watch(self, process: asyncio.subprocess.Process, life: Liveness) -> None:
        """End a process whose loop does not turn: its trials are tried again in another."""
        self._stuck = ""
        while not self._stuck:
            await asyncio.sleep(1)
            if stuck := life.stuck():
                self._stuck = sentence(process.pid, stuck)
                with contextlib.suppress(ProcessLookupError):
                    process.kill()

    async def _dismiss(self, stdin: asyncio.StreamWriter) -> None:
        await self.stop.asked.wait()
        self.worklist.drop()
        stdin.close()

    def _feed(self, stdin: asyncio.StreamWriter) -> None:
        while len(self._at_work) < self.hands and (spec := self.worklist.next()) is not None:
            self._at_work[spec.out] = spec
            # A process that has ended: uvloop raises RuntimeError. Who waits for it says what became of the trial.
            with contextlib.suppress(RuntimeError):
                stdin.write(" ".join(spec.to_json().split("\n")).encode() + b"\n")

    def _hear(self, event: dict[str, Any], leases: Leases) -> None:
        if event["event"] == BEAT:
            return
        if event["event"] == EVENT:
            leases.hear(event)
            return
        spec = self._at_work[str(event["out"])]
        if event["event"] == "step":
            self.tell(Stepped(spec, str(event["step"])))
        else:
            self._end(spec, Outcome.from_json(json.dumps(event["outcome"])))

    def _end(self, spec: TrialSpec, outcome: Outcome) -> None:
        del self._at_work[spec.out]
        self.tell(Ended(spec, outcome, self.worklist.again(spec, outcome)))


def _answer(stdin: asyncio.StreamWriter, answer: dict[str, Any]) -> None:
    if not stdin.is_closing():
        stdin.write(json.dumps(answer).encode() + b"\n")


def cut_short(spec: TrialSpec, how: int | str, *, cancelled: bool) -> Outcome:
    """What came of a trial whose process went away before it said anything: with a code, or ended by us."""
    if cancelled:
        reason, label = "the trial was cancelled", Label.CANCELLED
    else:
        reason = how if isinstance(how, str) else f"the worker process ended with {how}"
        label = Label.INFRA_ERROR
    try:
        return ended_outcome(spec)
    except FileNotFoundError:
        outcome = Outcome.of(spec, label, reason)
        outcome.resources["models"] = usage_in(Path(spec.out) / "models.jsonl")
    try:
        write_whole(Path(spec.out) / "outcome.json", outcome.to_json().encode())
    except OSError as error:
        # Without an outcome on the disk it is done again, which is what this one would say too.
        outcome.reason += f"; this could not be written: {sentence_about(error)}"
    return outcome
