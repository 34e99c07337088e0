"""Every model call as evidence: one line of JSON each, in a file of the trial.

A conversation repeats itself with every call, so a line holds only the messages that were not in the line before
(`messages_before` counts the others), and pictures by their hash: a long trial stays a file one can open.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob.llm.budget import Usage
from dayjob.llm.cassette import shortened
from dayjob.llm.faults import ModelFault
from dayjob.llm.secret import Scrubber
from dayjob.llm.upstream import Answer


class CallLog:
    """Appends calls to a file; roles of a trial may share one."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.trouble = ""
        """Why a call could not be written down; the call itself went on."""
        self._before: dict[str, list[Any]] = {}
        self._tools: dict[str, Any] = {}

    def write(
        self,
        *,
        who: tuple[str, str],
        dialect: str,
        asked_model: Any,
        model: str,
        seconds: float,
        request: dict[str, Any],
        answer: Answer | None,
        data: bytes,
        cost: float | None,
        fault: ModelFault | None,
        scrubber: Scrubber,
    ) -> None:
        facts: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "trial": who[0],
            "role": who[1],
            "dialect": dialect,
            "asked_model": asked_model,
            "model": model,
            "seconds": round(seconds, 4),
            "status": answer.status if answer else None,
            "attempts": answer.attempts if answer else None,
            "tokens": asdict(answer.tokens) if answer and answer.tokens else None,
            "cost_usd": cost,
            "fault": {"label": str(fault.label), "sentence": fault.sentence} if fault else None,
            "request": self._new_part(who[1], shortened(request)),
            "answer": data.decode("utf-8", "replace"),
        }
        line = scrubber.text(json.dumps(facts, ensure_ascii=False, separators=(",", ":"))) + "\n"
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("ab") as out:
                out.write(line.encode("utf-8", "backslashreplace"))
        except OSError as error:
            self.trouble = f"the calls to models cannot be written to {self.file}: {error.strerror}"

    def _new_part(self, role: str, request: dict[str, Any]) -> dict[str, Any]:
        key = "messages" if "messages" in request else "input"
        messages = request.get(key)
        if isinstance(messages, list):
            before = self._before.get(role, [])
            same = 0
            while same < min(len(before), len(messages)) and before[same] == messages[same]:
                same += 1
            self._before[role] = messages
            request = {**request, key: messages[same:], f"{key}_before": same}
        tools = request.get("tools")
        if tools is not None and tools == self._tools.get(role):
            request = {**request, "tools": "as before"}
        elif tools is not None:
            self._tools[role] = tools
        return request


def usage_in(file: Path) -> dict[str, dict[str, Any]]:
    """What each role asked, from the calls a trial has written down: for one that cannot say it itself any more."""
    found: dict[str, Usage] = {}
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}  # it had asked nothing yet
    for line in lines:
        try:
            facts = json.loads(line)
            used = found.setdefault(str(facts["role"]), Usage())
            tokens, cost = facts["tokens"], facts["cost_usd"]
            used.calls += 1
            if tokens is None:
                used.unmetered += facts["status"] is not None
            else:
                used.prompt_tokens += tokens["prompt"]
                used.cached_tokens += tokens["cached"]
                used.completion_tokens += tokens["completion"]
                used.cost_usd = None if cost is None or used.cost_usd is None else used.cost_usd + cost
        except (ValueError, KeyError, TypeError):
            continue  # the last line of a process that was killed may be half a one
    return {role: used.as_dict() for role, used in found.items()}
