"""What calls cost: tokens and money per role and trial, and the budgets that end a trial when it has spent them.

Unknown is not zero: a call whose tokens were not told is counted in `unmetered`, and one unknown price makes the money
`None`. A budget is checked before each call, so calls already under way may go beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.prices import Prices


@dataclass(frozen=True, slots=True)
class Tokens:
    """One answer's tokens. `prompt` includes what was read from or written to a provider's cache."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    cache_writes: int = 0


@dataclass(slots=True)
class Usage:
    """The sum over calls."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def add(self, model: str, tokens: Tokens | None, prices: Prices) -> float | None:
        """Count one answer and give its price in dollars; None when the price or the tokens are unknown."""
        if tokens is None:
            self.unmetered += 1
            self.cost_usd = None
            return None
        self.prompt_tokens += tokens.prompt
        self.cached_tokens += tokens.cached
        self.completion_tokens += tokens.completion
        cost = prices.cost(model, tokens)
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost
        return cost

    def as_dict(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.cached_tokens,
            "completion_tokens": self.completion_tokens,
            "unmetered_calls": self.unmetered,
            "cost_usd": None if self.cost_usd is None else round(self.cost_usd, 6),
        }


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many calls, tokens, dollars; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None

    def check(self, usage: Usage, whose: str) -> None:
        """Raise `budget_spent` when nothing is left."""
        spent = None
        if self.calls is not None and usage.calls >= self.calls:
            spent = f"{usage.calls} of {self.calls} calls"
        elif self.tokens is not None and usage.tokens >= self.tokens:
            spent = f"{usage.tokens} of {self.tokens} tokens"
        elif self.tokens is not None and usage.unmetered:
            spent = f"its tokens can no longer be counted: the provider did not tell them for {usage.unmetered} call(s)"
        elif self.usd is not None and usage.cost_usd is None:
            spent = "its cost can no longer be counted: a price or the tokens of a call are unknown"
        elif self.usd is not None and usage.cost_usd is not None and usage.cost_usd >= self.usd:
            spent = f"${usage.cost_usd:.4f} of ${self.usd:.4f}"
        if spent is not None:
            raise ModelFault(Label.BUDGET_SPENT, f"The budget of {whose} is spent: {spent}.")
