"""Whose turn it is: what a whole run may spend, and how hard it may ask each provider.

`Turns` is what a gateway needs of it. `Desk` decides: one for a run, in the process that drives it; worker processes
ask it (see `dayjob.trial.leases`). Without a run, a process has a desk of its own. What was spent is kept in a file,
written whole after every call, so that whoever goes on with the run goes on from there.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dayjob.llm.budget import Budget, Usage
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.rate_limits import Limiter, Limits
from dayjob.whole_files import write_whole

FORMAT = 1
FILE = "spent.json"


class RunSpent(Exception):
    """Nothing of the run's budget is left. `share` is one trial's equal share of it."""

    def __init__(self, sentence: str, share: Budget) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.share = share


@dataclass(frozen=True, slots=True)
class Spent:
    """What one call cost. Tokens that were not told are estimated: one such call must not stop a whole run."""

    tokens: int
    usd: float


class Turns(ABC):
    """How a gateway asks whether it may ask a provider."""

    @abstractmethod
    async def call(self) -> None:
        """A call begins: count it, or raise `RunSpent`."""

    @abstractmethod
    async def enter(self, limits: Limits) -> None:
        """Wait for a turn at a provider; `leave` must follow."""

    @abstractmethod
    def leave(self, limits: Limits) -> None:
        """Give the turn back."""

    @abstractmethod
    def pause(self, limits: Limits, seconds: float) -> None:
        """The provider wants to be left alone for so long, by everybody."""

    @abstractmethod
    def spent(self, limits: Limits, what: Spent) -> None:
        """A call has cost this."""


class Desk(Turns):
    """Decides for everybody who asks it. `trials`: how many share the budget, where that is known."""

    def __init__(self, budget: Budget | None = None, file: Path | None = None, trials: int = 1) -> None:
        self.budget = budget or Budget()
        self.usage = Usage()
        self.trouble = ""
        """Why what was spent could not be written down."""
        self._file = file
        self._trials = max(1, trials)
        self._limiters: dict[str, Limiter] = {}
        if file is not None and file.exists():
            self._read(file)

    async def call(self) -> None:
        if (sentence := self.exhausted) is not None:
            raise RunSpent(sentence, self.share)
        self.usage.calls += 1
        self._write()

    @property
    def exhausted(self) -> str | None:
        """A sentence when nothing of the budget is left."""
        try:
            self.budget.check(self.usage, "the run")
        except ModelFault as fault:
            return f"{fault.sentence} Raise [llm.budget.run] and go on with dayjob resume."
        return None

    @property
    def share(self) -> Budget:
        """What one trial could spend if all spent the same."""
        calls, tokens, usd = self.budget.calls, self.budget.tokens, self.budget.usd
        return Budget(
            None if calls is None else max(1, calls // self._trials),
            None if tokens is None else max(1, tokens // self._trials),
            None if usd is None else usd / self._trials,
        )

    async def enter(self, limits: Limits) -> None:
        await self._limiter(limits).enter()

    def leave(self, limits: Limits) -> None:
        self._limiter(limits).leave()

    def pause(self, limits: Limits, seconds: float) -> None:
        self._limiter(limits).pause(seconds)

    def spent(self, limits: Limits, what: Spent) -> None:
        self._limiter(limits).spent(what.tokens)
        self.usage.completion_tokens += what.tokens
        self.usage.cost_usd = (self.usage.cost_usd or 0.0) + what.usd
        self._write()

    def _limiter(self, limits: Limits) -> Limiter:
        return self._limiters.setdefault(limits.provider, Limiter(limits))

    def _read(self, file: Path) -> None:
        try:
            facts: dict[str, Any] = json.loads(file.read_text("utf-8"))
            if facts["format"] != FORMAT:
                raise ValueError(f"it has format {facts['format']}; update dayjob")
            calls, tokens, usd = int(facts["calls"]), int(facts["tokens"]), float(facts["usd"])
        except (ValueError, TypeError, KeyError) as error:
            raise OSError(f"{file} does not say what the run has spent ({error}); put it back, or remove it") from error
        self.usage = Usage(calls=calls, completion_tokens=tokens, cost_usd=usd)

    def _write(self) -> None:
        if self._file is None:
            return
        used = self.usage
        facts = {"format": FORMAT, "calls": used.calls, "tokens": used.tokens, "usd": round(used.cost_usd or 0.0, 8)}
        try:
            write_whole(self._file, (json.dumps(facts) + "\n").encode(), settled=False)
        except OSError as error:
            # What was spent is still counted here; a disk that is full is told by the trials themselves.
            self.trouble = f"{self._file}: {error.strerror}"


def run_fault(refusal: RunSpent, role: str, usage: Usage) -> ModelFault:
    """What a refusal means for one trial.

    An examinee that has spent its equal share of the run's budget has had what it could expect: its work ends as with
    a budget of its own. For everybody else the run's end is no doing of theirs.
    """
    share = refusal.share
    used = ((usage.calls, share.calls), (usage.tokens, share.tokens), (usage.cost_usd or 0.0, share.usd))
    had_it = role == "examinee" and any(limit is not None and amount >= limit for amount, limit in used)
    return ModelFault(Label.BUDGET_SPENT if had_it else Label.RUN_BUDGET_SPENT, refusal.sentence)
