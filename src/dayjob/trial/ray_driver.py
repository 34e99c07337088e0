"""Many trials on many machines: the driver of a run feeds slots on the nodes of a Ray cluster, as a local run its
workers. A trial lost with its node is begun again elsewhere; what is known of the loss is kept with the trial.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import Counter as Count
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dayjob import __version__
from dayjob.company.world.find import UnknownWorld
from dayjob.llm.run_limits import Desk
from dayjob.llm.settings import SettingsError
from dayjob.sandbox.sandbox import SandboxError
from dayjob.task import TaskError
from dayjob.trial.evidence import Evidence
from dayjob.trial.leases import EVENT, Leases
from dayjob.trial.local_driver import Ended, Stepped, Stop, Tell, ended_outcome
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.ray_node import Slot
from dayjob.trial.ray_settings import SETTINGS, NodeSettings, node_settings, scripts_of
from dayjob.trial.ray_transfer import Arriving, PackedTrial, Packer, pack_trial
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worklist import Worklist

# A trial that was at work on this many nodes when they went may be what takes them down.
MOST_LOSSES = 3
_LAST_WORDS = 120.0  # seconds for a cancelled trial to send its evidence
_QUIET = 30.0  # seconds without any slot before a person is told
_PIECES_AHEAD = 8  # pieces of evidence under way at a time

Note = Callable[[str], None]


class Lost(Exception):
    """The node, or its slot, went away in the middle of a trial."""


@contextmanager
def cluster(address: str | None) -> Iterator[int]:
    """Join the cluster at an address, or the one of this machine, or start one here; yields how many CPUs it has."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise SandboxError("--on ray needs Ray, which is not installed: pip install 'dayjob[ray]'") from error
    if address is not None and "://" in address:
        raise SandboxError(f"{address} is a client's address; run dayjob on a machine of the cluster, as --on ray:auto")
    try:
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise SandboxError(f"no Ray cluster answers at {address or 'this machine'}: {error}") from error
    # What Ray says of its nodes it prints between our lines, and there is no public switch for it.
    ray._private.worker._worker_logs_enabled = False
    try:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray leaves it untyped
        yield int(resources.get("CPU", 0))
    finally:
        ray.shutdown()


async def work_through(
    worklist: Worklist, *, address: str | None, parallel: int | None, tell: Tell, stop: Stop, note: Note, desk: Desk
) -> None:
    """Run every trial of the list on a cluster; by default one slot per CPU of it."""
    try:
        settings = node_settings(SETTINGS, os.environ)
    except (SettingsError, OSError) as error:
        raise SandboxError(str(error)) from error
    with cluster(address) as cpus:
        stop.listen()  # Ray takes SIGTERM for itself when it starts
        await RayDriver(worklist, settings, tell, stop, note, desk).run(min(parallel or max(cpus, 1), worklist.total))


@dataclass(eq=False)
class RayDriver:
    """The slots of one run, as its driver sees them."""

    worklist: Worklist
    settings: NodeSettings
    tell: Tell
    stop: Stop
    note: Note
    desk: Desk

    def __post_init__(self) -> None:
        import ray

        self._packer = Packer(ray.put)
        # Three calls at a time: the trial, answers about its models, and the wish to stop it.
        remote: Any = ray.remote
        self._slot_class: Any = remote(num_cpus=1, max_restarts=0, max_concurrency=3)(Slot)
        self._losses: Count[str] = Count()
        self._left = self.worklist.total
        self._all_ended = asyncio.Event()
        self._hired = 0

    async def run(self, slots: int) -> None:
        watching = [asyncio.create_task(self._watch_for_stop()), asyncio.create_task(self._watch_for_room())]
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(slots):
                    group.create_task(self._hand())
        except* (SandboxError, OSError) as several:
            raise several.exceptions[0] from None  # what stops one slot stops them all, in the same words
        finally:
            for one in watching:
                one.cancel()

    async def _watch_for_stop(self) -> None:
        await self.stop.asked.wait()
        self.worklist.drop()

    async def _watch_for_room(self) -> None:
        while not self._hired:
            await asyncio.sleep(_QUIET)
            if not self._hired:
                self.note("No node of the cluster has a CPU free for a trial yet; waiting.")

    async def _hand(self) -> None:
        """One slot after the other, for as long as there is something to do."""
        while not self._over() and (slot := await self._hire()) is not None:
            try:
                while not self.stop.asked.is_set() and (spec := self.worklist.next()) is not None:
                    await self._attempt(slot, spec)
            except Lost:
                continue
            finally:
                self._hired -= 1
                await self._dismiss(slot)
            if not len(self.worklist):
                return

    def _over(self) -> bool:
        return self._all_ended.is_set() or self.stop.asked.is_set()

    async def _hire(self) -> Any | None:
        """A slot on whatever node has room; None when there is nothing left to do before one has."""
        from ray.exceptions import RayError

        while not self._over():
            slot = self._slot_class.remote()
            hello = asyncio.ensure_future(slot.equip.remote(self.settings))
            others = [asyncio.ensure_future(self._all_ended.wait()), asyncio.ensure_future(self.stop.asked.wait())]
            try:
                await asyncio.wait({hello, *others}, return_when=asyncio.FIRST_COMPLETED)
                if hello.done():
                    self._check(hello.result())
                    self._hired += 1
                    return slot
            except RayError:
                await asyncio.sleep(1)  # its node went before it had begun: another may have room
            finally:
                for one in (hello, *others):
                    one.cancel()
            self._kill(slot)
        return None

    def _check(self, who: dict[str, str]) -> None:
        if who["dayjob"] != __version__:
            raise SandboxError(f"the node {who['node']} has dayjob {who['dayjob']} and not {__version__}: install that")

    async def _dismiss(self, slot: Any) -> None:
        from ray.exceptions import RayError

        try:
            async with asyncio.timeout(10):
                await slot.leave.remote()
        except (RayError, TimeoutError):
            pass  # it is gone already, or will be in a moment
        self._kill(slot)

    @staticmethod
    def _kill(slot: Any) -> None:
        import ray

        ray.kill(slot)

    async def _attempt(self, slot: Any, spec: TrialSpec) -> None:
        try:
            sent = await asyncio.to_thread(
                lambda: pack_trial(spec, scripts_of(spec, SETTINGS, os.environ), self._packer)
            )
        except (TaskError, UnknownWorld) as error:
            self._end(spec, _without_evidence(spec, Label.INIT_ERROR, str(error)))
            return
        except (SettingsError, OSError) as error:
            self._end(spec, _without_evidence(spec, Label.INFRA_ERROR, str(error)))
            return
        stopping = asyncio.create_task(self._cancel(slot))
        try:
            await self._receive(slot, spec, sent)
        except Lost as loss:
            self._lose(spec, str(loss))
            raise
        finally:
            stopping.cancel()

    async def _cancel(self, slot: Any) -> None:
        """When a person wants it to stop, the trial is cancelled where it runs, and given up when nothing comes."""
        await self.stop.asked.wait()
        slot.stop.remote()
        await asyncio.sleep(_LAST_WORDS)
        self._kill(slot)

    async def _receive(self, slot: Any, spec: TrialSpec, sent: PackedTrial) -> None:
        """Hear a trial's steps, take its evidence, and put it in place whole."""
        from ray.exceptions import RayError, RayTaskError

        step = "start"
        leases = Leases(self.desk, lambda answer: slot.reply.remote(json.dumps(answer)))
        with Arriving(spec) as arriving, closing(leases):
            whole = False
            try:
                events = slot.run.options(_generator_backpressure_num_objects=_PIECES_AHEAD).remote(sent)
                async for reference in events:
                    kind, said = await reference
                    whole = kind == "end"
                    if kind == "piece":
                        arriving.add(said)
                    elif kind == EVENT:
                        leases.hear(said)
                    elif kind == "step":
                        step = said
                        self.tell(Stepped(spec, said))
            except RayTaskError as error:
                sentence = f"the node could not run it: {error.cause or error}"
                self._end(spec, _without_evidence(spec, Label.INFRA_ERROR, sentence))
                return
            except RayError as error:
                raise Lost(f"its node was lost at the step {step} ({type(error).__name__})") from error
            if not whole:
                raise Lost(f"its node was lost at the step {step}")
            await asyncio.to_thread(arriving.settle)
        self._end(spec, ended_outcome(spec))

    def _lose(self, spec: TrialSpec, sentence: str) -> None:
        """Keep what is known of a trial that was lost with its node, and have it run once more."""
        self._losses[spec.out] += 1
        if self.stop.asked.is_set():
            self._end(spec, _without_evidence(spec, Label.CANCELLED, f"the trial was cancelled; {sentence}"))
            return
        outcome = _without_evidence(spec, Label.INFRA_ERROR, sentence)
        if self._losses[spec.out] >= MOST_LOSSES:
            outcome = _without_evidence(spec, Label.INFRA_ERROR, f"{sentence}, as {MOST_LOSSES - 1} others before")
            self._end(spec, outcome)
            return
        self.worklist.put_back(spec)
        self.tell(Ended(spec, outcome, again=True))

    def _end(self, spec: TrialSpec, outcome: Outcome) -> None:
        again = self.worklist.again(spec, outcome)
        self.tell(Ended(spec, outcome, again))
        if not again:
            self._left -= 1
            if not self._left:
                self._all_ended.set()


def _without_evidence(spec: TrialSpec, label: Label, reason: str) -> Outcome:
    """The outcome of a trial of which nothing else is there."""
    evidence = Evidence(Path(spec.out))
    evidence.text("spec.json", spec.to_json())
    outcome = Outcome.of(spec, label, reason)
    evidence.seal(outcome.to_json())
    return outcome
