"""Asking a provider over HTTP: with its key, in turn, again when that may help, and never with the key in what is said.

`Upstream.ask` gives an `Answer` (a whole body, or events as they come) or raises `ModelFault`. Retries end with the
first byte that reached the caller.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from dayjob.llm.budget import Tokens
from dayjob.llm.dialects import CHAT, MESSAGES, Dialect
from dayjob.llm.events import DONE, data_of, fact_of, is_whole, split_events
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.rate_limits import Limits
from dayjob.llm.run_limits import Turns
from dayjob.llm.secret import Scrubber
from dayjob.llm.settings import Provider
from dayjob.llm.waiting import CallWait, State, Waits

_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_REFUSED = frozenset({401, 402, 403, 404, 405})
_LONGEST_PAUSE = 60.0
_PLAIN_QUESTION_SECONDS = 60.0
ANTHROPIC_VERSION = "2023-06-01"
TRIAL_HEADER = "x-dayjob-trial"
"""Tells a scripted model which trial asks, so that rules used up in one are there for the next."""
# What may be said to the provider besides the body.
PASSED_HEADERS = ("anthropic-version", "anthropic-beta", "openai-beta", TRIAL_HEADER)


@dataclass(slots=True)
class Answer:
    """What came back: `body`, or `events` while `body` is None. `tokens` is known once all of it was read."""

    status: int
    content_type: str
    body: bytes | None = None
    events: AsyncIterator[bytes] | None = None
    tokens: Tokens | None = None
    attempts: int = 1


class _Again(Exception):
    """This attempt failed in a way another may not."""

    def __init__(self, label: Label, sentence: str, after: float | None = None) -> None:
        super().__init__(sentence)
        self.label = label
        self.sentence = sentence
        self.after = after


class Upstream:
    """One provider. Used by everybody in the process."""

    def __init__(self, provider: Provider, scrubber: Scrubber, turns: Turns) -> None:
        self.provider = provider
        self.limits = Limits(
            provider.name, provider.concurrency, provider.requests_per_minute, provider.tokens_per_minute
        )
        self._scrubber = scrubber
        self._turns = turns
        place = urlsplit(provider.base_url)
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(provider.timeout, connect=min(provider.timeout, 20)),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=provider.concurrency),
            # A proxy of the environment is for the outside, not for this machine.
            trust_env=place.hostname not in ("127.0.0.1", "localhost", "::1"),
            # Reading the certificates takes 30 ms, and plain http (redirects are not followed) needs none.
            verify=place.scheme != "http",
            headers={"user-agent": "dayjob"},
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(
        self,
        dialect: Dialect,
        body: dict[str, Any],
        headers: Mapping[str, str],
        wait: CallWait,
        *,
        usage_wanted: bool = False,
        retries: int | None = None,
    ) -> Answer:
        """Send `body`; `usage_wanted` says whether the caller itself asked for a stream's usage."""
        most = self.provider.retries if retries is None else retries
        started = time.monotonic()
        content = json.dumps(body).encode()
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = await self._attempt(dialect, content, headers, wait, bool(body.get("stream")), usage_wanted)
                answer.attempts = attempt
                return answer
            except _Again as problem:
                wait.attempt_failed()
                pause = self._pause(attempt, problem.after)
                if problem.after is not None:
                    self._turns.pause(self.limits, min(problem.after, _LONGEST_PAUSE))
                if attempt > most or time.monotonic() - started + pause > self.provider.patience:
                    times = f" after {attempt} attempts" if attempt > 1 else ""
                    raise ModelFault(
                        problem.label, self._scrubber.text(f"{self._who} {problem.sentence}{times}.")
                    ) from problem
            await asyncio.sleep(pause)

    async def answers(self, model: str) -> bool:
        """Whether a plain question is answered right now: tells an outage from a request that the provider fails on."""
        dialect = MESSAGES if self.provider.kind == "anthropic" else CHAT
        question = {"role": "user", "content": "Reply with the single word: ready"}
        content = json.dumps({"model": model, "messages": [question], "max_tokens": 16}).encode()
        try:
            async with asyncio.timeout(min(self.provider.timeout, _PLAIN_QUESTION_SECONDS)):
                await self._attempt(dialect, content, {}, Waits().begin(), False, False)
        except (ModelFault, _Again, TimeoutError):
            return False
        return True

    async def models(self) -> dict[str, Any]:
        """The provider's own list of models, for `doctor`."""
        response = await self._client.get(self.provider.url("/models"), headers=self._headers(False, {}))
        response.raise_for_status()
        found: dict[str, Any] = response.json()
        return found

    # -- one attempt ---------------------------------------------------------------------------------------------

    async def _attempt(
        self,
        dialect: Dialect,
        content: bytes,
        headers: Mapping[str, str],
        wait: CallWait,
        streamed: bool,
        usage_wanted: bool,
    ) -> Answer:
        wait.now(State.TURN)
        await self._turns.enter(self.limits)
        wait.now(State.ASKING)
        kept = False
        try:
            request = self._client.build_request(
                "POST",
                self.provider.url(dialect.path),
                content=content,
                headers=self._headers(dialect.anthropic, headers),
            )
            try:
                async with asyncio.timeout(self.provider.timeout):
                    response = await self._client.send(request, stream=True)
                    is_stream = streamed and response.headers.get("content-type", "").startswith("text/event-stream")
                    if response.status_code == 200 and is_stream:
                        answer = await self._open_stream(dialect, response, usage_wanted)
                        wait.now(State.ANSWERED)
                        kept = True
                        return answer
                    try:
                        body = await response.aread()
                    finally:
                        await response.aclose()
            except (TimeoutError, httpx.TimeoutException) as error:
                raise _Again(Label.LATE, f"did not answer within {self.provider.timeout:g} s") from error
            except httpx.TransportError as error:
                raise _Again(Label.PROVIDER_DOWN, f"could not be reached ({_reason(error)})") from error
            return self._whole(dialect, response, body)
        finally:
            if not kept:
                self._turns.leave(self.limits)

    def _whole(self, dialect: Dialect, response: httpx.Response, body: bytes) -> Answer:
        status = response.status_code
        if status >= 400:
            said = _said(body)
            if status == 429 and "insufficient_quota" in body.decode("utf-8", "replace"):
                raise ModelFault(Label.REFUSED, self._scrubber.text(f"{self._who} has no quota left: {said}"))
            if status in _AGAIN:
                raise _Again(Label.PROVIDER_DOWN, f"answered {status} ({said})", _retry_after(response.headers))
            if status in _REFUSED or status >= 500:
                raise ModelFault(Label.REFUSED, self._scrubber.text(f"{self._who} refused with {status}: {said}"))
            # The request itself is wrong (too long, a bad tool definition): that is between caller and provider.
            return Answer(status, "application/json", self._scrubber.data(body), tokens=Tokens())
        try:
            found = json.loads(body)
            usable = isinstance(found, dict) and dialect.whole(found)
        except (ValueError, RecursionError):
            usable = False
        if not usable:
            raise _Again(Label.MALFORMED, f"answered something that is no answer: {_said(body)!r}")
        return Answer(200, "application/json", self._scrubber.data(body), tokens=dialect.tokens(found))

    async def _open_stream(self, dialect: Dialect, response: httpx.Response, usage_wanted: bool) -> Answer:
        """Wait for the first event, so that a stream that breaks before it can still be tried again."""
        events = split_events(response.aiter_bytes())
        try:
            first = await anext(events, b"")
            if not is_whole(first):
                raise _Again(Label.MALFORMED, "ended its stream before the first event")
        except BaseException:
            await response.aclose()
            raise
        answer = Answer(200, response.headers["content-type"])
        answer.events = self._follow(dialect, response, first, events, answer, usage_wanted)
        return answer

    async def _follow(
        self,
        dialect: Dialect,
        response: httpx.Response,
        first: bytes,
        events: AsyncIterator[bytes],
        answer: Answer,
        usage_wanted: bool,
    ) -> AsyncIterator[bytes]:
        watch = dialect.stream()
        event = first
        try:
            while event:
                if not is_whole(event):
                    raise ModelFault(Label.MALFORMED, f"{self._who} broke off its stream in the middle of an event.")
                if data_of(event) == DONE:
                    watch.done()
                    shown = True
                else:
                    try:
                        fact = fact_of(event)
                    except (ValueError, RecursionError) as error:
                        raise ModelFault(Label.MALFORMED, f"{self._who} streamed an event that is not JSON.") from error
                    shown = fact is None or watch.see(fact) or usage_wanted
                if watch.failed is not None:
                    raise ModelFault(
                        Label.PROVIDER_DOWN, self._scrubber.text(f"{self._who} failed while streaming: {watch.failed}")
                    )
                if shown:
                    yield self._scrubber.data(event)
                async with asyncio.timeout(self.provider.timeout):
                    event = await anext(events, b"")
            if not watch.finished:
                raise ModelFault(Label.MALFORMED, f"{self._who} ended its stream half-way.")
            answer.tokens = watch.tokens
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ModelFault(Label.LATE, f"{self._who} fell silent in the middle of its stream.") from error
        except httpx.TransportError as error:
            raise ModelFault(Label.MALFORMED, f"{self._who} broke off its stream ({_reason(error)}).") from error
        finally:
            self._turns.leave(self.limits)
            await response.aclose()

    # -- details -------------------------------------------------------------------------------------------------

    @property
    def _who(self) -> str:
        return "The scripted model" if self.provider.kind == "script" else f"The provider '{self.provider.name}'"

    def _headers(self, anthropic: bool, passed: Mapping[str, str]) -> dict[str, str]:
        key = self.provider.key.reveal()
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        headers |= {name: value for name, value in passed.items() if name in PASSED_HEADERS}
        if anthropic:
            headers.setdefault("anthropic-version", ANTHROPIC_VERSION)
            headers["x-api-key"] = key
        if key and not (anthropic and self.provider.kind == "anthropic"):
            headers["authorization"] = f"Bearer {key}"
        return headers

    def _pause(self, attempt: int, after: float | None) -> float:
        """Twice as long each time, spread so that many callers do not come back at once."""
        grown = min(self.provider.backoff * 2 ** (attempt - 1), _LONGEST_PAUSE)
        spread: float = grown * random.uniform(0.5, 1.0)
        return max(spread, min(after or 0.0, _LONGEST_PAUSE))


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _said(body: bytes) -> str:
    """The gist of a body, for a sentence."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        error = found["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    text = " ".join(text.split())
    return text[:300] + "…" if len(text) > 300 else text


def _retry_after(headers: httpx.Headers) -> float | None:
    if (text := headers.get("retry-after-ms", "")).replace(".", "", 1).isdigit():
        return float(text) / 1000
    text = headers.get("retry-after", "")
    if text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
