"""The scripted model on each wire, field by field: what it reads of a request, and what its clients get."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.llm.dialects import DIALECTS
from dayjob.llm.events import data_of, fact_of, is_whole
from dayjob.llm.script_file import Action, Conversation
from dayjob.llm.script_wires import WIRES

CHAT, RESPONSES, MESSAGES, COUNT = (
    WIRES[path] for path in ("/chat/completions", "/responses", "/messages", "/messages/count_tokens")
)
TEXT = "Thirteen signs and more."
ARGUMENTS = '{"command": "ls"}'
PIECES = ["Thirteen sig", "ns and more."]
ARGUMENT_PIECES = ['{"command": ', '"ls"}']
BOTH = Action(TEXT, (("bash", ARGUMENTS),))
ONLY_TEXT = Action(TEXT)
ONLY_CALLS = Action("", (("bash", ARGUMENTS), ("look", "{}")))


def events(found: list[bytes]) -> list[dict[str, Any]]:
    """The events' data; each is whole, and named by its type where the wire names events."""
    assert all(is_whole(one) for one in found)
    facts = [fact for one in found if (fact := fact_of(one)) is not None]
    for one, fact in zip(found, facts, strict=False):
        if "type" in fact:
            assert one.startswith(f"event: {fact['type']}\n".encode())
    return facts


def test_every_wire_of_the_gateway_is_played() -> None:
    assert set(WIRES) == {one.path for one in DIALECTS.values()}


# -- reading -----------------------------------------------------------------------------------------------------

SPOKEN = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "One"},
    {"role": "assistant", "content": "Two"},
    {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
    {"role": "user", "content": [{"type": "text", "text": "Three"}, {"type": "text", "text": "Four"}]},
]


@pytest.mark.parametrize(
    ("path", "body", "read"),
    [
        (
            "/chat/completions",
            {"model": "m", "messages": SPOKEN},
            Conversation("m", "Be kind.\nBe brief.", "Three\nFour", "Be kind.\nBe brief.\nOne\nTwo\nThree\nFour", 2),
        ),
        ("/chat/completions", {}, Conversation("", "", "", "", 1)),
        ("/chat/completions", {"messages": None}, Conversation("", "", "", "", 1)),
        ("/chat/completions", {"messages": ["no mapping", {"role": "user", "content": 3}]},
         Conversation("", "", "", "\n", 1)),
        (
            "/responses",
            {"model": "m", "instructions": "Be kind.", "input": "Hello"},
            Conversation("m", "Be kind.", "Hello", "Be kind.\nHello", 1),
        ),
        (
            "/responses",
            {
                "input": [
                    {"role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
                    {"type": "function_call", "name": "bash", "arguments": "{}"},
                    {"type": "function_call_output", "output": "listed"},
                ]
            },
            Conversation("", "", "listed", "\nHello\n\nlisted", 2),
        ),
        ("/responses", {"input": None}, Conversation("", "", "", "", 1)),
        ("/responses", {}, Conversation("", "", "", "", 1)),
        (
            "/messages",
            {
                "model": "m",
                "system": [{"type": "text", "text": "Be kind."}],
                "messages": [
                    {"role": "user", "content": "One"},
                    {"role": "assistant", "content": [{"type": "text", "text": "Two"}]},
                    {"role": "user", "content": [{"type": "tool_result", "content": [{"text": "Three"}]}]},
                ],
            },
            Conversation("m", "Be kind.", "Three", "Be kind.\nOne\nTwo\nThree", 2),
        ),
        ("/messages", {}, Conversation("", "", "", "", 1)),
        ("/messages/count_tokens", {"messages": [{"role": "user", "content": "One"}]},
         Conversation("", "", "One", "\nOne", 1)),
    ],
)  # fmt: skip
def test_a_request_is_read_as_its_wire_writes_it(path: str, body: dict[str, Any], read: Conversation) -> None:
    assert WIRES[path].read(body) == read


# -- chat completions --------------------------------------------------------------------------------------------

CHAT_USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def tool_call(at: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"call_script0003{at}", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("action", "message", "finish"),
    [
        (ONLY_TEXT, {"role": "assistant", "content": TEXT}, "stop"),
        (Action(TEXT, cut_short=True), {"role": "assistant", "content": TEXT}, "length"),
        (
            BOTH,
            {"role": "assistant", "content": TEXT, "tool_calls": [tool_call(0, "bash", ARGUMENTS)]},
            "tool_calls",
        ),
        (
            ONLY_CALLS,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [tool_call(0, "bash", ARGUMENTS), tool_call(1, "look", "{}")],
            },
            "tool_calls",
        ),
    ],
)
def test_a_whole_chat_completion(action: Action, message: dict[str, Any], finish: str) -> None:
    assert CHAT.whole(action, 7, 5, 3) == {
        "id": "chatcmpl-script0003",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": CHAT_USAGE,
    }


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {**CHUNK, "choices": choices}


CHUNK = {"id": "chatcmpl-script0003", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
OPENING = chunk({"role": "assistant", "content": ""})


@pytest.mark.parametrize(
    ("options", "usage"),
    [
        ({}, []),
        ({"stream_options": None}, []),
        ({"stream_options": {"include_usage": False}}, []),
        ({"stream_options": {"include_usage": True}}, [{**CHUNK, "choices": [], "usage": CHAT_USAGE}]),
    ],
)
def test_a_streamed_chat_completion(options: dict[str, Any], usage: list[dict[str, Any]]) -> None:
    found = CHAT.events(BOTH, 7, 5, 3, options)
    lead = {"index": 0, "id": "call_script00030", "type": "function"}
    assert events(found) == [
        OPENING,
        *(chunk({"content": piece}) for piece in PIECES),
        chunk({"tool_calls": [{**lead, "function": {"name": "bash", "arguments": ""}}]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in ARGUMENT_PIECES),
        chunk({}, "tool_calls"),
        *usage,
    ]
    assert data_of(found[-1]) == b"[DONE]"
    assert not any(one.startswith(b"event:") for one in found)


@pytest.mark.parametrize(
    ("action", "finish"), [(ONLY_TEXT, "stop"), (Action(TEXT, cut_short=True), "length"), (ONLY_CALLS, "tool_calls")]
)
def test_a_streamed_chat_ends_for_the_reason_a_whole_one_does(action: Action, finish: str) -> None:
    assert events(CHAT.events(action, 7, 5, 3, {}))[-1] == chunk({}, finish)


def test_several_calls_in_a_streamed_chat_are_numbered() -> None:
    calls = [one["choices"][0]["delta"].get("tool_calls") for one in events(CHAT.events(ONLY_CALLS, 7, 5, 3, {}))]
    named = [one[0] for one in calls if one and "id" in one[0]]
    assert [(one["index"], one["id"], one["function"]["name"]) for one in named] == [
        (0, "call_script00030", "bash"),
        (1, "call_script00031", "look"),
    ]


# -- responses ---------------------------------------------------------------------------------------------------

PART = {"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}
MESSAGE = {
    "id": "msg_script0003",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [PART],
}
CALL = {
    "type": "function_call",
    "id": "fc_script00030",
    "call_id": "call_script00030",
    "status": "completed",
    "name": "bash",
    "arguments": ARGUMENTS,
}
RESPONSE = {
    "id": "resp_script0003",
    "object": "response",
    "created_at": 0,
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "model": "scripted",
    "output": [MESSAGE, CALL],
    "parallel_tool_calls": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "usage": {
        "input_tokens": 7,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 12,
    },
}


@pytest.mark.parametrize(
    ("action", "output"),
    [
        (BOTH, [MESSAGE, CALL]),
        (ONLY_TEXT, [MESSAGE]),
        (
            ONLY_CALLS,
            [CALL, {**CALL, "id": "fc_script00031", "call_id": "call_script00031", "name": "look", "arguments": "{}"}],
        ),
    ],
)
def test_a_whole_response(action: Action, output: list[dict[str, Any]]) -> None:
    assert RESPONSES.whole(action, 7, 5, 3) == {**RESPONSE, "output": output}


def test_a_streamed_response() -> None:
    begun = {"status": "in_progress"}
    inside = {"output_index": 0, "item_id": "msg_script0003", "content_index": 0}
    second = {"output_index": 1, "item_id": "fc_script00030"}
    steps: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**RESPONSE, **begun, "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**MESSAGE, **begun, "content": []}},
        {"type": "response.content_part.added", **inside, "part": {**PART, "text": ""}},
        {"type": "response.output_text.delta", **inside, "delta": PIECES[0], "logprobs": []},
        {"type": "response.output_text.delta", **inside, "delta": PIECES[1], "logprobs": []},
        {"type": "response.output_text.done", **inside, "text": TEXT, "logprobs": []},
        {"type": "response.content_part.done", **inside, "part": PART},
        {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE},
        {"type": "response.output_item.added", "output_index": 1, "item": {**CALL, **begun, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", **second, "delta": ARGUMENT_PIECES[0]},
        {"type": "response.function_call_arguments.delta", **second, "delta": ARGUMENT_PIECES[1]},
        {"type": "response.function_call_arguments.done", **second, "name": "bash", "arguments": ARGUMENTS},
        {"type": "response.output_item.done", "output_index": 1, "item": CALL},
        {"type": "response.completed", "response": RESPONSE},
    ]
    found = events(RESPONSES.events(BOTH, 7, 5, 3, {}))
    assert found == [{**step, "sequence_number": at} for at, step in enumerate(steps)]


# -- messages ----------------------------------------------------------------------------------------------------

WORDS = {"type": "text", "text": TEXT}
USE = {"type": "tool_use", "id": "toolu_script00030", "name": "bash", "input": {"command": "ls"}}
ANSWER = {
    "id": "msg_script0003",
    "type": "message",
    "role": "assistant",
    "model": "scripted",
    "content": [WORDS, USE],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 7, "output_tokens": 5},
}


@pytest.mark.parametrize(
    ("action", "content", "stop"),
    [
        (BOTH, [WORDS, USE], "tool_use"),
        (ONLY_TEXT, [WORDS], "end_turn"),
        (ONLY_CALLS, [USE, {**USE, "id": "toolu_script00031", "name": "look", "input": {}}], "tool_use"),
    ],
)
def test_a_whole_message(action: Action, content: list[dict[str, Any]], stop: str) -> None:
    assert MESSAGES.whole(action, 7, 5, 3) == {**ANSWER, "content": content, "stop_reason": stop}


def test_a_streamed_message() -> None:
    opened = {**ANSWER, "content": [], "stop_reason": None, "usage": {"input_tokens": 7, "output_tokens": 1}}
    assert events(MESSAGES.events(BOTH, 7, 5, 3, {})) == [
        {"type": "message_start", "message": opened},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": PIECES[0]}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": PIECES[1]}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {**USE, "input": {}}},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in ARGUMENT_PIECES
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]


def test_counting_tells_the_tokens_of_the_request_alone() -> None:
    assert COUNT.whole(BOTH, 7, 5, 3) == {"input_tokens": 7}


# -- all of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chat", "responses", "messages"])
def test_the_gateway_takes_what_the_scripted_model_sends_for_whole(name: str) -> None:
    dialect = DIALECTS[name]
    wire = WIRES[dialect.path]
    answer = wire.whole(BOTH, 7, 5, 3)
    assert dialect.whole(answer)
    watch = dialect.stream()
    for event in wire.events(BOTH, 7, 5, 3, {"stream_options": {"include_usage": True}}):
        if (fact := fact_of(event)) is None:
            watch.done()
        else:
            watch.see(fact)
    assert (watch.finished, watch.failed) == (True, None)
    assert watch.tokens == dialect.tokens(answer)
    assert json.dumps(answer)
