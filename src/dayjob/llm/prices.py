"""What models cost, from a dated table in the package that a project may extend. Unknown is unknown, not zero."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dayjob.llm.budget import Tokens

TABLE = Path(__file__).with_name("prices.toml")
_RELEASE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    long_above: int | None = None
    """More prompt tokens than this make the whole request cost the two factors below."""
    long_input: float = 1.0
    long_output: float = 1.0

    def of(self, tokens: Tokens) -> float:
        cached = self.cached_input if self.cached_input is not None else self.input
        writes = self.cache_write if self.cache_write is not None else self.input
        fresh = tokens.prompt - tokens.cached - tokens.cache_writes
        long = self.long_above is not None and tokens.prompt > self.long_above
        read = fresh * self.input + tokens.cached * cached + tokens.cache_writes * writes
        written = tokens.completion * self.output
        return (read * (self.long_input if long else 1) + written * (self.long_output if long else 1)) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """A price list: the project's own entries, then the package's table."""

    date: str
    table: Mapping[str, Price] = field(default_factory=dict)

    def find(self, model: str) -> Price | None:
        """By name, or by name without a release date; never by a mere likeness of names."""
        plain = model.rpartition("/")[2]
        for name in (model, _RELEASE.sub("", model), plain, _RELEASE.sub("", plain)):
            if name in self.table:
                return self.table[name]
        return None

    def cost(self, model: str, tokens: Tokens) -> float | None:
        price = self.find(model)
        return None if price is None else price.of(tokens)

    def extended(self, own: Mapping[str, Price]) -> Prices:
        return Prices(self.date, {**self.table, **own})


@cache
def package_prices() -> Prices:
    found = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return Prices(found["date"], {name: Price(**row) for name, row in found["models"].items()})
