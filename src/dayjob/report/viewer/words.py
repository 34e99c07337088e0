"""Evidence put in words for a page: short, whole, and as plain text; what is left out is said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from dayjob.report.trial_facts import task_folder
from dayjob.report.viewer.chat import pretty
from dayjob.task.findings import TaskError
from dayjob.task.reading import read_text
from dayjob.trial.score_rows import EXTRA

LONGEST_TEXT = 20_000
MOST_WORTHS = 12
FOLDED_LINES = 40
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)")
_EXIT = re.compile(r"\[exit code (-?\d{1,3})\]\s*$")


@dataclass(frozen=True, slots=True)
class Pager:
    """Which page this is, and of how many."""

    page: int
    pages: int
    count: int
    what: str
    more: bool


def pager(page: int, count: int, size: int, what: str, *, more: bool = False) -> Pager:
    return Pager(page, max(1, -(-count // size)), count, what, more)


def shown_step(step: dict[str, Any]) -> dict[str, Any]:
    """A step as the template shows it: every part text or a picture's path, nothing longer than can be read."""
    calls = dicts(step.get("tool_calls"))
    observation = step.get("observation")
    results = dicts(observation.get("results")) if isinstance(observation, dict) else []
    metrics, extra = step.get("metrics"), step.get("extra")
    more = {name: value for name, value in extra.items() if name != EXTRA} if isinstance(extra, dict) else extra
    return {
        "source": str(step.get("source") or "?"),
        "time": moment(step.get("timestamp") or ""),
        "model": str(step.get("model_name") or ""),
        "message": parts(step.get("message")),
        "reasoning": parts(step.get("reasoning_content")),
        "calls": [shown_call(call) for call in calls],
        "results": [shown_result(one.get("content"), step.get("extra")) for one in results],
        "metrics": {name: value for name, value in metrics.items() if isinstance(value, int | float)}
        if isinstance(metrics, dict)
        else {},
        "worth": worth_after(extra),
        "extra": parts(pretty(more)) if more else [],
    }


def worth_after(extra: Any) -> str:
    """What the work was worth when the step was over, as its score line says; empty where it has none."""
    points = dicts(extra.get(EXTRA)) if isinstance(extra, dict) else []
    known = [(one.get("result"), one.get("total")) for one in points]
    said = [f"{result} of {total}" for result, total in known if isinstance(result, int) and isinstance(total, int)]
    return " → ".join(said[:MOST_WORTHS]) + (" …" if len(said) > MOST_WORTHS else "")


def shown_call(call: dict[str, Any]) -> dict[str, Any]:
    """A call of a tool; `command` is what it typed into a shell, if that is all it did."""
    arguments = call.get("arguments")
    said = {**arguments} if isinstance(arguments, dict) else {}
    command = next((said.pop(name) for name in ("command", "cmd") if isinstance(said.get(name), str)), "")
    alone = command and all(isinstance(value, int | float | bool) for value in said.values())
    return {
        "name": str(call.get("function_name") or "?"),
        "command": command[:LONGEST_TEXT] if alone else "",
        "arguments": parts(pretty(arguments)),
    }


def shown_result(content: Any, extra: Any) -> dict[str, Any]:
    """What came back: a long one is folded, and one that says a command failed is marked."""
    pieces = parts(content)
    text = "\n".join(piece for kind, piece in pieces if kind == "text")
    code = extra.get("exit_code") if isinstance(extra, dict) else None
    if not isinstance(code, int):
        told = _EXIT.search(text[-200:])
        code = int(told[1]) if told else None
    return {"pieces": pieces, "exit": code, "lines": text.count("\n") + 1, "long": text.count("\n") >= FOLDED_LINES}


def parts(value: Any) -> list[tuple[str, str]]:
    """Content as (kind, text): `text`, `cut` for a text that goes on, or `picture` with its path."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        found = []
        for part in value:
            source = part.get("source") if isinstance(part, dict) else None
            if isinstance(source, dict) and isinstance(source.get("path"), str):
                found.append(("picture", source["path"]))
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                found += parts(part["text"])
            else:
                found += parts(pretty(part))
        return found
    text = pretty(value)
    if len(text) <= LONGEST_TEXT:
        return [("text", text)]
    return [("text", text[:LONGEST_TEXT]), ("cut", f"{len(text) - LONGEST_TEXT:,} more characters")]


def first_words(step: dict[str, Any]) -> str:
    calls = dicts(step.get("tool_calls"))
    text = " ".join(text for kind, text in parts(step.get("message")) if kind == "text")
    if not text and calls:
        text = pretty(calls[0].get("arguments"))
    names = ", ".join(str(call.get("function_name")) for call in calls)
    said = f"{step.get('source')} {names}".rstrip()
    return f"{said}: {short(text, 160)}" if text else said


def record(row: dict[str, Any]) -> dict[str, str]:
    """A line of the journal, every part of it short text."""
    names = ("kind", "phase", "role", "account", "service", "method", "path", "query", "op", "table", "key", "status")
    found = {name: short("" if row.get(name) is None else row[name], 200) for name in names}
    return {**found, "time": str(row.get("time") or "")[11:23]}


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of what should be a list of objects."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def asked_of(folder: Path) -> str:
    task = task_folder(folder)
    try:
        return read_text(task, "task.md") if task else ""
    except (TaskError, OSError):  # the task has moved since
        return ""


def meanings_of(folder: Path, count: int | None) -> list[str]:
    from dayjob.report.story import meanings

    task = task_folder(folder)
    try:
        found = list(meanings(read_text(task, "checkpoints.md"))) if task else []
    except (TaskError, OSError):
        found = []
    return found if count is None or len(found) == count else []


def marked(snippet: str) -> Markup:
    """A place found by the search, with its words marked; all of it is escaped first."""
    text = str(escape(snippet)).replace("\2", "<mark>").replace("\3", "</mark>")
    # Evidence may hold the marks' own characters: what opens is closed, in any case.
    balanced = text.count("<mark>") == text.count("</mark>")
    return Markup(text) if balanced else escape(snippet)


def short(text: Any, most: int = 120) -> str:
    words = " ".join(str(text)[: most * 8].split())
    return words if len(words) <= most else words[: most - 1] + "…"


def moment(value: Any) -> str:
    """An ISO time to the second, in words a person reads."""
    found = _MOMENT.match(str(value))
    return f"{found[1]} {found[2]}" if found else str(value)


def seconds(value: float | None) -> str:
    if value is None:
        return "–"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def size(value: int) -> str:
    return f"{value} B" if value < 1024 else f"{value / 1024:.1f} kB" if value < 1 << 20 else f"{value / 2**20:.1f} MB"
