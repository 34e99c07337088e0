"""The colleagues and the models of one trial: who answers in chat, and which passes to the gateway each step holds.

Colleagues live in the company's process and come to chat through a listener of their own, which no sandbox reaches.
A pass is made for one role and closed with the step that needed it; keys stay with the gateway.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dayjob.llm.calls import CallLog
from dayjob.llm.faults import Fault
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.settings import Role as ModelRole
from dayjob.llm.waiting import Waits
from dayjob.task import Task
from dayjob.trial.company_process import CompanyError, TrialCompany
from dayjob.trial.judged import judged_row
from dayjob.trial.listeners import MODELS_PORT

MODELS_HOST = "llm.test"
ADDRESS = f"http://{MODELS_HOST}:{MODELS_PORT}"


class NoColleagues(Exception):
    """The colleagues a task needs could not come to work."""


class Passes:
    """The gateway as one trial sees it: passes by role, their calls in one log."""

    def __init__(self, gateway: Gateway, trial: str, log: Path) -> None:
        self.gateway = gateway
        self.trial = trial
        self._log = CallLog(log)
        self._open: dict[ModelRole, Pass] = {}

    def of(self, role: ModelRole) -> Pass | None:
        """The role's pass; None when no model is configured for it."""
        if self.gateway.model(role) is None:
            return None
        if role not in self._open:
            self._open[role] = self.gateway.admit(self.trial, role, log=self._log)
        return self._open[role]

    def environment(self, role: ModelRole) -> dict[str, str]:
        """What a process in the sandbox needs to ask this role's model; nothing when there is none."""
        found = self.of(role)
        return found.environment(ADDRESS) if found is not None else {}

    def models(self) -> dict[str, str]:
        """Which model each role that asked had."""
        return {role: one.model.shown for role, one in self._open.items() if one.model is not None}

    def served(self) -> dict[str, list[str]]:
        """What answered colleagues and judges by its provider's own word: versions and fingerprints."""
        found = {role: [name for name in one.served if name] for role, one in self._open.items()}
        return {role: names for role, names in found.items() if names}

    def usage(self) -> dict[str, dict[str, Any]]:
        """What each role has asked so far: calls, tokens, cost."""
        return {role: one.usage.as_dict() for role, one in self._open.items()}

    def waits(self, role: ModelRole) -> Waits | None:
        """What this role is kept waiting for; None when it has no model."""
        one = self.of(role)
        return one.waits if one is not None else None

    @property
    def patience(self) -> float:
        return self.gateway.settings.patience

    def answered(self, role: ModelRole) -> int:
        """How many of this role's calls a model has answered."""
        one = self._open.get(role)
        return one.answered if one is not None else 0

    @property
    def notes(self) -> list[str]:
        """What is to be known of the calls beside their number: for the outcome."""
        found = []
        for role, one in self._open.items():
            if one.strange:
                asked = ", ".join(f"{address} ({times}×)" for address, times in one.strange.most_common(5))
                found.append(f"the {role} asked the gateway for addresses it does not have: {asked}")
            found += dict.fromkeys(one.notes[:5])
            own = dict.fromkeys(fault.sentence for fault in one.faults if not fault.spoils)
            found += [f"the {role}'s model: {sentence}" for sentence in list(own)[:5]]
        return found

    def judged(self, *, withheld: bool) -> list[dict[str, Any]]:
        """What the judge decided, vote by vote, for the outcome; without a word where a variant is private."""
        one = self._open.get("judge")
        return [judged_row(each, withheld=withheld) for each in one.verdicts.values()] if one is not None else []

    def second_look(self) -> Pass | None:
        """A judge's pass for the audit of colleagues, apart from grading's: what it costs or says grades nothing."""
        if self.gateway.model("judge") is None:
            return None
        return self.gateway.admit(f"{self.trial}.audit", "judge", log=self._log)

    def apart(self, name: str) -> Passes:
        """Passes of their own that are written down in the same place: what they cost or say is counted apart."""
        found = Passes(self.gateway, f"{self.trial}.{name}", self._log.file)
        found._log = self._log
        return found

    def spoilt(self, role: ModelRole) -> list[Fault]:
        """Faults of this role's model that leave the trial without a grade."""
        one = self._open.get(role)
        return [fault for fault in one.faults if fault.spoils] if one is not None else []

    @property
    def trouble(self) -> str:
        """Why calls could not be written down; empty when all were."""
        return self._log.trouble

    def close(self, *roles: ModelRole) -> None:
        """End the passes of these roles (of all, when none is named)."""
        for role in roles or tuple(self._open):
            if (one := self._open.get(role)) is not None:
                one.close()


class Colleagues:
    """The colleagues of one trial, who live in the company's process."""

    def __init__(self, company: TrialCompany, task: Task, passes: Passes) -> None:
        self._company = company
        self._task = task
        self._passes = passes
        self._here = False
        self.usernames: list[str] = []
        self.minds: dict[str, str] = {}
        self.prompts: dict[str, str] = {}
        """A digest of what each colleague's model is told about them."""

    def known(self) -> dict[str, Any]:
        """Who has come, for `here_as` of others."""
        return {"here": self._here, "usernames": self.usernames, "minds": self.minds, "prompts": self.prompts}

    def here_as(self, known: Mapping[str, Any]) -> None:
        """They have come with the company, which is a copy of the one of which this was known."""
        self._here, self.usernames = known["here"], known["usernames"]
        self.minds, self.prompts = known["minds"], known["prompts"]

    async def arrive(self) -> None:
        """Bring everybody to chat, once."""
        if self._here or not (self._task.scenarios or self._company.everybody):
            return
        if self._task.scenarios and "chat" not in self._task.services:
            raise NoColleagues("scenarios.json needs chat; add rocketchat to dependencies.yml")
        access = self._passes.of("npc")
        try:
            come = await self._company.bring_colleagues(
                self._task.scenarios, access.complete if access is not None else None
            )
        except CompanyError as error:
            raise NoColleagues(str(error)) from error
        self._here = True
        self.usernames, self.minds, self.prompts = come["usernames"], come["minds"], come["prompts"]
