"""A gateway whose provider is an object: every rule of the gateway without a socket."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, cast

from dayjob.llm.budget import Tokens
from dayjob.llm.cassette import Cassette
from dayjob.llm.dialects import Dialect
from dayjob.llm.gateway import Gateway
from dayjob.llm.rate_limits import Limits
from dayjob.llm.settings import Kind, LlmSettings, Provider, Role, RoleModel
from dayjob.llm.upstream import Answer, Upstream
from dayjob.llm.waiting import CallWait

ROLES: tuple[Role, ...] = ("examinee", "npc", "judge")
Answering = Callable[[], Coroutine[Any, Any, Answer]]


@dataclass
class Asked:
    """One call as the provider got it."""

    dialect: Dialect
    body: dict[str, Any]
    headers: dict[str, str]
    wait: CallWait
    usage_wanted: bool
    retries: int | None


class Provided:
    """Stands for a provider: answers with what it is given, and keeps what it was asked."""

    def __init__(self, answer: Answering, *, answers_others: bool = False) -> None:
        self.answer = answer
        self.answers_others = answers_others
        self.limits = Limits("p")
        self.calls: list[Asked] = []
        self.probed: list[str] = []

    @property
    def asked(self) -> int:
        return len(self.calls)

    async def ask(
        self,
        dialect: Dialect,
        body: dict[str, Any],
        headers: dict[str, str],
        wait: CallWait,
        *,
        usage_wanted: bool = False,
        retries: int | None = None,
    ) -> Answer:
        self.calls.append(Asked(dialect, body, dict(headers), wait, usage_wanted, retries))
        return await self.answer()

    async def answers(self, model: str) -> bool:
        self.probed.append(model)
        return self.answers_others


def gateway(
    answer: Answering,
    *,
    cassette: Cassette | None = None,
    concurrency: int = 8,
    rate: float | None = None,
    kind: Kind = "openai",
    drop: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    outside: bool = False,
    votes: int = 1,
    answers_others: bool = False,
    **settings: Any,
) -> tuple[Gateway, Provided]:
    """A gateway for all three roles, and the provider behind it."""
    provider = Provider("p", kind, "http://provider.invalid", drop=drop)
    model = RoleModel(provider, "m", also, votes, outside, concurrency=concurrency, requests_per_minute=rate)
    found = Gateway(LlmSettings(roles=dict.fromkeys(ROLES, model), **settings), cassette=cassette)
    provided = Provided(answer, answers_others=answers_others)
    found._upstreams["p"] = cast(Upstream, provided)
    return found, provided


async def told() -> Answer:
    """An answer with its tokens."""
    return Answer(200, "application/json", b"{}", tokens=Tokens(60, 40))
