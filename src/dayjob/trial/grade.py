"""Grading nobody can forge: the evaluator in a room of its own, on pristine layers, with a frozen copy of the work.

The room has its own user, process, mount and network namespaces and its own uid, and is read-only but for its scratch.
Nothing of the examinee's runs in it: `run_as_examinee` asks for a workbench, a third room. The verdict comes over a
pipe that was made for it, with a nonce the examinee never saw; whatever else the room prints is a log.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.types import ASGIApp

from dayjob.grading.workbench import FROZEN, INSTALLED, PORT, TOKEN
from dayjob.http.server import Server
from dayjob.sandbox.debian import authorities
from dayjob.sandbox.relay import Relay
from dayjob.sandbox.sandbox import SCRATCH, BuiltImage, Finished, Frozen, Limits, Sandbox, Site
from dayjob.scoring import Result, clean_reason
from dayjob.trial.colleagues import MODELS_HOST
from dayjob.trial.company_process import TrialCompany
from dayjob.trial.egress import PORT as EGRESS_PORT
from dayjob.trial.egress import Proxy, proxy_environment
from dayjob.trial.grader_network import GraderNetwork
from dayjob.trial.listeners import MODELS_PORT, Listeners
from dayjob.trial.workbench import PORT as WORKBENCH_PORT
from dayjob.trial.workbench import Workbenches

# What of the examinee's files a grader sees, in the places the examinee had them.
FROZEN_PATHS = ("/workspace", "/home", "/root", "/tmp", "/srv", "/mnt")

# What the examinee left running is reached for this share of a grader's time: one that never answers costs the examinee
# the checkpoint, and leaves the grader time to say so.
_SHARE_OF_WHAT_IS_LEFT = 0.6
_MOST_PORTS = 64

# The same for its code in workbenches: commands that hang end as timed out, one after the other at once.
_SHARE_OF_WORKBENCHES = 0.8

# What stands in the place of words that could tell the values of a private variant.
WITHHELD = "withheld: the variant belongs to a private set"

_START = "from dayjob.grading.verdict import main; main()"


class GraderError(Exception):
    """There is no verdict; the sentence says why. `log` is what the grader printed."""

    def __init__(self, sentence: str, log: str = "") -> None:
        super().__init__(sentence)
        self.log = log


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a grader said."""

    result: dict[str, Any] | None
    faults: list[dict[str, Any]]
    log: str
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What else whoever reads the score should know."""
    asked_for: tuple[dict[str, Any], ...] = ()
    """The hosts outside the company that it asked for, and whether it was let there."""
    raised: tuple[str, ...] = ()
    """What its checks raised, in words."""
    left_out: tuple[str, ...] = ()
    """Checks that ask a model, where models are left out."""

    def withheld(self) -> Verdict:
        """The same without a word of its checks, which name what was asked for: for variants of a private set."""
        result = self.result and {**self.result, "checkpoints": (self.marks or {}).get("checkpoints", [])}
        faults = [{**fault, "sentence": WITHHELD} if "sentence" in fault else fault for fault in self.faults]
        return replace(
            self,
            result=result,
            faults=faults,
            log=f"{WITHHELD}\n",
            raised=(WITHHELD,) if self.raised else (),
            left_out=(WITHHELD,) if self.left_out else (),
        )

    @property
    def marks(self) -> dict[str, Any] | None:
        """The result without its words: the same work must get the same marks, each time it is graded."""
        if self.result is None:
            return None
        rows = [{"total": row["total"], "result": row["result"]} for row in self.result["checkpoints"]]
        return {**self.result, "checkpoints": rows}


@dataclass(frozen=True, slots=True)
class GradingInputs:
    """Everything a grading needs, so that it can be done again."""

    site: Site
    server: Server
    company: TrialCompany
    image: BuiltImage
    services: tuple[str, ...]
    frozen: Frozen
    examinee: Sandbox | None
    """Where the work was done, for what was left running there; None when it is gone."""
    trajectory: str
    models: ASGIApp
    """Where the evaluator asks its judge."""
    limits: Limits = field(default_factory=Limits)
    installed: bool = False
    """Whether workbenches have what the examinee installed unless an evaluator says: it had a way to packages."""
    network: GraderNetwork = field(default_factory=GraderNetwork)


async def grade(inputs: GradingInputs, environment: Mapping[str, str], *, within: float) -> Verdict:
    """Run the evaluator once. Raises `GraderError` when it gives no verdict and no fault explains why."""
    world = inputs.company.world
    ours = [*(world.ports[name] for name in (*inputs.services, "control")), MODELS_PORT]
    network = inputs.network
    taken = [*ours, WORKBENCH_PORT, *([EGRESS_PORT] if network else [])]
    left_running = await ports_left(inputs.examinee, taken) if inputs.examinee is not None else []
    room = inputs.site.sandbox(
        inputs.image,
        name="grader",
        kind="evaluator",
        listen=[*taken, *left_running],
        hosts=_hosts(inputs),
        limits=inputs.limits,
        frozen=inputs.frozen,
        clock=inputs.company.page,
        files={"/utils/trajectory.txt": inputs.trajectory, **(authorities() if network.policy else {})},
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(inputs.site.forget, inputs.frozen)
        stack.push_async_callback(room.stop)
        sockets = (await room.start()).listeners
        doors = Listeners(inputs.server, inputs.company, {port: sockets[port] for port in ours})
        stack.push_async_callback(doors.give_up)
        await doors.open("grader", inputs.services, inputs.models)
        if inputs.examinee is not None:
            left = {port: sockets[port] for port in left_running}
            await stack.enter_async_context(Relay(inputs.examinee, left, within * _SHARE_OF_WHAT_IS_LEFT))
        benches = Workbenches(
            lambda ports, installed: _workbench(inputs, ports, installed),
            sockets[WORKBENCH_PORT],
            within * _SHARE_OF_WORKBENCHES,
            most=inputs.limits.disk,
            installed=inputs.installed,
        )
        await stack.enter_async_context(benches)
        found = {
            PORT: str(WORKBENCH_PORT),
            TOKEN: benches.token,
            FROZEN: ":".join(inputs.frozen.paths),
            INSTALLED: ":".join(await asyncio.to_thread(inputs.frozen.programs)),
        }
        if not network:
            return await _evaluate(room, {**environment, **found}, within)
        proxy = await stack.enter_async_context(Proxy(network.policy, sockets[EGRESS_PORT]))
        verdict = await _evaluate(room, {**environment, **found, **proxy_environment(world.host)}, within)
        faults = [*verdict.faults, *network.faults(proxy.seen)]
        return replace(verdict, faults=faults, asked_for=tuple(proxy.seen))


def _workbench(inputs: GradingInputs, ports: bool, installed: bool) -> Sandbox:
    """Where the examinee's code is run for a check: its files and its image, and nothing that only graders may see.

    `installed`: the system is as the examinee left it.
    """
    return inputs.site.sandbox(
        inputs.image.without_grading(),
        name="workbench",
        kind="workbench",
        listen=() if ports else None,
        hosts=_hosts(inputs),
        limits=inputs.limits,
        frozen=inputs.frozen,
        installed=installed,
        withheld=inputs.image.withheld,
        clock=inputs.company.page,
    )


def _hosts(inputs: GradingInputs) -> dict[str, str]:
    return {inputs.company.world.host: "127.0.0.1", MODELS_HOST: "127.0.0.1"}


async def ports_left(examinee: Sandbox, ours: Sequence[int]) -> list[int]:
    """The ports of what the examinee left running, the lowest of them if there are very many."""
    return [port for port in await examinee.open_ports() if port not in ours][:_MOST_PORTS]


async def _evaluate(room: Sandbox, environment: Mapping[str, str], within: float) -> Verdict:
    nonce = secrets.token_hex(16)
    done = await room.evaluate(
        _START,
        cwd="/workspace",
        # A home without anything of the examinee's: programs an evaluator starts read their settings there.
        env={**environment, "HOME": "/utils", "TMPDIR": SCRATCH, "PYTHONNOUSERSITE": "1"},
        stdin=nonce.encode(),
        within=within,
        utils=True,
    )
    return _verdict(nonce, done, within)


def _verdict(nonce: str, done: Finished, within: float) -> Verdict:
    log = done.error_text
    if done.dropped:
        log += f"\n[{done.dropped} bytes of output were dropped]\n"
    if done.timed_out:
        raise GraderError(f"the evaluator did not end within {within:g} s", log)
    try:
        verdict = json.loads(done.stdout)
    except ValueError:
        raise GraderError(f"the grader ended with {done.exit_code} and gave no verdict", log) from None
    if not isinstance(verdict, dict) or not secrets.compare_digest(str(verdict.get("nonce")), nonce):
        raise GraderError("the verdict does not carry this trial's nonce", log)
    faults = [fault for fault in verdict.get("faults") or [] if isinstance(fault, dict)]
    notes = tuple(str(note) for note in verdict.get("notes") or ())
    raised = tuple(clean_reason(str(one)) for one in verdict.get("raised") or ())
    left_out = tuple(clean_reason(str(one)) for one in verdict.get("left_out") or ())
    if verdict.get("result") is None:
        if faults:
            return Verdict(None, faults, log, done.seconds, notes, raised=raised)
        raise GraderError(f"the evaluator ended with {verdict.get('exit')} and no result: {_last_error(log)}", log)
    try:
        result = Result.from_dict(verdict["result"]).to_dict()
    except (TypeError, ValueError) as error:
        raise GraderError(f"the result is not one: {error}", log) from error
    return Verdict(result, faults, log, done.seconds, notes, raised=raised, left_out=left_out)


def _last_error(log: str) -> str:
    lines = [line for line in log.splitlines() if line.startswith("ERROR")] or log.strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
