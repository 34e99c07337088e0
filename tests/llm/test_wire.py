"""The gateway's wire without a socket: whose pass opens which door, what is refused how, and what is sent when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from dayjob.llm.budget import Tokens
from dayjob.llm.faults import STATUS, Label, ModelFault
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.settings import LlmSettings, Role
from dayjob.llm.upstream import Answer
from dayjob.llm.wire import BODY_LIMIT, DEPTH_LIMIT
from tests.llm.provided import ROLES, Answering, gateway

HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}]}
SAID = b'{"choices": [{"message": {"content": "Hi."}}]}'


async def said() -> Answer:
    return Answer(200, "application/json", SAID, tokens=Tokens(3, 1))


@dataclass
class Caller:
    """A client of the app: what it sends, and what it got."""

    sent: list[dict[str, Any]] = field(default_factory=list)
    leaves_after: int | None = None
    """Messages after which it goes away; 0 is at once."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Any) -> None:
        self.sent.append(message)
        if self.leaves_after is not None and len(self.sent) >= self.leaves_after:
            self.gone.set()
            for _ in range(5):
                await asyncio.sleep(0)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(one["body"] for one in self.sent[1:])

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)["error"]
        return found


async def ask(
    app: Any,
    token: str,
    body: Any = HELLO,
    *,
    method: str = "POST",
    path: str = "/v1/chat/completions",
    headers: dict[str, str] | None = None,
    leaves_after: int | None = None,
) -> Caller:
    """Call the app as a server does."""
    caller = Caller(leaves_after=leaves_after)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"authorization": f"Bearer {token}"} if headers is None else headers
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "server": ("llm.test", 4000),
        "scheme": "http",
    }
    parts = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Any:
        if parts:
            return parts.pop()
        if leaves_after == 0:
            return {"type": "http.disconnect"}
        await caller.gone.wait()
        return {"type": "http.disconnect"}

    async with asyncio.timeout(20):
        await app(scope, receive, caller.send)
    return caller


async def unasked() -> Any:
    raise AssertionError("nothing more is to be read")


def door(answer: Answering = said, *, role: Role = "examinee", **more: Any) -> tuple[Gateway, Pass, Any]:
    found, provided = gateway(answer, **more)
    return found, found.admit("t.1", role), provided


def asked(answer: Answering = said, *, role: Role = "examinee", settings: Any = None, **more: Any) -> Caller:
    async def main() -> Caller:
        found, one, _ = door(answer, role=role, **(settings or {}))
        return await ask(found.app(), one.token.reveal(), **more)

    return asyncio.run(main())


# -- whose pass it is --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trial", "roles", "holder", "let_in"),
    [
        (None, None, ("t.1", "examinee"), True),
        (None, None, ("t.2", "judge"), True),
        ("t.1", None, ("t.1", "examinee"), True),
        ("t.1", None, ("t.2", "examinee"), False),
        (None, ["judge", "npc"], ("t.1", "examinee"), False),
        (None, ["judge", "npc"], ("t.1", "npc"), True),
        ("t.1", ["examinee"], ("t.1", "examinee"), True),
        ("t.1", ["examinee"], ("t.1", "judge"), False),
        ("t.1", ["examinee"], ("t.2", "examinee"), False),
        ("t.1", [], ("t.1", "examinee"), False),
    ],
)
def test_a_door_takes_passes_of_its_trial_and_roles(
    trial: str | None, roles: list[Role] | None, holder: tuple[str, Role], let_in: bool
) -> None:
    async def main() -> Caller:
        found, _ = gateway(said)
        one = found.admit(*holder)
        return await ask(found.app(trial, roles), one.token.reveal())

    caller = asyncio.run(main())
    assert caller.status == (200 if let_in else 401)
    assert let_in or caller.error["code"] == "invalid_api_key"


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({"authorization": "Bearer {token}"}, True),
        ({"authorization": "bearer {token}"}, True),
        ({"authorization": "Bearer  {token} "}, True),
        ({"x-api-key": "{token}"}, True),
        ({"authorization": "Bearer ", "x-api-key": "{token}"}, True),
        ({"authorization": "Basic abc", "x-api-key": "{token}"}, True),
        ({"authorization": "Bearer other", "x-api-key": "{token}"}, False),
        ({"authorization": "Basic {token}"}, False),
        ({"authorization": "{token}"}, False),
        ({}, False),
    ],
)
def test_a_pass_is_sent_as_a_bearer_token_or_as_an_api_key(headers: dict[str, str], let_in: bool) -> None:
    async def main() -> Caller:
        found, one, _ = door()
        token = one.token.reveal()
        return await ask(found.app(), "", headers={name: text.format(token=token) for name, text in headers.items()})

    caller = asyncio.run(main())
    assert caller.status == (200 if let_in else 401)
    assert "x-should-retry" not in caller.headers


# -- where it is asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "/v1"])
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/chat/completions", 200),
        ("POST", "/responses", 200),
        ("POST", "/messages", 200),
        ("POST", "/messages/count_tokens", 200),
        ("GET", "/models", 200),
        ("GET", "/models/m", 200),
        ("GET", "/models/openai/m", 200),
        ("GET", "/ready", 200),
        ("POST", "/judge", 403),
        ("GET", "/chat/completions", 405),
        ("POST", "/models", 405),
        ("POST", "/ready", 405),
        ("GET", "/judge", 405),
        ("POST", "/embeddings", 404),
    ],
)
def test_each_address_has_its_method_with_and_without_the_version(
    prefix: str, method: str, path: str, status: int
) -> None:
    caller = asked(method=method, path=prefix + path)
    assert caller.status == status
    if status == 405:
        assert caller.error["code"] == "method_not_allowed"
        assert caller.error["message"] == f"Use {'GET' if method == 'POST' else 'POST'} here."


def test_each_wire_is_asked_as_itself() -> None:
    async def main() -> list[str]:
        found, one, provided = door()
        for path in ("/chat/completions", "/responses", "/messages", "/messages/count_tokens"):
            await ask(found.app(), one.token.reveal(), path=f"/v1{path}")
        return [call.dialect.name for call in provided.calls]

    assert asyncio.run(main()) == ["chat", "responses", "messages", "count_tokens"]


def test_strange_addresses_of_a_pass_are_counted_up_to_twenty() -> None:
    async def main() -> Pass:
        found, one, _ = door()
        for path in ["/v1/embeddings"] * 2 + [f"/{'x' * 100}{number}" for number in range(3)]:
            await ask(found.app(), one.token.reveal(), path=path)
        assert one.strange == {"POST /v1/embeddings": 2, f"POST /{'x' * 79}": 3}
        for number in range(30):
            caller = await ask(found.app(), one.token.reveal(), path=f"/{number}")
        assert (caller.status, caller.error["code"]) == (404, "unknown_url")
        assert caller.error["message"] == "The gateway has no /29."
        stranger = await ask(found.app(), "nobody", path="/v1/embeddings")
        assert stranger.status == 404
        return one

    assert len(asyncio.run(main()).strange) == 20


def test_a_websocket_is_closed_as_not_understood() -> None:
    caller = Caller()

    async def main() -> None:
        await door()[0].app()({"type": "websocket"}, unasked, caller.send)

    asyncio.run(main())
    assert caller.sent == [{"type": "websocket.close", "code": 1003}]


def test_the_models_a_role_may_name_are_listed() -> None:
    caller = asked(settings={"also": ("small",)}, method="GET", path="/v1/models")
    row = {"object": "model", "created": 0, "owned_by": "dayjob"}
    assert json.loads(caller.body) == {"object": "list", "data": [{"id": "m", **row}, {"id": "small", **row}]}
    assert caller.headers["content-type"] == "application/json"

    async def nobody() -> Caller:
        found = Gateway(LlmSettings())
        return await ask(found.app(), found.admit("t.1", "npc").token.reveal(), method="GET", path="/v1/models")

    assert json.loads(asyncio.run(nobody()).body)["data"] == []


# -- what is asked -----------------------------------------------------------------------------------------------


def nested(depth: int) -> bytes:
    """An object with lists and objects in it, so deep."""
    opens = [b'{"a":' if level % 2 == 0 else b"[" for level in range(depth)]
    closes = [b"}" if level % 2 == 0 else b"]" for level in range(depth)]
    return b"".join(opens) + b"1" + b"".join(reversed(closes))


@pytest.mark.parametrize(
    ("body", "status", "said_why"),
    [
        (b"{", 400, "The body is not JSON: "),
        (b'{"a": NaN}', 400, "The body is not JSON: NaN is no JSON."),
        (b'{"a": Infinity}', 400, "The body is not JSON: Infinity is no JSON."),
        (b"[1]", 400, "The body must be a JSON object."),
        (b"3", 400, "The body must be a JSON object."),
        (b"\xff", 400, "The body is not JSON: "),
        (b"[" * 100_000, 400, "The body is not JSON: "),
        (nested(DEPTH_LIMIT), 200, ""),
        (nested(DEPTH_LIMIT + 1), 400, "The body is nested more than 100 deep."),
        (b"{}", 200, ""),
    ],
)
def test_a_body_is_an_object_of_bounded_depth(body: bytes, status: int, said_why: str) -> None:
    caller = asked(body=body)
    assert caller.status == status
    if status == 400:
        assert caller.error["message"].startswith(said_why)
        assert caller.error["code"] == "invalid_request"
        assert "x-should-retry" not in caller.headers


def test_a_body_may_have_64_megabytes() -> None:
    assert BODY_LIMIT == 64 * 1024 * 1024

    async def main(length: int) -> Caller:
        found, one, _ = door()
        headers = {"authorization": f"Bearer {one.token.reveal()}", "content-length": str(length)}
        return await ask(found.app(), "", headers=headers)

    assert asyncio.run(main(BODY_LIMIT)).status == 200
    large = asyncio.run(main(BODY_LIMIT + 1))
    assert (large.status, large.error["code"]) == (413, "request_too_large")


SEARCH = {**HELLO, "web_search_options": {"size": 1}}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("body", [HELLO, SEARCH])
def test_only_an_examinees_requests_are_kept_inside_and_only_where_the_settings_do_not_allow_it(
    role: Role, outside: bool, body: dict[str, Any]
) -> None:
    caller = asked(role=role, settings={"outside": outside}, body=body)
    refused = role == "examinee" and not outside and body is SEARCH
    assert caller.status == (400 if refused else 200)
    if refused:
        assert "would reach outside the company: 'web_search_options'" in caller.error["message"]


def test_an_examinee_without_a_model_is_told_that_and_nothing_else() -> None:
    async def main() -> Caller:
        found = Gateway(LlmSettings())
        return await ask(found.app(), found.admit("t.1", "examinee").token.reveal(), SEARCH)

    caller = asyncio.run(main())
    assert (caller.status, caller.error["code"]) == (503, "unconfigured")


@pytest.mark.parametrize(
    ("name", "value", "passed"),
    [
        ("anthropic-beta", "tools-2025", True),
        ("openai-beta", "x" * 1000, True),
        ("openai-beta", "x" * 1001, None),
        ("anthropic-beta", "tab\there", None),
        ("anthropic-beta", "gr\xfc\xdfe", None),
        ("x-custom", "x" * 2000, False),
        ("cookie", "c", False),
    ],
)
def test_only_a_wires_own_headers_are_passed_on(name: str, value: str, passed: bool | None) -> None:
    async def main() -> tuple[Caller, list[dict[str, str]]]:
        found, one, provided = door()
        headers = {"authorization": f"Bearer {one.token.reveal()}", name: value}
        return await ask(found.app(), "", headers=headers), [call.headers for call in provided.calls]

    caller, seen = asyncio.run(main())
    if passed is None:
        assert (caller.status, seen) == (400, [])
        assert f"The header {name} must be at most 1000 printable" in caller.error["message"]
    else:
        assert seen == [{name: value}] if passed else [{}]


# -- what comes back ---------------------------------------------------------------------------------------------


def test_a_whole_answer_comes_back_as_it_was() -> None:
    async def refused() -> Answer:
        return Answer(422, "application/problem+json", b'{"why": 1}', tokens=Tokens())

    caller = asked(refused)
    assert (caller.status, caller.body) == (422, b'{"why": 1}')
    assert caller.headers == {"content-type": "application/problem+json", "content-length": "10"}
    assert not caller.sent[-1].get("more_body")


FAULT = ModelFault(Label.LATE, "Too late.")


def streamed(*parts: bytes | ModelFault) -> Answering:
    async def events() -> AsyncIterator[bytes]:
        for part in parts:
            if isinstance(part, ModelFault):
                raise part
            yield part

    async def answer() -> Answer:
        return Answer(200, "text/event-stream; charset=utf-8", events=events())

    return answer


def test_a_stream_is_sent_event_by_event() -> None:
    caller = asked(streamed(b"data: 1\n\n", b"data: 2\n\n"))
    kind = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]
    assert caller.sent == [
        {"type": "http.response.start", "status": 200, "headers": kind},
        {"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True},
        {"type": "http.response.body", "body": b"data: 2\n\n", "more_body": True},
        {"type": "http.response.body", "body": b""},
    ]


def test_a_fault_in_mid_stream_is_its_last_event() -> None:
    caller = asked(streamed(b"data: 1\n\n", FAULT))
    assert caller.status == 200
    assert b'data: {"error": {"message": "Too late."' in caller.sent[2]["body"]
    assert caller.sent[2]["more_body"]
    assert caller.sent[3:] == [{"type": "http.response.body", "body": b""}]


@pytest.mark.parametrize("label", Label)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/judge", "/v1/ready"])
def test_a_fault_is_told_with_its_label_and_that_it_is_not_worth_another_try(label: Label, path: str) -> None:
    async def failing() -> Answer:
        raise ModelFault(label, "So it is.")

    body = {"question": "q", "evidence": "e"} if path.endswith("judge") else HELLO
    method = "GET" if path.endswith("ready") else "POST"
    caller = asked(failing, role="judge", body=body, method=method, path=path)
    if path.endswith("ready"):
        found = json.loads(caller.body)
        assert (caller.status, found["ready"], found["label"], found["sentence"]) == (503, False, label, "So it is.")
    else:
        assert caller.status == STATUS[label]
        assert caller.headers["x-should-retry"] == "false"
        assert (caller.error["code"], caller.error["message"]) == (label, "So it is.")
        assert caller.headers["content-type"] == "application/json"
        assert int(caller.headers["content-length"]) == len(caller.body)


def test_a_caller_that_goes_away_ends_its_call_and_is_sent_nothing() -> None:
    async def main() -> None:
        ended: list[str] = []

        async def never() -> Answer:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("ended")
            raise AssertionError

        found, one, _ = door(never)
        caller = await ask(found.app(), one.token.reveal(), leaves_after=0)
        assert (caller.sent, ended, one.usage.unmetered) == ([], ["ended"], 1)

    asyncio.run(main())


def test_a_caller_that_goes_away_in_a_stream_ends_it() -> None:
    async def main() -> None:
        ended: list[str] = []

        async def endless() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield b"data: 1\n\n"
                    await asyncio.sleep(0)
            finally:
                ended.append("ended")

        async def answer() -> Answer:
            return Answer(200, "text/event-stream", events=endless())

        found, one, _ = door(answer)
        await ask(found.app(), one.token.reveal(), leaves_after=2)
        assert (ended, one.faults, one.usage.unmetered) == (["ended"], [], 1)

    asyncio.run(main())


def test_a_pass_that_is_closed_in_the_middle_is_told_so() -> None:
    async def main() -> Caller:
        async def closing() -> Answer:
            one.close()
            await asyncio.Event().wait()
            raise AssertionError

        found, one, _ = door(closing)
        return await ask(found.app(), one.token.reveal())

    caller = asyncio.run(main())
    assert (caller.status, caller.error["code"]) == (403, "closed")


# -- judging and readiness ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_only_a_judges_pass_judges(role: Role) -> None:
    caller = asked(role=role, path="/v1/judge", body={"question": ""})
    if role == "judge":
        assert (caller.status, caller.error["message"]) == (400, "'question' must be text")
    else:
        assert (caller.status, caller.error["code"]) == (403, "wrong_role")
        assert caller.error["message"] == f"A pass for {role} does not judge."


@pytest.mark.parametrize("votes", [1, 3])
def test_a_verdict_has_as_many_votes_as_the_settings_say(votes: int) -> None:
    async def main() -> Caller:
        async def verdict() -> Answer:
            case = provided.calls[-1].body["messages"][0]["content"].partition("Case number: ")[2].split()[0]
            quotes = [{"number": 1, "speaker": "", "text": "Friday"}]
            text = json.dumps({"quotes": quotes, "reason": "r", "verdict": "yes", "case": case})
            body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            return Answer(200, "application/json", body, tokens=Tokens(1, 1))

        found, one, provided = door(verdict, role="judge", votes=votes)
        return await ask(found.app(), one.token.reveal(), {"question": "q", "evidence": "On Friday."}, path="/v1/judge")

    found = json.loads(asyncio.run(main()).body)
    assert (found["verdict"], len(found["votes"]), found["model"]) == ("yes", votes, "p/m")


def test_readiness_is_asked_until_it_was_answered_once() -> None:
    async def main() -> None:
        faults: list[ModelFault] = [FAULT]

        async def coming_up() -> Answer:
            if faults:
                raise faults.pop()
            return await said()

        found, one, provided = door(coming_up, role="npc")
        callers = [await ask(found.app(), one.token.reveal(), method="GET", path="/v1/ready") for _ in range(3)]
        assert [caller.status for caller in callers] == [503, 200, 200]
        assert provided.asked == 2
        assert provided.calls[0].body["messages"] == [{"role": "user", "content": "Reply with the single word: ready"}]
        found_ready = json.loads(callers[1].body)
        assert found_ready.pop("seconds") >= 0
        assert found_ready == {"role": "npc", "model": "p/m", "ready": True, "label": "", "sentence": "p/m answers."}
        assert one.faults == []

    asyncio.run(main())
