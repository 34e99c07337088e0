"""The straight line: build, clone the company, start the sandbox, init, work, grade, collect evidence, tear down.

Each step has one time limit and one label for its failure; a failure before the work is never the examinee's. Whatever
happens, there is an outcome, its evidence is in the trial's folder, and nothing is left running.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from dayjob.agent import Agent, AgentError, Assignment, Trajectory, make_agent
from dayjob.llm.faults import Label as ModelLabel
from dayjob.sandbox.sandbox import Sandbox, SandboxError
from dayjob.task import Task
from dayjob.trial.accounts import environment, examinee, renew
from dayjob.trial.colleague_audit import audit_trial
from dayjob.trial.company_process import CompanyLost, TrialCompany
from dayjob.trial.egress import PORT as EGRESS_PORT
from dayjob.trial.evidence import Evidence, left_out_note, sentence_about
from dayjob.trial.examinee_began import Traces, changed_since, never_began
from dayjob.trial.failed_step import StepFailed
from dayjob.trial.grade import FROZEN_PATHS, WITHHELD, GraderError, GradingInputs, Verdict, grade, ports_left
from dayjob.trial.grading_archive import keep
from dayjob.trial.instruction import instruction_for
from dayjob.trial.listeners import MODELS_PORT, Listeners
from dayjob.trial.outcome import EXHAUSTED, Label, Outcome, label_for, without_digests
from dayjob.trial.premises import Premises, let_in, open_to_examinee
from dayjob.trial.preparation import BUILD_SECONDS, Preparation
from dayjob.trial.score_line import ScoreLine
from dayjob.trial.spec import TrialSpec
from dayjob.trial.steps import Step
from dayjob.trial.strip_task import without_task
from dayjob.trial.work_clock import WorkClock
from dayjob.trial.workshop import Workshop

SAVING_SECONDS = 60.0


class Trial:
    """One trial, from its spec to its outcome. `agent` drives the examinee in place of the one that the spec names."""

    def __init__(self, workshop: Workshop, spec: TrialSpec, outcome: Outcome, agent: Agent | None = None) -> None:
        self.workshop = workshop
        self.spec = spec
        self.evidence = Evidence(Path(spec.out))
        self.outcome = outcome
        self.given = agent
        self.at = Premises(workshop, spec, self.evidence, outcome)
        self.line = ScoreLine(self.at)
        self.trajectory: Trajectory | None = None
        self.points: int | None = None
        """What the task is worth, as its checkpoints.md says."""
        self.instruction = ""
        """What the examinee was told."""
        self.agent_error: Exception | None = None
        self._audited = False

    async def run(self) -> Outcome:
        self.evidence.text("spec.json", self.spec.to_json())
        self.at.began = began = time.monotonic()
        try:
            async with AsyncExitStack() as stack:
                await self._line(stack)
        except StepFailed as failure:
            self._fail(failure.label, str(failure))
        except CompanyLost as loss:
            self._lose(loss)
        except SandboxError as error:
            self._fail(Label.INFRA_ERROR, str(error))
        except OSError as error:
            self._fail(Label.INFRA_ERROR, sentence_about(error))
        except asyncio.CancelledError:
            self._fail(Label.CANCELLED, "the trial was cancelled")
            await self._write(began)
            raise
        except Exception as error:
            # An error of our own must not take the run's other trials with it.
            self.evidence.log("trial", traceback.format_exc())
            self._fail(Label.INFRA_ERROR, f"{type(error).__name__}: {error}; see logs/trial.log")
        await self._write(began)
        return self.outcome

    def _fail(self, label: Label, sentence: str) -> None:
        self.outcome.label = label
        self.outcome.reason = sentence

    def _lose(self, loss: CompanyLost) -> None:
        """A company that its examinee exhausted leaves it without points; one that broke otherwise is our fault."""
        if loss.exhausted and self.trajectory is not None:
            self._fail(Label.FAILED, f"exhausted its company: {loss}")
            self.outcome.ended = EXHAUSTED
            self.outcome.stopped = "its company could take no more"
            self.outcome.result, self.outcome.total = 0, self.points
        else:
            self._fail(Label.INFRA_ERROR, f"the company was lost: {loss}")

    async def _write(self, began: float) -> None:
        self.line.keep(self.outcome)
        if self.trajectory is not None:
            self._write_trajectory(self.trajectory)
        try:
            if self.outcome.label is not Label.CANCELLED:
                await self._audit(again=False)
        finally:
            await self._seal(began)

    async def _seal(self, began: float) -> None:
        self.outcome.timings["all"] = time.monotonic() - began
        self.outcome.timings = {name: round(seconds, 4) for name, seconds in self.outcome.timings.items()}
        if self.spec.variant_set:
            self.outcome.made_of = without_digests(self.outcome.made_of)
        sealing = asyncio.ensure_future(asyncio.to_thread(self.evidence.seal, self.outcome.to_json()))
        try:
            await asyncio.shield(sealing)
        except asyncio.CancelledError:
            # Who cancels a trial reads its outcome next.
            await asyncio.wait({sealing})
            raise

    def _write_trajectory(self, trajectory: Trajectory) -> None:
        try:
            self.evidence.json("trajectory.json", trajectory.as_atif(self.spec.name))
        except (TypeError, ValueError, RecursionError) as error:
            # What an agent wrote about itself must not cost the trial its outcome.
            self.outcome.notes.append(f"trajectory.json leaves out the steps, which cannot be written: {error}")
            trajectory.steps.clear()
            self.evidence.json("trajectory.json", trajectory.as_atif(self.spec.name))

    @asynccontextmanager
    async def _step(self, name: Step, seconds: float | None, late: Label) -> AsyncIterator[None]:
        """Time a step; one that takes longer than it may ends the trial with `late`."""
        self.outcome.step = name
        if self.workshop.on_step is not None:
            self.workshop.on_step(self.spec, name)
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise StepFailed(late, f"{name} did not end within {seconds:g} s") from None
        finally:
            self.outcome.timings[name] = self.outcome.timings.get(name, 0.0) + time.monotonic() - began

    # -- the line ------------------------------------------------------------------------------------------------

    async def _line(self, stack: AsyncExitStack) -> None:
        at = self.at
        async with self._step("build", BUILD_SECONDS, Label.INIT_ERROR):
            preparation = Preparation(self.workshop, self.spec, self.evidence, self.outcome)
            task = await preparation.task()
            agent = self._agent(task)
            self.points = task.points
            site = await preparation.site(task)
            await at.admit(stack)
            prepared = await preparation.rest(task, site, agent.install, agent.name)
        async with self._step("start", 60, Label.INFRA_ERROR):
            await at.open(stack, prepared)
        async with self._step("init", None, Label.INIT_ERROR):
            await at.init()
        company, sandbox, frozen_in = at.company, at.sandbox, at.folder / "frozen"
        async with self._step("setup", 600, Label.INFRA_ERROR):
            await agent.setup(sandbox)
        await stack.enter_async_context(self.line)
        try:
            async with self._step("work", None, Label.INFRA_ERROR):
                await self._work(task, agent, company, sandbox, at.listeners)
        except CompanyLost:
            await self._save_workspace(sandbox, frozen_in)
            raise
        async with self._step("freeze", 300, Label.INFRA_ERROR):
            frozen = await at.freeze(frozen_in)
            self.outcome.notes += [f"a link was withheld from the grader: {link}" for link in frozen.replaced_links]
            self.outcome.notes += left_out_note(frozen.left_out)
            await self._check_it_began(agent, company, frozen_in / "workspace")
            trajectory = await self._told(task, agent)
            ports = await ports_left(sandbox, [*company.world.ports.values(), MODELS_PORT, EGRESS_PORT])
            if note := await keep(self.evidence.folder, company, frozen, trajectory, ports):
                self.outcome.notes.append(note)
        async with self._step("grade", None, Label.GRADER_ERROR):
            await self._grade(task, at.grading(company, frozen, trajectory))
        async with self._step("collect", 300, Label.INFRA_ERROR):
            await self._collect(company, sandbox, frozen_in)
        self.outcome.step = ""

    def _agent(self, task: Task) -> Agent:
        try:
            return self.given or make_agent(self.spec.agent, task)
        except AgentError as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error

    async def _work(
        self, task: Task, agent: Agent, company: TrialCompany, sandbox: Sandbox, listeners: Listeners
    ) -> None:
        self.work_began = time.time()
        await let_in(task, company, listeners, self.at.passes.gateway.app(self.spec.name, ["examinee"]))
        seconds = self.spec.seconds or task.settings.timeouts.work
        self.instruction = instruction_for(task, company)
        self.trajectory = agent.new_trajectory()
        self.trajectory.folder = self.evidence.folder
        clock = WorkClock(seconds, self.at.passes.waits("examinee"), self.at.passes.patience, company.pause)
        given = Assignment(
            self.instruction,
            seconds,
            self.at.passes.environment("examinee"),
            self.at.passes.of("examinee"),
            {name: company.world.url(name) for name in open_to_examinee(task)},
            examinee(company.world),
            self.spec.seed,
            clock.left,
            company.forward,
            self.line.stepped,
        )
        try:
            async with (
                self.line.drawn(self.trajectory, clock, partial(self._told, task, agent)),
                clock.limited(),
            ):
                await self._until_spent(company, agent.run(given, sandbox, self.trajectory))
        except TimeoutError:
            self._time_up(clock)
        except AgentError as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error
        finally:
            self.outcome.waited_for_model = round(clock.waited, 3)
            await listeners.close()
            self.at.passes.close("examinee")
            self.outcome.stopped = self.outcome.stopped or self.trajectory.stopped
        await self._settle_jobs()
        await self._check_faults(company)
        await company.enter("grade")
        company.note_moment(await company.now())

    async def _settle_jobs(self) -> None:
        """Let CI end what was pushed: graders look at pipelines. No job's own doing is a fault."""
        await self.at.runner.settle()
        self.outcome.notes += self.at.runner.notes
        if self.at.runner.used:
            self.outcome.resources["ci"] = self.at.runner.used
        if self.at.runner.faults:
            raise StepFailed(Label.INFRA_ERROR, f"CI could not run: {'; '.join(self.at.runner.faults)}")

    def _time_up(self, clock: WorkClock) -> None:
        if clock.out_of_patience:
            sentence = f"the examinee was kept waiting by its model's provider for more than {clock.patience:g} s"
            raise StepFailed(Label.INFRA_ERROR, f"{sentence}; [llm] patience in dayjob.toml says how long it may be")
        self.outcome.ended = "timeout"
        waited = f", and {clock.waited:.0f} s of waiting for its model" if clock.waited >= 0.5 else ""
        self.outcome.stopped = f"the examinee's time was up after {clock.seconds:g} s{waited}"
        self.outcome.notes.append(self.outcome.stopped)

    async def _check_faults(self, company: TrialCompany) -> None:
        """What went wrong during the work without being the examinee's doing ends the trial without a score."""
        found = await company.trouble()
        self.outcome.notes += found.notes
        spoilt = [(str(fault.label), fault.sentence) for fault in self.at.passes.spoilt("examinee")]
        for whose, faults in (("a colleague", found.faults), ("the examinee's model", spoilt)):
            if faults:
                said = "; ".join(dict.fromkeys(sentence for _, sentence in faults))
                over = all(label == ModelLabel.RUN_BUDGET_SPENT for label, _ in faults)
                # The run ended, not this trial: it is neither scored nor tried again before somebody goes on with it.
                raise StepFailed(Label.CANCELLED if over else Label.INFRA_ERROR, f"{whose} failed: {said}")
        if trouble := found.trouble or self.at.passes.trouble:
            raise StepFailed(Label.INFRA_ERROR, trouble)
        if found.unseen:
            raise CompanyLost(f"{found.unseen} changes did not fit into its journal", exhausted=True)

    async def _check_it_began(self, agent: Agent, company: TrialCompany, workspace: Path) -> None:
        used = self.at.passes.usage().get("examinee", {})
        traces = Traces(
            self.outcome.timings["work"],
            int(used.get("calls", 0)),
            self.at.passes.answered("examinee"),
            await company.was_asked("examinee"),
            changed_since(workspace, self.work_began),
            self.agent_error,
        )
        if (sentence := never_began(agent, self.trajectory, traces)) is not None:
            raise StepFailed(Label.INFRA_ERROR, sentence)

    async def _told(self, task: Task, agent: Agent) -> str:
        """What evaluators are given of the trajectory: what the agent said and did, without what it was told."""
        if self.trajectory is None:
            return ""
        text = self.trajectory.for_evaluators()
        return text if agent.repeats_task else await asyncio.to_thread(without_task, text, self.instruction)

    async def _until_spent(self, company: TrialCompany, work: Coroutine[Any, Any, None]) -> None:
        """Let the examinee work until it is done or its budget is spent, which ends its work as a deadline does.

        Without a company there is nothing left to work in.
        """
        spent = asyncio.Event()
        access = self.at.passes.of("examinee")
        if access is not None:
            access.on_spent = spent.set
        working, spending = asyncio.ensure_future(work), asyncio.ensure_future(spent.wait())
        losing = asyncio.ensure_future(company.until_lost())
        try:
            await asyncio.wait({working, spending, losing}, return_when=asyncio.FIRST_COMPLETED)
            if losing.done():
                raise await company.loss()
            if working.done():
                self._worked(working)
            if spent.is_set():
                self.outcome.ended = "budget"
                self.outcome.stopped = "the examinee's budget was spent"
                self.outcome.notes.append(self.outcome.stopped)
        finally:
            for one in (working, spending, losing):
                one.cancel()
            await asyncio.gather(working, spending, losing, return_exceptions=True)

    def _worked(self, working: asyncio.Future[None]) -> None:
        """An agent that fails on what its model says or does has ended its work, and is graded on what it left."""
        try:
            working.result()
        except (AgentError, SandboxError, OSError, asyncio.CancelledError):
            raise
        except Exception as error:
            self.agent_error = error
            self.evidence.log("agent", "".join(traceback.format_exception(error)))
            self.outcome.ended = "error"
            self.outcome.stopped = f"the agent failed: {type(error).__name__}: {str(error)[:300]}; see logs/agent.log"
            self.outcome.notes.append(self.outcome.stopped)

    async def _grade(self, task: Task, inputs: GradingInputs) -> None:
        verdicts: list[Verdict] = []
        for number in range(self.spec.gradings):
            accounts = await renew(inputs.company, task.services)
            suffix = f"-{number + 1}" if number else ""
            try:
                env = environment(inputs.company, accounts) | self.at.passes.environment("judge")
                verdict = await grade(inputs, env, within=task.settings.timeouts.grade)
            except GraderError as error:
                self.evidence.log(f"grade{suffix}", WITHHELD if self.spec.variant_set else error.log)
                if inputs.company.lost:
                    raise await inputs.company.loss() from None
                sentence = WITHHELD if self.spec.variant_set else str(error)
                raise StepFailed(Label.GRADER_ERROR, sentence) from error
            verdict = verdict.withheld() if self.spec.variant_set else verdict
            self.evidence.log(f"grade{suffix}", verdict.log)
            if verdict.asked_for:
                self.evidence.json(f"grader-egress{suffix}.json", verdict.asked_for)
            if inputs.company.lost:
                # What was left in it is more than it can take: a fault that only the examinee can have prepared.
                raise await inputs.company.loss()
            verdicts.append(verdict)
            self.outcome.notes += [note for note in verdict.notes if note not in self.outcome.notes]
        await renew(inputs.company, task.services)
        self.outcome.touched = [one["words"] for one in await inputs.company.changes(by_role="grader")]
        self._judge(verdicts)

    def _judge(self, verdicts: list[Verdict]) -> None:
        first = verdicts[0]
        self.outcome.faults = [fault for verdict in verdicts for fault in verdict.faults]
        if self.outcome.faults:
            said = "; ".join(dict.fromkeys(str(fault.get("sentence")) for fault in self.outcome.faults))
            self.outcome.label, self.outcome.reason = Label.UNGRADED, f"while grading: {said}"
            return
        self.outcome.raised = list(dict.fromkeys(one for verdict in verdicts for one in verdict.raised))
        if any(verdict.marks != first.marks for verdict in verdicts) or first.result is None:
            results = ", ".join(str(verdict.result and verdict.result["final_score"]) for verdict in verdicts)
            raise StepFailed(Label.GRADER_ERROR, f"grading the same work again gave another result: {results}")
        score = first.result["final_score"]
        self.evidence.json("result.json", first.result)
        self.outcome.result, self.outcome.total = score["result"], score["total"]
        self.outcome.checkpoints = first.result["checkpoints"]
        self.outcome.label = label_for(score["result"], score["total"])

    async def _audit(self, *, again: bool) -> None:
        """What colleagues were asked and told, once; `again`: a judge may look at it a second time."""
        prepared = getattr(self.at, "prepared", None)
        if self._audited or prepared is None:
            return
        self._audited = True
        passes, private = self.at.passes if again else None, self.spec.variant_set is not None
        try:
            await audit_trial(self.evidence, self.outcome, prepared.task, prepared.snapshot, passes, private=private)
        except Exception as error:
            # Nothing is measured by it: what it could not find must not cost the trial its outcome.
            self.evidence.log("audit", traceback.format_exc())
            self.outcome.notes.append(f"colleagues could not be audited: {type(error).__name__}; see logs/audit.log")

    async def _save_workspace(self, sandbox: Sandbox, frozen: Path) -> None:
        """Evidence of a trial that lost its company: what the examinee had made. Nothing in here changes its label."""
        try:
            async with asyncio.timeout(SAVING_SECONDS):
                await sandbox.snapshot(frozen, FROZEN_PATHS)
            self.outcome.resources |= sandbox.used()
            note = await asyncio.to_thread(self.evidence.archive, "workspace.tar.gz", frozen / "workspace")
        except (SandboxError, OSError, TimeoutError) as error:
            note = f"workspace.tar.gz is missing: {error or 'it took too long'}"
        if note:
            self.outcome.notes.append(note)

    async def _collect(self, company: TrialCompany, sandbox: Sandbox, frozen: Path) -> None:
        await self.line.finish()
        self.evidence.json("changes.json", await company.changes())
        await self._audit(again=True)
        self.outcome.resources |= sandbox.used() | {"company": company.used()}
        note = await asyncio.to_thread(self.evidence.archive, "workspace.tar.gz", frozen / "workspace")
        if note:
            self.outcome.notes.append(note)
