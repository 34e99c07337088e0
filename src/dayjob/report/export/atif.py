"""Trajectories as ATIF v1.8, each checked field by field: an unknown or misshapen one is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

VERSION = "ATIF-v1.8"
# Earlier versions of the format differ only by fields they do not have yet.
_VERSIONS = re.compile(r"ATIF-v1\.[0-8]")


@dataclass(frozen=True, slots=True)
class Shape:
    """An object's fields: `kinds` maps each to its kind; `needed` must be there."""

    kinds: dict[str, str]
    needed: tuple[str, ...] = ()


# A kind is a JSON type, the name of a shape, [kind] for a list of it, or alternatives separated by "|".
SHAPES = {
    "trajectory": Shape(
        {
            "schema_version": "text",
            "session_id": "text|null",
            "trajectory_id": "text|null",
            "agent": "agent",
            "steps": "[step]",
            "notes": "text|null",
            "final_metrics": "final_metrics|null",
            "continued_trajectory_ref": "text|null",
            "subagent_trajectories": "[trajectory]|null",
            "extra": "object|null",
        },
        ("schema_version", "agent", "steps"),
    ),
    "agent": Shape(
        {
            "name": "text",
            "version": "text",
            "model_name": "text|null",
            "tool_definitions": "[object]|null",
            "extra": "object|null",
        },
        ("name", "version"),
    ),
    "step": Shape(
        {
            "step_id": "whole",
            "timestamp": "text|null",
            "source": "source",
            "model_name": "text|null",
            "reasoning_effort": "text|number|null",
            "message": "content",
            "reasoning_content": "text|null",
            "tool_calls": "[tool_call]|null",
            "observation": "observation|null",
            "metrics": "metrics|null",
            "is_copied_context": "yes/no|null",
            "llm_call_count": "whole|null",
            "extra": "object|null",
        },
        ("step_id", "source", "message"),
    ),
    "tool_call": Shape(
        {"tool_call_id": "text", "function_name": "text", "arguments": "object", "extra": "object|null"},
        ("tool_call_id", "function_name", "arguments"),
    ),
    "observation": Shape({"results": "[result]"}, ("results",)),
    "result": Shape(
        {
            "source_call_id": "text|null",
            "content": "content|null",
            "subagent_trajectory_ref": "[reference]|null",
            "extra": "object|null",
        }
    ),
    "reference": Shape(
        {
            "trajectory_id": "text|null",
            "session_id": "text|null",
            "trajectory_path": "text|null",
            "extra": "object|null",
        }
    ),
    "part": Shape({"type": "part type", "text": "text|null", "source": "picture|null"}, ("type",)),
    "picture": Shape({"media_type": "text", "path": "text"}, ("media_type", "path")),
    "metrics": Shape(
        {
            "prompt_tokens": "whole|null",
            "completion_tokens": "whole|null",
            "cached_tokens": "whole|null",
            "cost_usd": "number|null",
            "prompt_token_ids": "[whole]|null",
            "completion_token_ids": "[whole]|null",
            "logprobs": "[number]|null",
            "extra": "object|null",
        }
    ),
    "final_metrics": Shape(
        {
            "total_prompt_tokens": "whole|null",
            "total_completion_tokens": "whole|null",
            "total_cached_tokens": "whole|null",
            "total_cost_usd": "number|null",
            "total_steps": "whole|null",
            "extra": "object|null",
        }
    ),
}

_AGENTS_ONLY = (
    "model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics",
)  # fmt: skip


def check(document: Any) -> Iterator[tuple[str, str]]:
    """Everything about a document that ATIF v1.8 does not allow: the field, and what is wrong with it."""
    for field, sentence in _check(document, "trajectory", ""):
        yield field or "the document", sentence
    if isinstance(document, dict):
        yield from _rules(document)


def _check(value: Any, kind: str, place: str) -> Iterator[tuple[str, str]]:
    if "|" in kind:
        options = kind.split("|")
        if value is None and "null" in options:
            return
        problems = [list(_check(value, option, place)) for option in options if option != "null"]
        if all(problems):
            yield from problems[0]
        return
    if kind.startswith("["):
        if not isinstance(value, list):
            yield place, f"must be a list, not {_name(value)}"
            return
        for number, each in enumerate(value):
            yield from _check(each, kind[1:-1], f"{place}[{number}]")
        return
    if kind == "content":
        yield from _check(value, "[part]" if isinstance(value, list) else "text", place)
        return
    if kind in SHAPES:
        yield from _object(value, SHAPES[kind], place)
        return
    if not _is(value, kind):
        yield place, f"must be {_MEANINGS[kind]}, not {_name(value)}"


def _object(value: Any, shape: Shape, place: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield place, f"must be an object, not {_name(value)}"
        return
    inside = f"{place}." if place else ""
    for name in shape.needed:
        if name not in value:
            yield f"{inside}{name}", "is missing"
    for name, each in value.items():
        if name not in shape.kinds:
            yield f"{inside}{name}", f"is not a field of {VERSION}; put it in extra"
        else:
            yield from _check(each, shape.kinds[name], f"{inside}{name}")


_MEANINGS = {
    "text": "text",
    "whole": "a whole number of 0 or more",
    "number": "a number",
    "yes/no": "true or false",
    "object": "an object",
    "source": "system, user or agent",
    "part type": "text or image",
}


def _is(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "text": isinstance(value, str),
        "whole": isinstance(value, int) and number and value >= 0,
        "number": number,
        "yes/no": isinstance(value, bool),
        "object": isinstance(value, dict),
        "source": value in ("system", "user", "agent") if isinstance(value, str) else False,
        "part type": value in ("text", "image") if isinstance(value, str) else False,
    }[kind]


def _name(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: f"the text {str(value)[:40]!r}", dict: "an object", list: "a list"}
    return names.get(type(value), f"the number {value}")


def _rules(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What holds between fields: the version, the numbering of steps, calls that are answered."""
    version = document.get("schema_version")
    if isinstance(version, str) and not _VERSIONS.fullmatch(version):
        yield "schema_version", f"is {version[:40]!r}, where {VERSION} or an earlier 1.x is read"
    steps = document.get("steps")
    if not isinstance(steps, list):
        return
    for place, step in enumerate(steps):
        if not isinstance(step, dict):
            continue
        at = f"steps[{place}]"
        if isinstance(step.get("step_id"), int) and step["step_id"] != place + 1:
            yield f"{at}.step_id", f"is {step['step_id']}, but steps are numbered from 1 without gaps: {place + 1}"
        if step.get("source") in ("system", "user"):
            for name in _AGENTS_ONLY:
                if step.get(name) is not None:
                    yield f"{at}.{name}", f"belongs to an agent's step, and this one is the {step['source']}'s"
        yield from _answers(step, at)


def _answers(step: dict[str, Any], at: str) -> Iterator[tuple[str, str]]:
    calls = step.get("tool_calls")
    named = [call.get("tool_call_id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    made = {one for one in named if isinstance(one, str)}
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    for number, result in enumerate(results if isinstance(results, list) else ()):
        source = result.get("source_call_id") if isinstance(result, dict) else None
        if isinstance(source, str) and source not in made:
            yield f"{at}.observation.results[{number}].source_call_id", f"{source[:60]!r} is no call of this step"
