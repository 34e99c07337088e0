"""What each wire says about tokens, ends and errors, and how a stream is cut into events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.llm.budget import Tokens
from dayjob.llm.dialects import CHAT, COUNT_TOKENS, DIALECTS, MESSAGES, RESPONSES, Dialect
from dayjob.llm.events import data_of, fact_of, is_whole, split_events
from dayjob.llm.faults import STATUS, Fault, Label, ModelFault

USAGES: list[tuple[Dialect, Any, Tokens | None]] = [
    (CHAT, {"prompt_tokens": 5, "completion_tokens": 3}, Tokens(5, 3)),
    (CHAT, {"prompt_tokens": 5}, Tokens(5, 0)),
    (CHAT, {"completion_tokens": 3}, Tokens(0, 3)),
    (CHAT, {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2, "cache_creation_tokens": 1}},
     Tokens(5, 0, 2, 1)),
    (CHAT, {"prompt_tokens": 5, "prompt_tokens_details": None}, Tokens(5)),
    (CHAT, {"prompt_tokens": -5, "completion_tokens": True}, Tokens(0, 0)),
    (CHAT, {"input_tokens": 5, "output_tokens": 3}, None),
    (CHAT, {}, None),
    (CHAT, None, None),
    (RESPONSES, {"input_tokens": 5, "output_tokens": 3}, Tokens(5, 3)),
    (RESPONSES, {"input_tokens": 5}, Tokens(5, 0)),
    (RESPONSES, {"output_tokens": 3}, Tokens(0, 3)),
    (RESPONSES, {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 2}}, Tokens(5, 0, 2)),
    (RESPONSES, {"prompt_tokens": 5}, None),
    (RESPONSES, [], None),
    (MESSAGES, {"input_tokens": 5, "output_tokens": 3}, Tokens(5, 3)),
    (MESSAGES, {"input_tokens": 5}, Tokens(5, 0)),
    (MESSAGES, {"output_tokens": 3}, Tokens(0, 3)),
    # Here the input does not include what the cache gave or took.
    (MESSAGES, {"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 2},
     Tokens(14, 3, 7, 2)),
    (MESSAGES, {"cache_read_input_tokens": 7}, None),
    (COUNT_TOKENS, {"input_tokens": 5}, Tokens()),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "usage", "tokens"), USAGES)
def test_tokens_are_read_where_the_wire_counts_them(dialect: Dialect, usage: Any, tokens: Tokens | None) -> None:
    assert dialect.tokens({"usage": usage}) == tokens


@pytest.mark.parametrize(
    ("dialect", "answer", "whole"),
    [
        (CHAT, {"choices": [{"message": {}}]}, True),
        (CHAT, {"choices": [{"message": "x"}]}, False),
        (CHAT, {"choices": []}, False),
        (CHAT, {"choices": {}}, False),
        (CHAT, {}, False),
        (RESPONSES, {"output": []}, True),
        (RESPONSES, {"output": "x"}, False),
        (RESPONSES, {}, False),
        (MESSAGES, {"type": "message", "content": []}, True),
        (MESSAGES, {"type": "error", "content": []}, False),
        (MESSAGES, {"type": "message"}, False),
        (COUNT_TOKENS, {"input_tokens": 0}, True),
        (COUNT_TOKENS, {}, False),
    ],
)
def test_an_answer_is_whole_when_it_has_what_was_asked_for(
    dialect: Dialect, answer: dict[str, Any], whole: bool
) -> None:
    assert dialect.whole(answer) is whole


def test_every_wire_has_a_name_and_a_path() -> None:
    assert {name: (one.path, one.anthropic) for name, one in DIALECTS.items()} == {
        "chat": ("/chat/completions", False),
        "responses": ("/responses", False),
        "messages": ("/messages", True),
        "count_tokens": ("/messages/count_tokens", True),
    }


# facts of a stream: (dialect, events, those shown, finished, tokens, failed)
STREAMS: dict[str, tuple[Dialect, list[dict[str, Any]], list[bool], bool, Tokens | None, str | None]] = {
    "chat, finished": (
        CHAT, [{"choices": [{"delta": {}}]}, {"choices": [{"finish_reason": "stop"}]}], [True, True], True, None, None,
    ),
    "chat, usage apart": (
        CHAT, [{"choices": [{}]}, {"choices": [], "usage": {"prompt_tokens": 2}}], [True, False], False, Tokens(2),
        None,
    ),
    "chat, no usage": (CHAT, [{"choices": [], "usage": None}], [True], False, None, None),
    "chat, usage beside words": (
        CHAT, [{"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 2}}], [True], True, Tokens(2), None,
    ),
    "chat, error": (CHAT, [{"error": {"message": "broken"}}], [True], False, None, "broken"),
    "chat, error as a word": (CHAT, [{"error": "broken"}], [True], False, None, "broken"),
    "responses, completed": (
        RESPONSES, [{"type": "response.created"}, {"type": "response.completed", "response": {"usage": {
            "input_tokens": 2, "output_tokens": 1}}}], [True, True], True, Tokens(2, 1), None,
    ),
    "responses, incomplete": (RESPONSES, [{"type": "response.incomplete"}], [True], True, None, None),
    "responses, failed": (RESPONSES, [{"type": "response.failed"}], [True], True, None, None),
    "responses, half": (RESPONSES, [{"type": "response.output_text.delta"}], [True], False, None, None),
    "responses, error": (RESPONSES, [{"type": "error", "message": "broken"}], [True], False, None, "broken"),
    "messages, stopped": (
        MESSAGES, [{"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}},
                   {"type": "message_delta", "usage": {"output_tokens": 9, "input_tokens": None}},
                   {"type": "message_stop"}], [True, True, True], True, Tokens(5, 9), None,
    ),
    "messages, half": (MESSAGES, [{"type": "content_block_delta"}], [True], False, None, None),
    "messages, error": (MESSAGES, [{"type": "error", "error": {"message": "broken"}}], [True], False, None, "broken"),
}  # fmt: skip


@pytest.mark.parametrize("what", STREAMS)
def test_a_stream_is_watched_for_its_end_its_tokens_and_its_errors(what: str) -> None:
    dialect, facts, shown, finished, tokens, failed = STREAMS[what]
    watch = dialect.stream()
    assert [watch.see(fact) for fact in facts] == shown
    assert (watch.finished, watch.tokens, watch.failed) == (finished, tokens, failed)


def test_the_end_mark_finishes_a_chat_and_no_other_stream() -> None:
    found = {}
    for name, dialect in DIALECTS.items():
        watch = dialect.stream()
        watch.done()
        found[name] = watch.finished
    assert found == {"chat": True, "responses": False, "messages": False, "count_tokens": False}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (429, "api_error"),
        (500, "api_error"),
    ],
)
def test_an_error_is_said_as_the_wires_clients_read_it(status: int, kind: str) -> None:
    assert MESSAGES.error(status, "code", "Why.") == {
        "type": "error",
        "error": {"type": kind, "message": "Why.", "code": "code"},
    }
    plain = {"type": "invalid_request_error" if status < 500 else "server_error", "param": None}
    for dialect in (CHAT, RESPONSES):
        assert dialect.error(status, "code", "Why.") == {"error": {"message": "Why.", "code": "code", **plain}}


def test_an_error_in_mid_stream_is_an_event_of_the_wire() -> None:
    fault = ModelFault(Label.LATE, "Silent.")
    found = {name: one.error_event(fault) for name, one in DIALECTS.items() if name != "count_tokens"}
    assert {name: event.partition(b"data: ")[0] for name, event in found.items()} == {
        "chat": b"",
        "responses": b"event: error\n",
        "messages": b"event: error\n",
    }
    assert all(is_whole(event) for event in found.values())
    assert fact_of(found["chat"]) == CHAT.error(500, "late", "Silent.")
    assert fact_of(found["responses"]) == {"type": "error", "code": "late", "message": "Silent.", "param": None}
    assert fact_of(found["messages"]) == MESSAGES.error(500, "late", "Silent.")


# -- events ------------------------------------------------------------------------------------------------------


def cut(*chunks: bytes) -> list[bytes]:
    async def source() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def main() -> list[bytes]:
        return [event async for event in split_events(source())]

    return asyncio.run(main())


@given(st.lists(st.sampled_from([b"data: a\n\n", b"data: b\r\n\r\n", b": c\n\n", b"event: x\ndata: d\n\n"])), st.data())
def test_events_are_the_same_however_the_bytes_arrive(events: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(events)
    places = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    ends = [0, *places, len(whole)]
    assert cut(*(whole[a:b] for a, b in pairwise(ends))) == events


def test_what_is_left_over_comes_last_and_is_not_whole() -> None:
    assert cut(b"data: a\n\ndata: b") == [b"data: a\n\n", b"data: b"]
    assert [is_whole(one) for one in (b"data: a\n\n", b"data: a\r\n\r\n", b"data: b\n", b"")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("event", "data"),
    [
        (b"data: a\n\n", b"a"),
        (b"data:a\n\n", b"a"),
        (b"data:  a\n\n", b" a"),
        (b"data: a\ndata: b\n\n", b"a\nb"),
        (b": a\n\n", b""),
        (b"event: x\r\ndata: a\r\n\r\n", b"a"),
    ],
)
def test_an_events_data_is_its_data_lines(event: bytes, data: bytes) -> None:
    assert data_of(event) == data


@pytest.mark.parametrize(("data", "fact"), [(b'{"a": 1}', {"a": 1}), (b"[DONE]", None), (b"", None)])
def test_an_events_fact_is_an_object_or_none(data: bytes, fact: Any) -> None:
    assert fact_of(b"data: " + data + b"\n\n") == fact


@pytest.mark.parametrize("data", [b"[1]", b"1", b"{"])
def test_an_event_that_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        fact_of(b"data: " + data + b"\n\n")


# -- faults ------------------------------------------------------------------------------------------------------

# label: (what a caller on the wire gets, whether it spoils an examinee's trial)
FAULTS = {
    Label.PROVIDER_DOWN: (503, True),
    Label.LATE: (504, True),
    Label.REFUSED: (502, True),
    Label.MALFORMED: (502, True),
    Label.REQUEST_FAILED: (502, False),
    Label.BUDGET_SPENT: (402, False),
    Label.RUN_BUDGET_SPENT: (402, True),
    Label.UNCONFIGURED: (503, True),
    Label.REPLAY_MISS: (502, True),
    Label.CLOSED: (403, False),
    Label.GATEWAY_FAILED: (500, True),
}


@pytest.mark.parametrize("label", list(Label))
def test_a_fault_has_a_status_and_spoils_a_trial_unless_it_is_the_examinees_own(label: Label) -> None:
    status, spoils = FAULTS[label]
    assert STATUS[label] == status
    assert Fault("now", "t.1", "examinee", label, "Why.").spoils is spoils
    for other in ("npc", "judge"):
        assert Fault("now", "t.1", other, label, "Why.").spoils
    assert json.loads(json.dumps(Fault("now", "t.1", "npc", label, "Why.").as_dict()))["label"] == label.value
