"""One provider, without a socket: what is tried again, what is a fault of which kind, and what is sent."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import httpx
import pytest

from dayjob.llm.budget import Tokens
from dayjob.llm.dialects import CHAT, MESSAGES, Dialect
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.rate_limits import Limits
from dayjob.llm.run_limits import Desk
from dayjob.llm.secret import Scrubber, Secret
from dayjob.llm.settings import Kind, Provider
from dayjob.llm.upstream import Answer, Upstream
from dayjob.llm.waiting import Waits

KEY = "sk-the-real-key"
GOOD = {"choices": [{"message": {"content": f"hello {KEY}"}}], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
ASKED = {"model": "m", "messages": []}


class Noted(Desk):
    """Notes turns and pauses."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = 0
        self.pauses: list[float] = []

    async def enter(self, limits: Limits) -> None:
        self.under_way += 1

    def leave(self, limits: Limits) -> None:
        self.under_way -= 1

    def pause(self, limits: Limits, seconds: float) -> None:
        self.pauses.append(seconds)


class Place:
    """A provider behind an `Upstream`; answers in order, the last one for ever."""

    def __init__(
        self, *answers: httpx.Response | Exception, kind: Kind = "openai", key: str = KEY, **more: Any
    ) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.turns = Noted()
        provider = Provider("p", kind, "http://provider.invalid/v1", Secret(key), **{"backoff": 0.0, **more})
        self.upstream = Upstream(provider, Scrubber([Secret(KEY)]), self.turns)
        self.upstream._client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer), trust_env=False)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    async def ask(self, dialect: Dialect = CHAT, headers: dict[str, str] | None = None, **more: Any) -> Answer:
        return await self.upstream.ask(dialect, ASKED, headers or {}, Waits().begin(), **more)


def good() -> httpx.Response:
    return httpx.Response(200, json=GOOD)


def asked(place: Place, **more: Any) -> Answer:
    return asyncio.run(place.ask(**more))


AGAIN = {408, 409, 429, 500, 502, 503, 504, 529}
REFUSED = {401, 402, 403, 404, 405}


@pytest.mark.parametrize("status", [400, *sorted(REFUSED | AGAIN), 406, 413, 422, 501, 505, 599])
def test_each_status_is_tried_again_refused_or_handed_on(status: int) -> None:
    place = Place(httpx.Response(status, json={"error": {"message": f"no {KEY}"}}), good(), retries=1)
    if status in AGAIN:
        assert asked(place).attempts == 2
    elif status in REFUSED or status >= 500:
        with pytest.raises(ModelFault, match=rf"The provider 'p' refused with {status}: no \*\*\*") as fault:
            asked(place)
        assert fault.value.label is Label.REFUSED
    else:
        answer = asked(place)
        assert (answer.status, answer.attempts, answer.tokens) == (status, 1, Tokens())
        assert answer.body == b'{"error":{"message":"no ***"}}'
    assert place.turns.under_way == 0


def test_a_spent_quota_is_not_waited_out() -> None:
    body = {"error": {"message": "no money", "code": "insufficient_quota"}}
    with pytest.raises(ModelFault, match="has no quota left: no money") as fault:
        asked(Place(httpx.Response(429, json=body), good()))
    assert fault.value.label is Label.REFUSED
    assert asked(Place(httpx.Response(500, json=body), good())).attempts == 2


@pytest.mark.parametrize(
    ("answer", "label", "sentence"),
    [
        (httpx.Response(503, text="x" * 400), Label.PROVIDER_DOWN, r"answered 503 \(x{300}…\) after 3 attempts\."),
        (httpx.ConnectError("no route"), Label.PROVIDER_DOWN, r"could not be reached \(no route\) after 3 attempts"),
        (httpx.ReadError(""), Label.PROVIDER_DOWN, r"could not be reached \(ReadError\) after 3 attempts"),
        (httpx.ReadTimeout("slow"), Label.LATE, r"did not answer within 9 s after 3 attempts"),
        (httpx.Response(200, text="hello"), Label.MALFORMED, r"no answer: 'hello' after 3 attempts"),
        (httpx.Response(200, json=[1]), Label.MALFORMED, r"no answer: '\[1\]' after 3 attempts"),
        (httpx.Response(200, json={"choices": []}), Label.MALFORMED, r"no answer"),
    ],
)
def test_what_does_not_pass_after_all_attempts_is_a_fault(answer: Any, label: Label, sentence: str) -> None:
    place = Place(answer, retries=2, timeout=9)
    with pytest.raises(ModelFault, match=sentence) as fault:
        asked(place)
    assert fault.value.label is label
    assert len(place.requests) == 3
    assert place.turns.under_way == 0


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_so_many_attempts_and_no_more(retries: int) -> None:
    place = Place(httpx.Response(500), retries=retries)
    with pytest.raises(ModelFault):
        asked(place)
    assert len(place.requests) == retries + 1
    place = Place(httpx.Response(500), retries=9)
    with pytest.raises(ModelFault):
        asked(place, retries=retries)
    assert len(place.requests) == retries + 1


def test_nothing_is_begun_beyond_a_calls_patience() -> None:
    place = Place(httpx.Response(500), retries=9, backoff=100.0, patience=10.0)
    with pytest.raises(ModelFault, match=r"answered 500 \(\)\.$"):
        asked(place)
    assert len(place.requests) == 1


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry-after": "0.01"}, 0.01),
        ({"retry-after-ms": "10"}, 0.01),
        ({"retry-after": "7", "retry-after-ms": "10"}, 0.01),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_pause_that_a_provider_asks_for_is_told_to_all(headers: dict[str, str], pause: float | None) -> None:
    place = Place(httpx.Response(429, headers=headers), good())
    asked(place)
    assert place.turns.pauses == ([] if pause is None else [pytest.approx(pause)])


def test_a_very_long_pause_is_cut() -> None:
    place = Place(httpx.Response(429, headers={"retry-after": "9999"}), retries=0)
    with pytest.raises(ModelFault):
        asked(place)
    assert place.turns.pauses == [60.0]


@pytest.mark.parametrize(
    ("backoff", "attempt", "after", "pause"),
    [
        (1.0, 1, None, 1.0),
        (1.0, 2, None, 2.0),
        (1.0, 4, None, 8.0),
        (1.0, 12, None, 60.0),
        (1.0, 1, 5.0, 5.0),
        (1.0, 5, 5.0, 16.0),
        (1.0, 1, 999.0, 60.0),
    ],
)
def test_pauses_double_up_to_a_minute_and_are_never_shorter_than_asked_for(
    backoff: float, attempt: int, after: float | None, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    spread: list[tuple[float, float]] = []

    def longest(low: float, high: float) -> float:
        spread.append((low, high))
        return high

    monkeypatch.setattr(random, "uniform", longest)
    assert Place(good(), backoff=backoff).upstream._pause(attempt, after) == pause
    assert spread == [(0.5, 1.0)]


# -- what is sent ------------------------------------------------------------------------------------------------


def test_an_answer_comes_back_without_the_key_and_with_its_tokens() -> None:
    answer = asked(Place(good()))
    assert answer.body is not None
    assert json.loads(answer.body)["choices"][0]["message"]["content"] == "hello ***"
    assert (answer.status, answer.content_type, answer.tokens) == (200, "application/json", Tokens(3, 1))


HEADERS = {
    "anthropic-beta": "b",
    "openai-beta": "o",
    "authorization": "Bearer pass",
    "x-api-key": "pass",
    "cookie": "c",
}


@pytest.mark.parametrize(
    ("kind", "dialect", "key", "sent"),
    [
        ("openai", CHAT, KEY, {"authorization": f"Bearer {KEY}"}),
        ("openai", CHAT, "", {}),
        ("openai", MESSAGES, KEY,
         {"authorization": f"Bearer {KEY}", "x-api-key": KEY, "anthropic-version": "2023-06-01"}),
        ("anthropic", MESSAGES, KEY, {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
        ("anthropic", CHAT, KEY, {"authorization": f"Bearer {KEY}"}),
    ],
)  # fmt: skip
def test_the_key_goes_where_the_wire_wants_it_and_the_callers_own_goes_nowhere(
    kind: Kind, dialect: Dialect, key: str, sent: dict[str, str]
) -> None:
    answers = {"type": "message", "content": []} if dialect is MESSAGES else GOOD
    place = Place(httpx.Response(200, json=answers), kind=kind, key=key)
    asked(place, dialect=dialect, headers=HEADERS)
    (request,) = place.requests
    assert str(request.url) == f"http://provider.invalid/v1{dialect.path}"
    names = ("authorization", "x-api-key", "anthropic-version", "cookie", "anthropic-beta", "openai-beta")
    found = {name: request.headers[name] for name in names if name in request.headers}
    assert found == {**sent, "anthropic-beta": "b", "openai-beta": "o"}
    assert json.loads(request.content) == ASKED


def test_a_callers_own_version_of_the_wire_is_kept() -> None:
    place = Place(httpx.Response(200, json={"type": "message", "content": []}), kind="anthropic")
    asked(place, dialect=MESSAGES, headers={"anthropic-version": "2099-01-01"})
    assert place.requests[0].headers["anthropic-version"] == "2099-01-01"


def test_the_list_of_models_is_asked_for_with_the_key() -> None:
    place = Place(httpx.Response(200, json={"data": []}))
    assert asyncio.run(place.upstream.models()) == {"data": []}
    (request,) = place.requests
    assert (str(request.url), request.method) == ("http://provider.invalid/v1/models", "GET")
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("url", "environment", "verified"),
    [
        ("http://127.0.0.1:1/v1", False, False),
        ("http://localhost:1/v1", False, False),
        ("http://[::1]:1/v1", False, False),
        ("https://provider.invalid/v1", True, True),
        ("http://provider.invalid/v1", True, False),
        ("https://127.0.0.1:1/v1", False, True),
    ],
)
def test_a_proxy_is_for_the_outside_and_certificates_for_https(
    url: str, environment: bool, verified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Any]] = []

    def client(**options: Any) -> Any:
        made.append(options)

    monkeypatch.setattr(httpx, "AsyncClient", client)
    Upstream(Provider("p", "openai", url, timeout=5, concurrency=3), Scrubber(), Desk())
    (options,) = made
    assert (options["trust_env"], options["verify"]) == (environment, verified)
    assert options["limits"].max_connections is None
    assert options["limits"].max_keepalive_connections == 3
    assert options["headers"] == {"user-agent": "dayjob"}


@pytest.mark.parametrize(("timeout", "connecting"), [(5, 5), (20, 20), (21, 20), (300, 20)])
def test_an_attempt_may_take_its_time_and_connecting_at_most_twenty_seconds(timeout: float, connecting: float) -> None:
    found = Upstream(Provider("p", "openai", "http://provider.invalid", timeout=timeout), Scrubber(), Desk())
    assert found._client.timeout == httpx.Timeout(timeout, connect=connecting)


# -- a plain question --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "able"),
    [
        (good(), True),
        (httpx.Response(400, json={"error": "x"}), True),
        (httpx.Response(500), False),
        (httpx.Response(401), False),
        (httpx.ConnectError("x"), False),
        (httpx.Response(200, text="x"), False),
    ],
)
def test_a_provider_answers_others_when_it_answers_a_plain_question_at_once(answer: Any, able: bool) -> None:
    place = Place(answer, good())
    assert asyncio.run(place.upstream.answers("m")) is able
    assert len(place.requests) == 1
    assert place.turns.under_way == 0


@pytest.mark.parametrize(("kind", "path"), [("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")])
def test_a_plain_question_is_small_and_on_the_providers_own_wire(kind: Kind, path: str) -> None:
    place = Place(httpx.Response(500), kind=kind)
    asyncio.run(place.upstream.answers("m"))
    (request,) = place.requests
    assert request.url.path == path
    question = {"role": "user", "content": "Reply with the single word: ready"}
    assert json.loads(request.content) == {"model": "m", "messages": [question], "max_tokens": 16}
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept-encoding"] == "identity"


# -- streams -----------------------------------------------------------------------------------------------------


def event(**fact: Any) -> bytes:
    return b"data: " + json.dumps(fact).encode() + b"\n\n"


WORD = event(choices=[{"delta": {"content": f"a {KEY}"}}])
SHOWN = WORD.replace(KEY.encode(), b"***")
STOP = event(choices=[{"finish_reason": "stop"}])
USAGE = event(choices=[], usage={"prompt_tokens": 4, "completion_tokens": 2})
END = b"data: [DONE]\n\n"


def streamed(*parts: bytes) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=b"".join(parts))


async def drained(place: Place, **more: Any) -> tuple[list[bytes], Answer, ModelFault | None]:
    answer = await place.upstream.ask(CHAT, {**ASKED, "stream": True}, {}, Waits().begin(), **more)
    assert answer.events is not None
    seen: list[bytes] = []
    try:
        async for one in answer.events:
            seen.append(one)
    except ModelFault as fault:
        return seen, answer, fault
    return seen, answer, None


@pytest.mark.parametrize(("wanted", "shown"), [(False, [SHOWN, STOP, END]), (True, [SHOWN, STOP, USAGE, END])])
def test_a_stream_is_passed_on_with_its_usage_only_to_who_asked_for_it(wanted: bool, shown: list[bytes]) -> None:
    place = Place(streamed(WORD, STOP, USAGE, END))
    seen, answer, fault = asyncio.run(drained(place, usage_wanted=wanted))
    assert seen == shown
    assert (answer.tokens, fault, place.turns.under_way) == (Tokens(4, 2), None, 0)


@pytest.mark.parametrize(
    ("parts", "label", "sentence"),
    [
        ([WORD], Label.MALFORMED, "ended its stream half-way"),
        ([WORD, b"data: {"], Label.MALFORMED, "in the middle of an event"),
        ([WORD, b"data: {\n\n"], Label.MALFORMED, "an event that is not JSON"),
        ([WORD, event(error={"message": f"down {KEY}"})], Label.PROVIDER_DOWN, "failed while streaming: down ***"),
    ],
)
def test_a_stream_that_breaks_is_a_fault_after_what_came(parts: list[bytes], label: Label, sentence: str) -> None:
    place = Place(streamed(*parts))
    seen, answer, fault = asyncio.run(drained(place))
    assert seen == [SHOWN]
    assert fault is not None
    assert fault.label is label
    assert sentence in fault.sentence
    assert (answer.tokens, place.turns.under_way) == (None, 0)


@pytest.mark.parametrize("first", [b"", b"data: {"])
def test_a_stream_that_breaks_before_its_first_event_is_tried_again(first: bytes) -> None:
    place = Place(streamed(first), streamed(WORD, STOP))
    seen, answer, fault = asyncio.run(drained(place))
    assert (seen, answer.attempts, fault, place.turns.under_way) == ([SHOWN, STOP], 2, None, 0)


def test_a_whole_answer_to_who_asked_for_a_stream_is_passed_on_whole() -> None:
    async def main() -> Answer:
        return await Place(good()).upstream.ask(CHAT, {**ASKED, "stream": True}, {}, Waits().begin())

    answer = asyncio.run(main())
    assert (answer.events, answer.tokens) == (None, Tokens(3, 1))


def test_a_stream_to_who_asked_for_a_whole_answer_is_none() -> None:
    with pytest.raises(ModelFault) as fault:
        asked(Place(streamed(WORD, STOP, END), retries=0))
    assert fault.value.label is Label.MALFORMED


def test_a_turn_is_held_for_as_long_as_a_stream_lasts() -> None:
    async def main() -> list[int]:
        place = Place(streamed(WORD, STOP))
        answer = await place.upstream.ask(CHAT, {**ASKED, "stream": True}, {}, Waits().begin())
        assert answer.events is not None
        held = [place.turns.under_way]
        async for _ in answer.events:
            held.append(place.turns.under_way)
        return [*held, place.turns.under_way]

    assert asyncio.run(main()) == [1, 1, 1, 0]
