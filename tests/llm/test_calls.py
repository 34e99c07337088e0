"""What is written down of each call, and what can be added up from it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dayjob.llm.budget import Tokens
from dayjob.llm.calls import CallLog, usage_in
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.secret import Scrubber, Secret
from dayjob.llm.upstream import Answer


def write(log: CallLog, role: str = "examinee", **more: Any) -> None:
    facts: dict[str, Any] = {
        "dialect": "chat",
        "asked_model": "wished",
        "model": "given",
        "seconds": 1.23456,
        "request": {"messages": [1]},
        "answer": Answer(200, "application/json", tokens=Tokens(5, 3, 2, 1), attempts=2),
        "data": b"said sk-the-key \xff",
        "cost": 0.5,
        "fault": None,
        "scrubber": Scrubber([Secret("sk-the-key")]),
    }
    log.write(who=("t.1", role), **{**facts, **more})


def lines(log: CallLog) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.file.read_text().splitlines()]


def test_a_call_is_written_down_with_all_there_is_to_know(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "far" / "down" / "models.jsonl")
    write(log)
    write(log, answer=None, cost=None, fault=ModelFault(Label.LATE, "Silent."))
    first, second = lines(log)
    assert first.pop("time")
    assert first == {
        "trial": "t.1",
        "role": "examinee",
        "dialect": "chat",
        "asked_model": "wished",
        "model": "given",
        "seconds": 1.2346,
        "status": 200,
        "attempts": 2,
        "tokens": {"prompt": 5, "completion": 3, "cached": 2, "cache_writes": 1},
        "cost_usd": 0.5,
        "fault": None,
        "request": {"messages": [1], "messages_before": 0},
        "answer": "said *** \ufffd",
    }
    assert [second[name] for name in ("status", "attempts", "tokens", "cost_usd")] == [None] * 4
    assert second["fault"] == {"label": "late", "sentence": "Silent."}


def test_only_what_is_new_in_a_conversation_is_written_for_each_role(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "models.jsonl")
    tools = [{"name": "look"}]
    write(log, request={"messages": [1, 2], "tools": tools})
    write(log, request={"messages": [1, 2, 3], "tools": tools})
    write(log, "npc", request={"messages": [1, 2, 3], "tools": tools})
    write(log, request={"messages": [1, 9], "tools": []})
    write(log, request={"messages": [1]})
    write(log, request={"input": [1, 5]})
    write(log, request={"input": "words"})
    assert [one["request"] for one in lines(log)] == [
        {"messages": [1, 2], "messages_before": 0, "tools": tools},
        {"messages": [3], "messages_before": 2, "tools": "as before"},
        {"messages": [1, 2, 3], "messages_before": 0, "tools": tools},
        {"messages": [9], "messages_before": 1, "tools": []},
        {"messages": [], "messages_before": 1},
        {"input": [5], "input_before": 1},
        {"input": "words"},
    ]


def test_a_line_can_be_read_by_people_and_is_as_short_as_it_can_be(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "models.jsonl")
    write(log, request={"messages": ["Grüße \ud800"]}, data=b"")
    text = log.file.read_text("utf-8")
    assert '"request":{"messages":["Grüße \\ud800"],"messages_before":0}' in text
    assert re.match(r'\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00",', text)


def test_a_log_that_cannot_be_written_says_why_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "models.jsonl").mkdir()
    log = CallLog(tmp_path / "models.jsonl")
    write(log)
    assert "cannot be written" in log.trouble
    assert "Is a directory" in log.trouble


def test_what_was_asked_is_added_up_from_the_file_by_role(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "models.jsonl")
    write(log)
    write(log)
    write(log, answer=Answer(499, "application/json"), cost=None)
    write(log, answer=None, cost=None, fault=ModelFault(Label.LATE, "Silent."))
    write(log, "judge", cost=None)
    write(log, "judge", cost=0.5)
    with log.file.open("a") as file:
        file.write('[]\n{"role": "judge"')
    assert usage_in(log.file) == {
        "examinee": {
            "calls": 4,
            "prompt_tokens": 10,
            "cached_tokens": 4,
            "completion_tokens": 6,
            "unmetered_calls": 1,
            "cost_usd": 1.0,
        },
        "judge": {
            "calls": 2,
            "prompt_tokens": 10,
            "cached_tokens": 4,
            "completion_tokens": 6,
            "unmetered_calls": 0,
            "cost_usd": None,
        },
    }
    assert usage_in(tmp_path / "none.jsonl") == {}
