"""What an attempt needs before anything starts: the task, its world's snapshot and its image, found or made.

A failure here is never the examinee's. What is found holds for any number of attempts at the same task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dayjob import __version__
from dayjob.company.world import Snapshot, WorldError, build_snapshot
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.company.world.gaps import in_a_line, lacks_of
from dayjob.sandbox.sandbox import BuildError, BuiltImage, Needs, Site
from dayjob.service_names import NAMES
from dayjob.task import Task, TaskError
from dayjob.task.dockerfile import Instruction
from dayjob.trial.evidence import Evidence
from dayjob.trial.failed_step import StepFailed
from dayjob.trial.grader_network import with_graders_way_out
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import PrivateVariant, variant_of_spec
from dayjob.trial.workshop import Workshop

BUILD_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Prepared:
    """What attempts at one task begin with."""

    task: Task
    site: Site
    snapshot: Snapshot
    image: BuiltImage


@dataclass(frozen=True, slots=True)
class Preparation:
    """Finds or makes it; what is to be known of it goes to the outcome and the evidence."""

    workshop: Workshop
    spec: TrialSpec
    evidence: Evidence
    outcome: Outcome

    async def task(self) -> Task:
        """The task as the spec wants it."""
        folder = await self._task_folder()
        try:
            task = Task.load(folder)
            if self.spec.egress is not None:
                task = replace(task, settings=replace(task.settings, egress=self.spec.way_out))
            task = with_graders_way_out(task, self.spec)
            if self.spec.clock is not None:
                passing = replace(task.settings.time, clock=self.spec.clock)
                task = replace(task, settings=replace(task.settings, time=passing))
            return task
        except TaskError as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error

    async def site(self, task: Task) -> Site:
        """Where its sandboxes are made."""
        await self.workshop.companies.expect(NAMES)
        site = await self.workshop.site(self.spec.sandbox)
        self._check_needs(task, site)
        return site

    async def rest(self, task: Task, site: Site, install: Sequence[str] = (), agent: str = "") -> Prepared:
        """Snapshot and image; `install` are the lines that put an agent into it."""
        snapshot = await self._snapshot(task, site)
        image = await self._image(task, site, install, agent)
        if problem := await self.workshop.graders.problem(site, image, task):
            # A task that could not be graded is not worked at.
            raise StepFailed(Label.INIT_ERROR, problem)
        return Prepared(task, site, snapshot, image)

    async def _task_folder(self) -> Path:
        """Where the task is: of a family, the variant as it was made, or is made now."""
        variant = await asyncio.to_thread(variant_of_spec, self.spec)
        if variant is None:
            return Path(self.spec.task)
        self.outcome.variant = variant.number
        try:
            found = await asyncio.to_thread(variant.found, self.workshop.cache)
            return found or await variant.made(await self.workshop.site(self.spec.sandbox), self.workshop.cache)
        except TaskError as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        except PrivateVariant as error:
            raise StepFailed(Label.INFRA_ERROR, str(error)) from error

    def _check_needs(self, task: Task, site: Site) -> None:
        """A sandbox that cannot give what the task needs is an error before anything starts."""
        hosts = task.settings.egress
        needs = Needs(egress="full" if "*" in hosts else "list" if hosts else "none")
        if reasons := site.capabilities.missing(needs):
            raise StepFailed(
                Label.INFRA_ERROR, f"the {self.spec.sandbox} sandbox cannot run this: {'; '.join(reasons)}"
            )

    async def _snapshot(self, task: Task, site: Site) -> Snapshot:
        name = self.spec.world or task.settings.world
        try:
            folder = find_world(name)
            site.keep_out(folder, self.evidence.folder)
            snapshot = await asyncio.to_thread(build_snapshot, folder, task.world_overlay, cache=self.workshop.cache)
        except (UnknownWorld, WorldError) as error:
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        self.outcome.made_of |= {"dayjob": __version__, "world": name, "snapshot": snapshot.key}
        if lacks := lacks_of(folder, task.name):
            self.outcome.notes.append(in_a_line(task.name, lacks))
        return snapshot

    async def _image(self, task: Task, site: Site, install: Sequence[str], agent: str) -> BuiltImage:
        below = tuple(Instruction("RUN", line, 0) for line in install)
        try:
            dockerfile = replace(task.dockerfile, below=below, made=self.spec.made)
            image = await site.build(task.path, dockerfile, within=BUILD_SECONDS)
        except BuildError as error:
            self.evidence.log("build", error.log)
            if not error.of_task:
                sentence = f"{agent} could not be installed: {error}; see logs/build.log"
                raise StepFailed(Label.INFRA_ERROR, sentence) from error
            raise StepFailed(Label.INIT_ERROR, str(error)) from error
        self.evidence.log("build", image.log)
        self.outcome.notes += image.notes
        self.outcome.made_of |= {
            "image": image.key,
            "root": image.root,
            "sandbox": self.spec.sandbox,
            "uids": site.capabilities.uids,
        }
        return image
