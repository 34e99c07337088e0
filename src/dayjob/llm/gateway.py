"""The one door to models, on the host: keys inside, passes outside.

A `Pass` lets one role of one trial ask models until it is closed. The gateway chooses the provider, counts tokens and
cost, keeps budgets, records or replays, writes every call to the evidence, and labels what goes wrong. `Gateway.app` is
the wire for sandboxes (see `wire`), `Pass.complete` the way for colleagues and judges on the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.types import ASGIApp

from dayjob.llm.budget import Budget, Tokens, Usage
from dayjob.llm.calls import CallLog
from dayjob.llm.cassette import Cassette, Spot, Take
from dayjob.llm.dialects import CHAT, Dialect
from dayjob.llm.events import split_events
from dayjob.llm.faults import Fault, Label, ModelFault
from dayjob.llm.outside_requests import REDIRECTING
from dayjob.llm.rate_limits import Bucket
from dayjob.llm.reply_text import served_by
from dayjob.llm.run_limits import Desk, RunSpent, Spent, Turns, run_fault
from dayjob.llm.secret import Scrubber, Secret
from dayjob.llm.settings import LlmSettings, Provider, Role, RoleModel
from dayjob.llm.upstream import TRIAL_HEADER, Answer, Upstream
from dayjob.llm.waiting import CallWait, State, Waits

if TYPE_CHECKING:
    from dayjob.llm.check import ModelCheck
    from dayjob.llm.judge_verdict import Verdict
    from dayjob.llm.scripted import ScriptedModel

log = logging.getLogger("dayjob.llm")

T = TypeVar("T")
# What colleagues and judges ask for but can do without.
_WISHES = ("temperature", "seed", "response_format", "max_tokens")
# Faults that a request may have brought about: for an examinee it is found out whether the provider answers others.
_DOUBTFUL = (Label.PROVIDER_DOWN, Label.LATE, Label.MALFORMED, Label.REFUSED)
_CHARACTERS_PER_TOKEN = 4
_REPLAYED = Provider("cassette", "openai", "http://cassette.invalid")


class Pass:
    """The right of one role of one trial to ask models, made by `Gateway.admit`. `close` ends it and its calls."""

    def __init__(self, gateway: Gateway, trial: str, role: Role, budget: Budget, log: CallLog | None) -> None:
        self._gateway = gateway
        self.trial = trial
        self.role: Role = role
        self.token = Secret(f"dj-{role}-{secrets.token_urlsafe(24)}")
        self.budget = budget
        self.usage = Usage()
        self.faults: list[Fault] = []
        self.closed = False
        self.on_spent: Callable[[], None] | None = None
        """Called once when the budget is spent, so that the trial can end the examinee's work."""
        self.on_asking: Callable[[], Awaitable[None]] | None = None
        """Awaited before each call: who asks does nothing else meanwhile."""
        self.log = log
        self.checked: ModelCheck | None = None
        """Whether its model answered, once somebody wanted to know."""
        self.verdicts: dict[str, Verdict] = {}
        """What a judge has decided with this pass, by case."""
        self.answered = 0
        """Calls that a model answered."""
        self.strange: Counter[str] = Counter()
        """Addresses asked for that the gateway does not have, and how often."""
        self.notes: list[str] = []
        """What the outcome should tell of its calls."""
        self.served: dict[str, None] = {}
        """What the provider says has answered, in the order of its first answer: models with their fingerprints."""
        self.waits = Waits()
        self._works: set[asyncio.Task[Any]] = set()
        self._not_taken: set[str] = set()
        chosen = gateway.model(role)
        self._places = asyncio.Semaphore(chosen.concurrency if chosen else 1)
        rate = chosen.requests_per_minute if chosen else None
        # A minute's worth at once: what is limited is a flood, not an agent that is quick for a moment.
        self._rate = Bucket(rate, rate) if rate else None

    @property
    def model(self) -> RoleModel | None:
        return self._gateway.model(self.role)

    def environment(self, base_url: str) -> dict[str, str]:
        """What a process in the sandbox needs to find the gateway (`base_url` as `http://llm.test:4000`)."""
        token, model = self.token.reveal(), self.model.model if self.model else ""
        return {
            "OPENAI_BASE_URL": f"{base_url}/v1",
            "OPENAI_API_BASE": f"{base_url}/v1",
            "OPENAI_API_KEY": token,
            "ANTHROPIC_BASE_URL": base_url,
            "ANTHROPIC_API_KEY": token,
            "LITELLM_BASE_URL": f"{base_url}/v1",
            "LITELLM_API_KEY": token,
            "LITELLM_MODEL": model,
        }

    async def enter(self) -> None:
        """Wait for what this pass itself may ask at a time and in a minute; its own affair, whatever it costs."""
        await self._places.acquire()
        if self._rate is not None:
            self._rate.draw(1)
            try:
                await asyncio.sleep(self._rate.wait())
            except BaseException:
                self._places.release()
                raise

    def leave(self) -> None:
        self._places.release()

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """A chat completion (`messages` and options; never streamed). Raises `ModelFault` when there is none."""
        pinned = self.model.pinned if self.model is not None else {}
        while True:
            request = {key: value for key, value in {**body, **pinned}.items() if key not in self._not_taken}
            answer = await self.run(self._gateway.ask(self, CHAT, {**request, "stream": False}, {}))
            assert answer.body is not None
            if answer.status == 200:
                found: dict[str, Any] = json.loads(answer.body)
                self.served[served_by(found)] = None
                return found
            said = answer.body.decode("utf-8", "replace")
            wish = next((one for one in _WISHES if one in request and one in said), None)
            if wish is None:
                # What an examinee asks is its own: a request that no provider takes must not end its trial unscored.
                label = Label.REQUEST_FAILED if self.role == "examinee" else Label.REFUSED
                fault = ModelFault(label, f"The provider refused the request with {answer.status}: {said[:500]}")
                self.note(fault)
                raise fault
            # Some models take no temperature, some servers no schema: better without it than not at all.
            self._not_taken.add(wish)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something for this pass, until it is closed."""
        if self.closed:
            work.close()
            raise ModelFault(Label.CLOSED, f"The pass of {self.trial} for {self.role} is closed.")
        task = asyncio.ensure_future(work)
        self._works.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled() and self.closed:
                raise ModelFault(Label.CLOSED, f"The pass of {self.trial} for {self.role} was closed.") from None
            task.cancel()
            raise
        finally:
            self._works.discard(task)

    def note(self, fault: ModelFault) -> None:
        """Keep a fault for the outcome."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.faults.append(Fault(now, self.trial, self.role, fault.label, fault.sentence))
        if fault.label in (Label.BUDGET_SPENT, Label.RUN_BUDGET_SPENT) and self.on_spent is not None:
            told, self.on_spent = self.on_spent, None
            told()

    def forget(self, fault: ModelFault) -> None:
        """Take back a fault that is no part of the outcome: the newest that was kept of it."""
        for place in reversed(range(len(self.faults))):
            if (self.faults[place].label, self.faults[place].sentence) == (fault.label, fault.sentence):
                del self.faults[place]
                return

    def close(self) -> None:
        """Nobody asks with this pass any more; answers under way are dropped."""
        self.closed = True
        self._gateway.dismiss(self)
        for task in self._works:
            task.cancel()


class Gateway:
    """One for the models of a run, in each process. Use as `async with Gateway(settings) as gateway`.

    `turns` says what may be spent and how hard providers may be asked; without it, this gateway decides alone.
    """

    def __init__(self, settings: LlmSettings, *, cassette: Cassette | None = None, turns: Turns | None = None) -> None:
        self.settings = settings
        self.cassette = cassette or _cassette_of(settings)
        self.turns = turns or Desk(settings.run_budget)
        self.scrubber = Scrubber()
        self._roles: dict[Role, RoleModel] = dict(settings.roles)
        self._upstreams: dict[str, Upstream] = {}
        self._passes: dict[bytes, Pass] = {}
        self._scripted: list[ScriptedModel] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Gateway:
        if self._replays:
            return self
        for role, chosen in self._roles.items():
            provider = chosen.provider
            known = self._upstreams.get(provider.name)
            if known is None:
                if provider.kind == "script":
                    provider = await self._start_script(provider)
                self.scrubber.add(provider.key)
                known = self._upstreams[provider.name] = Upstream(provider, self.scrubber, self.turns)
                self._stack.push_async_callback(known.close)
            self._roles[role] = replace(chosen, provider=known.provider)
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in list(self._passes.values()):
            one.close()
        await self._stack.aclose()

    async def _start_script(self, provider: Provider) -> Provider:
        from dayjob.llm.obedient import Obedient
        from dayjob.llm.scripted import ScriptedModel, serve_script

        model = ScriptedModel(Obedient()) if provider.script is None else ScriptedModel.load(provider.script)
        self._scripted.append(model)
        server = await self._stack.enter_async_context(serve_script(model))
        return replace(provider, base_url=server.base_url, key=server.key)

    # -- passes --------------------------------------------------------------------------------------------------

    def admit(self, trial: str, role: Role, *, budget: Budget | None = None, log: CallLog | None = None) -> Pass:
        """A pass for one role of one trial. The trial's name also finds its answers on a cassette.

        The budget (by default the settings' trial budget) is the examinee's; colleagues and judges only count
        towards the run's, so that what the examinee spent can still be graded.
        """
        limit = budget or (self.settings.trial_budget if role == "examinee" else Budget())
        one = Pass(self, trial, role, limit, log)
        if self.cassette is not None:
            self.cassette.begin(trial, role)
        self._passes[_digest(one.token.reveal())] = one
        self.scrubber.add(one.token)
        return one

    def go_on(self, trial: str, other: str) -> None:
        """Of what plays from a file: let it be for another trial where it is for this one."""
        for model in self._scripted:
            model.go_on(trial, other)

    def dismiss(self, one: Pass) -> None:
        self._passes.pop(_digest(one.token.reveal()), None)

    def holder(self, token: str) -> Pass | None:
        """Whose pass this is; None when nobody's."""
        return self._passes.get(_digest(token))

    def model(self, role: Role) -> RoleModel | None:
        """The model a role asks, None when it has none. On replay, a cassette is enough."""
        if (found := self._roles.get(role)) is not None:
            return found
        if self._replays and self.cassette is not None and self.cassette.has(role):
            return RoleModel(_REPLAYED, "replayed")
        return None

    def app(self, trial: str | None = None, roles: Iterable[Role] | None = None) -> ASGIApp:
        """The wire; with arguments, only for passes of that trial and those roles."""
        from dayjob.llm.wire import Wire

        return Wire(self, trial, None if roles is None else frozenset(roles))

    @property
    def _replays(self) -> bool:
        return self.cassette is not None and self.cassette.mode == "replay"

    # -- asking --------------------------------------------------------------------------------------------------

    async def ask(self, who: Pass, dialect: Dialect, body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        """One call. Raises `ModelFault`, already noted on the pass; faults in mid-stream are raised by `events`."""
        if who.on_asking is not None:
            await who.on_asking()
        await who.enter()
        call = _Call(who, dialect, body, who.waits.begin())
        try:
            answer = await self._answered(call, headers)
        except ModelFault as fault:
            self._ended(call, fault=fault)
            raise
        except asyncio.CancelledError:
            # The caller went away, or the pass was closed: what the provider did for it is not known.
            call.spot = None
            self._ended(call, answer=Answer(499, "application/json"))
            raise
        except Exception as error:
            # A fault of ours must not look like an answer of the model, nor like the examinee's mistake.
            log.exception("a call of %s for %s failed in the gateway", who.role, who.trial)
            ours = ModelFault(Label.GATEWAY_FAILED, f"The gateway itself failed: {type(error).__name__}.")
            call.spot = None
            self._ended(call, fault=ours)
            raise ours from error
        if answer.events is not None:
            answer.events = self._watched(call, answer, answer.events)
        else:
            self._ended(call, answer=answer, data=answer.body or b"")
        return answer

    async def _answered(self, call: _Call, headers: Mapping[str, str]) -> Answer:
        who, dialect, body = call.who, call.dialect, call.body
        chosen = self.model(who.role)
        if chosen is None:
            raise ModelFault(
                Label.UNCONFIGURED,
                f"No model is configured for {who.role}. Name one with a flag, DAYJOB_{who.role.upper()}_MODEL, or "
                f"[llm.roles.{who.role}] in dayjob.toml.",
            )
        who.budget.check(who.usage, f"trial {who.trial}")
        try:
            await self.turns.call()
        except RunSpent as refusal:
            raise run_fault(refusal, who.role, who.usage) from refusal
        who.usage.calls += 1
        call.model, call.request = self._request(chosen, dialect, body)
        if self.cassette is not None:
            call.spot = self.cassette.place(who.trial, who.role, dialect.name, body)
            if self._replays:
                call.wait.now(State.ANSWERED)
                return self._replayed(call, self.cassette.replay(call.spot, dialect.name, body))
        options = body.get("stream_options")
        wanted = isinstance(options, dict) and options.get("include_usage") is True
        if chosen.provider.kind == "script":
            headers = {**headers, TRIAL_HEADER: who.trial}
        call.upstream = upstream = self._upstreams[chosen.provider.name]
        try:
            return await upstream.ask(dialect, call.request, headers, call.wait, usage_wanted=wanted)
        except ModelFault as fault:
            if who.role != "examinee" or fault.label not in _DOUBTFUL or not await upstream.answers(call.model):
                raise
            return await self._once_more(call, upstream, headers, wanted, fault)

    async def _once_more(
        self, call: _Call, upstream: Upstream, headers: Mapping[str, str], wanted: bool, first: ModelFault
    ) -> Answer:
        """The provider answers others: either it has just come back, or it fails on what this request says."""
        try:
            return await upstream.ask(call.dialect, call.request, headers, call.wait, usage_wanted=wanted, retries=0)
        except ModelFault as fault:
            if fault.label not in _DOUBTFUL:
                raise
            if first.label is not Label.LATE:
                # Silence stays the provider's; what it says at once, it says about the request.
                call.wait.own()
            raise ModelFault(
                Label.REQUEST_FAILED, f"{first.sentence} It answers other requests, so this is about what was asked."
            ) from fault

    def _request(self, chosen: RoleModel, dialect: Dialect, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The request as the provider gets it: our model, without what it does not take, with the usage asked for."""
        model = body.get("model") if body.get("model") in chosen.also else chosen.model
        assert isinstance(model, str)
        request = {key: value for key, value in body.items() if key not in REDIRECTING}
        request["model"] = model
        if dialect is CHAT and request.get("stream"):
            options = request.get("stream_options")
            request["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
        elif dialect is CHAT:
            request.pop("stream", None)
            request.pop("stream_options", None)
        for name in chosen.provider.drop:
            request.pop(name, None)
        return model, request

    @staticmethod
    def _replayed(call: _Call, take: Take) -> Answer:
        call.model = take.model or call.model
        if take.fault is not None and not take.body:
            raise take.fault
        answer = Answer(take.status, take.content_type, take.body, tokens=take.tokens)
        if take.content_type.startswith("text/event-stream"):
            answer.events, answer.body = _retold(take), None
        return answer

    async def _watched(self, call: _Call, answer: Answer, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        seen: list[bytes] = []
        try:
            async for event in events:
                seen.append(event)
                yield event
        except ModelFault as fault:
            self._ended(call, fault=fault, data=b"".join(seen))
            raise
        except (GeneratorExit, asyncio.CancelledError):
            # The caller went away: what it cost is not known, and nothing of it can be replayed.
            call.spot = None
            self._ended(call, answer=answer, data=b"".join(seen))
            raise
        finally:
            with contextlib.suppress(RuntimeError):  # it is being closed already
                await events.aclose()  # type: ignore[attr-defined]  # both kinds of events here are generators
        self._ended(call, answer=answer, data=b"".join(seen))

    def _ended(
        self, call: _Call, *, answer: Answer | None = None, fault: ModelFault | None = None, data: bytes = b""
    ) -> None:
        """Count, note, record: once for every call, however it ended."""
        who, cost = call.who, None
        call.wait.end()
        who.leave()
        if answer is not None and answer.status == 200 and fault is None:
            who.answered += 1
        if answer is not None or data:
            # A stream that broke off has cost something too, but nobody says how much.
            tokens = answer.tokens if answer is not None else None
            cost = who.usage.add(call.model, tokens, self.settings.prices)
            self._spend(call, tokens, cost, data)
        if fault is not None:
            who.note(fault)
        if call.spot is not None and self.cassette is not None and not self._replays:
            told = answer or Answer(200, "text/event-stream")
            take = Take(told.status, told.content_type, data, told.tokens, call.model, fault)
            self.cassette.record(call.spot, call.dialect.name, call.body, take, self.scrubber)
        if who.log is not None:
            who.log.write(
                who=(who.trial, who.role),
                dialect=call.dialect.name,
                asked_model=call.body.get("model"),
                model=call.model,
                seconds=time.monotonic() - call.started,
                request=call.request,
                answer=answer,
                data=data,
                cost=cost,
                fault=fault,
                scrubber=self.scrubber,
            )

    def _spend(self, call: _Call, tokens: Tokens | None, cost: float | None, data: bytes) -> None:
        """Tell the run what a call cost. What nobody told is estimated: one such call must not stop all others."""
        if call.upstream is None:
            return
        if tokens is None:
            asked = len(json.dumps(call.request, ensure_ascii=False))
            tokens = Tokens(asked // _CHARACTERS_PER_TOKEN, len(data) // _CHARACTERS_PER_TOKEN)
        usd = self.settings.prices.cost(call.model, tokens) if cost is None else cost
        self.turns.spent(call.upstream.limits, Spent(tokens.prompt + tokens.completion, usd or 0.0))


@dataclass(slots=True)
class _Call:
    """One call under way: what was asked, and what it became on its way to the provider."""

    who: Pass
    dialect: Dialect
    body: dict[str, Any]
    wait: CallWait
    upstream: Upstream | None = None
    started: float = field(default_factory=time.monotonic)
    model: str = ""
    request: dict[str, Any] = field(default_factory=dict)
    spot: Spot | None = None

    def __post_init__(self) -> None:
        self.request = self.body


def _cassette_of(settings: LlmSettings) -> Cassette | None:
    if settings.replay is not None:
        return Cassette(settings.replay, "replay", volatile=settings.volatile)
    if settings.record is not None:
        return Cassette(settings.record, "record", volatile=settings.volatile)
    return None


async def _retold(take: Take) -> AsyncIterator[bytes]:
    """A recorded stream, and the fault it broke off with."""
    async for event in split_events(_once(take.body)):
        yield event
    if take.fault is not None:
        raise take.fault


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
