"""Tasks as a taskset of verifiers: `vf-eval dayjob-tasks --env.taskset.tasks example`.

A taskset with a harness of its own: the model is asked through verifiers' own endpoint, so traces and tokens are
theirs, and its tools work in the company. The reward is the share of points that the work is worth in the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dayjob.adapters.missing import needs
from dayjob.agent.worker.worker import SYSTEM, read_answer
from dayjob.env import CallError, Env, Marks
from dayjob.task import Task
from dayjob.task.family import is_family
from dayjob.task.find import named, own_tasks
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop

with needs("verifiers"):
    import httpx
    import verifiers.v1 as vf

_open: dict[str, Env] = {}
"""The environments of rollouts that are under way, by trace."""
_workshop: Workshop | None = None


class OfficeConfig(vf.TasksetConfig):
    """Which tasks, and how."""

    tasks: list[str] = []  # noqa: RUF012  # pydantic copies it
    """Names or folders; all that come with dayjob when there are none."""
    variants: list[int] = [0]  # noqa: RUF012  # likewise
    """Of each family."""
    seed: int = 0
    world: str | None = None
    npc_model: str | None = None
    judge_model: str | None = None


class OfficeData(vf.TaskData):
    """One task."""

    task: str
    variant: int | None
    seed: int
    world: str | None
    npc_model: str | None
    judge_model: str | None

    def env(self, workshop: Workshop | None) -> Env:
        return Env(
            self.task, variant=self.variant, seed=self.seed, world=self.world, npc_model=self.npc_model,
            judge_model=self.judge_model, workshop=workshop,
        )  # fmt: skip


class OfficeState(vf.State):
    """What the work was worth."""

    result: int = 0
    total: int = 0
    reasons: list[str] = []  # noqa: RUF012  # likewise


class OfficeTask(vf.Task[OfficeData, OfficeState, vf.TaskConfig]):
    """Graded when the rollout is over; what nobody has worked on is graded as it is."""

    async def finalize(self, trace: vf.Trace) -> None:
        if (env := _open.get(trace.id)) is not None:
            marks = await env.grade()
        else:
            async with self.data.env(_workshop) as untouched:
                await untouched.reset()
                marks = await untouched.grade()
        _keep(trace.state, marks)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """The task's own solution gets full marks."""
        data = self.data
        with tempfile.TemporaryDirectory(prefix="dayjob-validate-") as out:
            spec = TrialSpec(data.task, "oracle", out, world=data.world, seed=str(data.seed), variant=data.variant)
            async with Workshop() as workshop:
                outcome = await workshop.run(spec)
        if outcome.label in (Label.RESOLVED, Label.FAILED):
            return outcome.label is Label.RESOLVED
        raise RuntimeError(outcome.reason)

    @vf.reward
    async def share(self, trace: vf.Trace) -> float:
        return trace.state.result / trace.state.total if trace.state.total else 0.0

    @vf.metric
    async def resolved(self, trace: vf.Trace) -> float:
        return float(trace.state.total > 0 and trace.state.result == trace.state.total)


class OfficeTaskset(vf.Taskset[OfficeTask, OfficeConfig]):
    """Tasks, and variants of families."""

    def load(self) -> Iterator[OfficeTask]:
        given = self.config
        for folder in [named(Path(one)).resolve() for one in given.tasks] or own_tasks():
            family = is_family(folder)
            for variant in given.variants if family else [None]:
                name = f"{folder.name}-{variant}" if family else folder.name
                # The whole instruction tells the company's time; the harness asks the company for it.
                prompt = Task.load(folder).instruction if not family else (folder / "task.md").read_text("utf-8")
                data = OfficeData(
                    name=name, prompt=prompt, task=str(folder), variant=variant, seed=given.seed, world=given.world,
                    npc_model=given.npc_model, judge_model=given.judge_model,
                )  # fmt: skip
                yield OfficeTask(data, given.task)


class OfficeHarnessConfig(vf.HarnessConfig):
    """How long a model may work."""

    turns: int = 100


class OfficeHarness(vf.Harness[OfficeHarnessConfig]):
    """Asks the model, uses the tools it asks for, tells it, until it finishes. Nothing of it runs on this machine."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: vf.ModelContext, trace: vf.Trace, runtime: vf.Runtime, endpoint: str, secret: str,
        mcp_urls: dict[str, str], data: OfficeData,
    ) -> vf.ProgramResult:  # fmt: skip
        env = _open[trace.id] = data.env(_workshop)
        start = await env.reset()
        system = data.system_prompt or SYSTEM
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
        messages.append({"role": "user", "content": start.instruction})
        asked = {"model": ctx.model, "messages": messages, "tools": [tool.function for tool in env.tools()]}
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(headers=headers, timeout=None, trust_env=False) as client:
            for _ in range(self.config.turns):
                answer = await client.post(f"{endpoint.rstrip('/')}/chat/completions", json=asked)
                if not answer.is_success:  # refused, as by a limit, or the provider's fault: verifiers knows which
                    return vf.ProgramResult(1, "", answer.text)
                _, calls = read_answer(answer.json())
                messages.append(answer.json()["choices"][0]["message"])
                for call in calls:
                    given, problem = call.parsed()
                    told = problem or await _use(env, call.name, given)
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": told})
                if not calls or env.finished is not None:
                    break
        return vf.ProgramResult(0, "", "")

    async def cleanup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        if (env := _open.pop(trace.id, None)) is not None:
            await env.close()


class Office(vf.SingleAgentEnv):
    """One workshop for all rollouts of a process."""

    async def start(self) -> None:
        global _workshop
        _workshop = await Workshop().__aenter__()

    async def stop(self) -> None:
        global _workshop
        if (workshop := _workshop) is not None:
            _workshop = None
            await workshop.__aexit__(None, None, None)


def _keep(state: OfficeState, marks: Marks) -> None:
    state.result, state.total = marks.result, marks.total
    state.reasons = [f"{one.result}/{one.total} {one.reason}".rstrip() for one in marks.checkpoints]


async def _use(env: Env, name: str, arguments: dict[str, Any]) -> str:
    """What the model is told; a call that cannot be made is told as well."""
    try:
        return (await env.call(name, arguments)).text
    except CallError as error:
        return str(error)
