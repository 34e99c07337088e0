"""The scripted model as an app, without a socket: who may ask it, what it answers, and how it fails on demand."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from dayjob.llm.script_file import parse_script
from dayjob.llm.scripted import ScriptedModel
from dayjob.llm.secret import Secret

KEY = "sk-the-key"
BEARER = {"authorization": f"Bearer {KEY}"}
QUESTION = {"messages": [{"role": "user", "content": "Hello"}]}


class Line:
    """A connection that can be cut, as the server's are."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


@dataclass
class Caller:
    """Everything the app sends."""

    transport: Line = field(default_factory=Line)
    sent: list[dict[str, Any]] = field(default_factory=list)

    async def send(self, message: Any) -> None:
        self.sent.append(message)

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
    def complete(self) -> bool:
        """Whether the last part was said to be the last."""
        return not self.sent[-1].get("more_body", False)


async def ask(
    model: ScriptedModel, path: str = "/v1/chat/completions", body: Any = None, headers: dict[str, str] | None = None
) -> Caller:
    caller = Caller()
    data = json.dumps(QUESTION if body is None else body).encode()
    given = BEARER if headers is None else headers
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }

    async def receive() -> Any:
        return {"type": "http.request", "body": data, "more_body": False}

    await model(scope, receive, caller.send)
    return caller


async def unasked() -> Any:
    raise AssertionError("nothing more is to be read")


def model_of(*rules: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel(parse_script({"rules": list(rules)}), Secret(KEY))


def asked(*rules: dict[str, Any], **more: Any) -> Caller:
    return asyncio.run(ask(model_of(*rules), **more))


SAYS = {"say": "Good morning.", "usage": {"prompt": 11, "completion": 4}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (BEARER, 200),
        ({"x-api-key": KEY}, 200),
        ({"authorization": "Bearer sk-other"}, 401),
        ({"x-api-key": "sk-other"}, 401),
        ({"authorization": "Bearer sk-other", "x-api-key": KEY}, 401),
        ({}, 401),
    ],
)
def test_only_who_has_the_key_is_answered(headers: dict[str, str], status: int) -> None:
    caller = asked(SAYS, headers=headers)
    assert caller.status == status
    if status == 401:
        given = headers.get("authorization", headers.get("x-api-key", "None")).removeprefix("Bearer ")
        assert json.loads(caller.body) == {"error": {"message": f"Incorrect API key provided: {given}"}}


def test_a_model_without_a_key_makes_one_that_cannot_be_guessed() -> None:
    first, second = (ScriptedModel(parse_script({"rules": []})).key.reveal() for _ in range(2))
    assert first != second
    assert first.startswith("script-")
    assert len(first) >= 30


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_its_list_of_models_has_one(prefix: str) -> None:
    caller = asked(path=f"{prefix}/models")
    assert (caller.status, caller.headers["content-type"]) == (200, "application/json")
    assert json.loads(caller.body) == {"object": "list", "data": [{"id": "scripted", "object": "model"}]}


def test_what_it_does_not_have_is_said() -> None:
    caller = asked(SAYS, path="/v1/embeddings")
    assert caller.status == 404
    assert json.loads(caller.body) == {"error": {"message": "The scripted model has no /v1/embeddings."}}


def test_a_websocket_is_closed_as_not_understood() -> None:
    caller = Caller()

    async def main() -> None:
        await model_of(SAYS)({"type": "websocket"}, unasked, caller.send)

    asyncio.run(main())
    assert caller.sent == [{"type": "websocket.close", "code": 1003}]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/chat/completions"])
def test_a_whole_answer(path: str) -> None:
    caller = asked(SAYS, path=path)
    found = json.loads(caller.body)
    assert (caller.status, caller.complete) == (200, True)
    assert caller.headers == {"content-type": "application/json", "content-length": str(len(caller.body))}
    assert found["choices"][0]["message"]["content"] == "Good morning."
    assert found["usage"] == {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15}
    assert found["id"] == "chatcmpl-script0001"


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("abcdefgh", 2)])
def test_tokens_are_a_quarter_of_the_letters_where_the_script_does_not_say(text: str, tokens: int) -> None:
    usage = json.loads(asked({"say": text}).body)["usage"]
    assert usage["completion_tokens"] == tokens
    assert usage["prompt_tokens"] == (len(json.dumps(QUESTION)) + 3) // 4


def test_a_streamed_answer() -> None:
    caller = asked(SAYS, body={**QUESTION, "stream": True})
    assert (caller.status, caller.headers, caller.complete) == (200, {"content-type": "text/event-stream"}, True)
    assert caller.body.endswith(b"data: [DONE]\n\n")
    assert len(caller.sent) > 4, "event by event"
    assert all(one.get("more_body") for one in caller.sent[1:-1])


def test_each_trial_plays_the_script_from_its_beginning_and_what_was_asked_is_kept() -> None:
    async def main() -> list[str]:
        model = model_of({"say": "First.", "once": True}, {"say": "Then."})
        said = []
        for trial in ("a.1", "a.1", "b.1", ""):
            headers = {**BEARER, **({"x-dayjob-trial": trial} if trial else {})}
            caller = await ask(model, headers=headers, body={**QUESTION, "user": trial})
            said.append(json.loads(caller.body)["choices"][0]["message"]["content"])
        assert [one["user"] for one in model.asked] == ["a.1", "a.1", "b.1", ""]
        return said

    assert asyncio.run(main()) == ["First.", "Then.", "First.", "First."]


def test_the_most_calls_at_once_are_counted() -> None:
    async def main() -> list[int]:
        model = model_of({"say": "Slow.", "delay": 0.01})
        found = []
        for number in (1, 3, 2):
            await asyncio.gather(*(ask(model) for _ in range(number)))
            found.append(model.most_at_once)
        return found

    assert asyncio.run(main()) == [1, 3, 3]


# -- failing on demand -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "message", "headers"),
    [
        ({"status": 500}, "The script says so.", {}),
        ({"status": 429, "retry_after": 2, "message": "Slow down"}, "Slow down", {"retry-after": "2"}),
        ({"status": 429, "retry_after": 0}, "The script says so.", {"retry-after": "0"}),
        ({"status": 429, "retry_after": 0.25}, "The script says so.", {"retry-after": "0.25"}),
    ],
)
def test_a_status_is_sent_with_what_the_script_says(fault: Any, message: str, headers: dict[str, str]) -> None:
    caller = asked({"fault": fault})
    assert caller.status == fault["status"]
    assert json.loads(caller.body) == {"error": {"message": message, "type": "scripted"}}
    lead = {"content-type": "application/json", "content-length": str(len(caller.body))}
    assert caller.headers == {**lead, **headers}


def test_a_question_that_no_rule_answers_is_the_callers_error() -> None:
    caller = asked({"when": {"last": "nothing"}, "say": "x"})
    assert caller.status == 400
    assert "No rule of the script answers this: 'Hello'" in json.loads(caller.body)["error"]["message"]


def test_a_dropped_call_is_cut_without_a_word() -> None:
    caller = asked({"fault": "drop"})
    assert (caller.sent, caller.transport.closed) == ([], True)


@pytest.mark.parametrize(("streamed", "kind"), [(False, "application/json"), (True, "text/event-stream")])
def test_half_an_answer_promises_more_than_it_sends_and_is_cut(streamed: bool, kind: str) -> None:
    caller = asked({"fault": "half", "say": "A long answer, in several pieces."}, body={**QUESTION, "stream": streamed})
    assert (caller.status, caller.headers["content-type"]) == (200, kind)
    assert int(caller.headers["content-length"]) == len(caller.body) + 1005
    assert (caller.complete, caller.transport.closed) == (False, True)
    if streamed:
        assert caller.body.startswith(b"data: ")
        assert not caller.body.endswith(b"\n\n"), "in the middle of an event"
        assert caller.body.count(b"data:") == 3
    else:
        with pytest.raises(ValueError, match="line 1"):
            json.loads(caller.body)


def test_a_short_stream_ends_politely_after_half_of_its_events() -> None:
    rule = {"say": "A long answer, in several pieces."}
    whole = asked(rule, body={**QUESTION, "stream": True})
    short = asked({**rule, "fault": "short"}, body={**QUESTION, "stream": True})
    events = whole.body.count(b"\n\n")
    assert short.body.count(b"\n\n") == events // 2
    assert whole.body.startswith(short.body)
    assert (short.complete, short.transport.closed) == (True, False)


@pytest.mark.parametrize("fault", ["garbage", "short"])
def test_an_answer_that_is_not_json(fault: str) -> None:
    caller = asked({"fault": fault})
    assert (caller.status, caller.headers, caller.complete) == (200, {"content-type": "application/json"}, True)
    with pytest.raises(ValueError, match="line 1"):
        json.loads(caller.body)


def test_a_stream_of_events_that_are_not_json() -> None:
    caller = asked({"fault": "garbage"}, body={**QUESTION, "stream": True})
    assert (caller.status, caller.headers) == (200, {"content-type": "text/event-stream"})
    assert caller.body.startswith(b"data: ")
    assert caller.body.endswith(b"\n\n")


def test_silence_lasts_an_hour_and_delays_as_long_as_the_script_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    asked({"fault": "silence", "delay": 2})
    assert slept == [2, 3600]
    slept.clear()
    caller = asked({"say": "x", "chunk_delay": 0.5}, body={**QUESTION, "stream": True})
    assert slept == [0, *[0.5] * (len(caller.sent) - 2)]
