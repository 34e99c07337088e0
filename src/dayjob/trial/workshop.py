"""What attempts of one process share: the warm process of companies, a site per kind of sandbox, the ways to models."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from dayjob.agent import Agent
from dayjob.company.world.snapshot import default_cache
from dayjob.http.server import Server
from dayjob.llm.gateway import Gateway
from dayjob.llm.run_limits import Turns
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.trial.company_process import CompanyProcesses
from dayjob.trial.evidence import sentence_about
from dayjob.trial.graders_python import GradersPython
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.readiness import settings_for
from dayjob.trial.spec import TrialSpec


class Workshop:
    """Runs trials on this event loop: a process for each company, one site per kind of sandbox. `async with`."""

    def __init__(
        self,
        cache: Path | None = None,
        on_step: Callable[[TrialSpec, str], None] | None = None,
        turns: Turns | None = None,
    ) -> None:
        self.cache = cache or default_cache()
        self.turns = turns
        """What the run may ask of models; None where there is no run, and each gateway decides for itself."""
        self.on_step = on_step
        self.server = Server()
        self.companies = CompanyProcesses()
        self.graders = GradersPython(self.cache)
        self.opened: Counter[str] = Counter()
        """How many environments of each task were opened, so that no two go by one name."""
        self._sites: dict[str, Site] = {}
        self._gateways: dict[tuple[str | None, ...], Gateway] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Workshop:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.server)
            await stack.enter_async_context(self.companies)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self._stack.aclose()

    async def site(self, name: str) -> Site:
        """The place for sandboxes of this kind, opened when first asked for."""
        async with self._opening:
            if name not in self._sites:
                self._sites[name] = await self._stack.enter_async_context(make_site(name, self.cache))
        return self._sites[name]

    async def gateway(self, spec: TrialSpec) -> Gateway:
        """The door to the models a spec names, opened when first asked for."""
        named = (spec.model, spec.npc_model, spec.judge_model)
        async with self._opening:
            if named not in self._gateways:
                settings = settings_for(spec)
                self._gateways[named] = await self._stack.enter_async_context(Gateway(settings, turns=self.turns))
        return self._gateways[named]

    async def run(self, spec: TrialSpec, agent: Agent | None = None) -> Outcome:
        """One trial. Where not even its outcome can be written there is none on the disk, and it is done again.

        `agent` is the examinee's driver itself, for one trial; without it `spec.agent` names one.
        """
        from dayjob.trial.trial import Trial  # late: a trial needs its workshop

        outcome = Outcome.of(spec, Label.INFRA_ERROR)
        try:
            return await Trial(self, spec, outcome, agent).run()
        except OSError as error:
            if outcome.label is not Label.CANCELLED:
                outcome.label = Label.INFRA_ERROR
            outcome.reason = f"its evidence could not be written: {sentence_about(error)}"
            return outcome


def run_trial(spec: TrialSpec, cache: Path | None = None) -> Outcome:
    """One trial from spec to outcome, on a loop of its own."""
    import uvloop

    async def main() -> Outcome:
        async with Workshop(cache) as workshop:
            return await workshop.run(spec)

    return uvloop.run(main())
