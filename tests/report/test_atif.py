"""ATIF v1.8 field by field: a document with everything passes, and each field that is wrong is named by its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from dayjob.report.export.atif import check

EXTRA = {"anything": [1, None]}
STEP: dict[str, Any] = {
    "step_id": 2, "timestamp": "2026-03-09T09:00:00Z", "source": "agent", "model_name": "m", "reasoning_effort": "high",
    "message": [
        {"type": "text", "text": "a"},
        {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}},
    ],
    "reasoning_content": "because", "llm_call_count": 0, "is_copied_context": False, "extra": EXTRA,
    "tool_calls": [{"tool_call_id": "1", "function_name": "f", "arguments": {"a": 1}, "extra": EXTRA}],
    "observation": {
        "results": [
            {
                "source_call_id": "1", "content": "done", "extra": EXTRA,
                "subagent_trajectory_ref": [
                    {"trajectory_id": "t", "session_id": "s", "trajectory_path": "p", "extra": EXTRA}
                ],
            }
        ]
    },
    "metrics": {
        "prompt_tokens": 1, "completion_tokens": 0, "cached_tokens": 1, "cost_usd": 0.5, "prompt_token_ids": [1],
        "completion_token_ids": [2], "logprobs": [-0.5], "extra": EXTRA,
    },
}  # fmt: skip
PLAIN: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "agent": {"name": "a", "version": "1"},
    "steps": [{"step_id": 1, "source": "user", "message": "do it"}],
}
FULL: dict[str, Any] = {
    "schema_version": "ATIF-v1.8", "session_id": "s", "trajectory_id": "t", "notes": "n",
    "continued_trajectory_ref": "r",
    "agent": {"name": "a", "version": "1", "model_name": "m", "tool_definitions": [{"a": 1}], "extra": EXTRA},
    "steps": [{"step_id": 1, "source": "user", "message": "do it"}, STEP],
    "final_metrics": {
        "total_prompt_tokens": 1, "total_completion_tokens": 1, "total_cached_tokens": 0, "total_cost_usd": 1,
        "total_steps": 2, "extra": EXTRA,
    },
    "subagent_trajectories": [PLAIN], "extra": EXTRA,
}  # fmt: skip
Place = tuple[str | int, ...]
NEEDED: set[Place] = {
    *((name,) for name in PLAIN),
    *(("agent", name) for name in ("name", "version")),
    *(("steps", 1, name) for name in ("step_id", "source", "message")),
    *(("steps", 1, "tool_calls", 0, name) for name in ("tool_call_id", "function_name", "arguments")),
    ("steps", 1, "observation", "results"),
    *(("steps", 1, "message", number, "type") for number in (0, 1)),
    *(("steps", 1, "message", 1, "source", name) for name in ("media_type", "path")),
}


def fields(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every named field, but for those inside what may hold anything."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*place, name)
            if name not in ("extra", "arguments", "subagent_trajectories") and place[-2:-1] != ("tool_definitions",):
                yield from fields(inner, (*place, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            if place[-1:] != ("tool_definitions",):
                yield from fields(inner, (*place, number))


ALL = [place for place in fields(FULL) if place[:2] != ("steps", 0)]


def written(place: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def changed(place: Place, **into: Any) -> dict[str, Any]:
    """The whole document with one field set to `to`, or without it."""
    document = copy.deepcopy(FULL)
    at: Any = document
    for part in place[:-1]:
        at = at[part]
    if "to" in into:
        at[place[-1]] = into["to"]
    else:
        del at[place[-1]]
    return document


def problems(document: Any) -> list[tuple[str, str]]:
    return list(check(document))


def test_a_document_with_every_field_is_allowed_and_so_is_the_smallest() -> None:
    assert problems(FULL) == []
    assert problems(PLAIN) == []
    assert len(ALL) > 50


@pytest.mark.parametrize("place", ALL, ids=written)
def test_a_field_is_missed_exactly_when_it_is_needed(place: Place) -> None:
    found = problems(changed(place))
    assert ((written(place), "is missing") in found) is (place in NEEDED)


@pytest.mark.parametrize("place", ALL, ids=written)
def test_null_is_allowed_exactly_where_a_field_is_not_needed(place: Place) -> None:
    found = [field for field, _ in problems(changed(place, to=None))]
    assert (written(place) in found) is (place in NEEDED)


@pytest.mark.parametrize("place", ALL, ids=written)
@pytest.mark.parametrize("wrong", [b"bytes", -1, [{}, 3]], ids=["no kind at all", "below zero", "a mixed list"])
def test_what_fits_no_kind_is_refused_at_its_place(place: Place, wrong: object) -> None:
    if wrong == -1 and written(place).endswith(("cost_usd", "reasoning_effort")):
        assert problems(changed(place, to=wrong)) == []
        return
    found = [field for field, _ in problems(changed(place, to=wrong))]
    assert any(field.startswith(written(place)) for field in found), found


@pytest.mark.parametrize(
    "place", [(), ("agent",), ("steps", 1), ("steps", 1, "metrics"), ("final_metrics",)], ids=written
)
def test_an_unknown_field_is_named_and_sent_to_extra(place: Place) -> None:
    assert problems(changed((*place, "colour"), to=1)) == [
        (written((*place, "colour")), "is not a field of ATIF-v1.8; put it in extra")
    ]


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (("session_id",), True, "must be text, not true or false"),
        (("session_id",), {}, "must be text, not an object"),
        (("steps", 1, "llm_call_count"), True, "must be a whole number of 0 or more, not true or false"),
        (("steps", 1, "llm_call_count"), 1.5, "must be a whole number of 0 or more, not the number 1.5"),
        (("steps", 1, "metrics", "cost_usd"), "1", "must be a number, not the text '1'"),
        (("steps", 1, "is_copied_context"), 1, "must be true or false, not the number 1"),
        (("extra",), [], "must be an object, not a list"),
        (("steps", 1, "source"), "robot", "must be system, user or agent, not the text 'robot'"),
        (("steps", 1, "message", 0, "type"), "sound", "must be text or image, not the text 'sound'"),
        (("agent",), "a", "must be an object, not the text 'a'"),
        (("steps", 1, "tool_calls"), {}, "must be a list, not an object"),
        (("steps", 1, "message"), 3, "must be text, not the number 3"),
    ],
)
def test_a_problem_says_what_was_wanted_and_what_is_there(place: Place, value: object, sentence: str) -> None:
    assert (written(place), sentence) in problems(changed(place, to=value))


@pytest.mark.parametrize(
    ("version", "read"),
    [("ATIF-v1.0", True), ("ATIF-v1.8", True), ("ATIF-v1.9", False), ("ATIF-v2.0", False), ("ATIF-v1.80", False)],
)
def test_versions_up_to_this_one_are_read(version: str, read: bool) -> None:
    assert (problems(changed(("schema_version",), to=version)) == []) is read


@pytest.mark.parametrize("number", [0, 1, 3])
def test_steps_are_numbered_from_one_without_gaps(number: int) -> None:
    assert [field for field, _ in problems(changed(("steps", 1, "step_id"), to=number))] == ["steps[1].step_id"]


@pytest.mark.parametrize("source", ["system", "user"])
def test_what_belongs_to_an_agents_step_is_refused_in_others(source: str) -> None:
    found = problems(changed(("steps", 1, "source"), to=source))
    names = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
    assert found == [
        (f"steps[1].{name}", f"belongs to an agent's step, and this one is the {source}'s") for name in names
    ]


def test_a_result_answers_a_call_of_its_own_step() -> None:
    place: Place = ("steps", 1, "observation", "results", 0, "source_call_id")
    assert problems(changed(place, to="2")) == [(written(place), "'2' is no call of this step")]


@pytest.mark.parametrize("document", [None, 3, [], "text"])
def test_what_is_no_object_is_no_trajectory(document: object) -> None:
    assert [field for field, _ in problems(document)] == ["the document"]
