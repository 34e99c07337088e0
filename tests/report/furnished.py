"""Two runs with something of everything: for what reports and the viewer say of them, word for word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_task, write_trial

_WHO = {"phase": "work", "role": "examinee", "service": "chat", "account": "sam"}


def _request(seq: int, second: int, method: str, path: str, status: int = 200, **who: Any) -> dict[str, Any]:
    time = f"2026-03-09T09:00:{second:02d}.000Z"
    row = {"kind": "request", "seq": seq, "time": time, **_WHO, **who}
    return {**row, "method": method, "path": path, "query": "count=5", "status": status}


def _message(seq: int, second: int, key: str, text: str, op: str = "added", **who: Any) -> dict[str, Any]:
    time = f"2026-03-09T09:00:{second:02d}.000Z"
    values = {"room_id": "r1", "username": who.get("account", "sam"), "user_name": "Sam Reed", "text": text, "at": time}
    row = {"kind": "change", "seq": seq, "time": time, **_WHO, **who, "table": "messages", "op": op, "key": key}
    before = {**values, "text": "earlier"} if op != "added" else None
    return {**row, "before": before, "after": values if op != "removed" else None}


JOURNAL = [
    _request(1, 1, "GET", "/api/v1/me"),
    _message(2, 2, "m1", "Who has the ladder?"),
    _message(3, 4, "m2", "I do.", role="npc", account="maya"),
    _message(4, 5, "m1", "Who has the long ladder?", "changed"),
    _message(5, 6, "m2", "I do.", "removed", role="npc", account="maya"),
    _request(6, 7, "PUT", "/remote.php/webdav/plan.txt", 201, service="drive"),
    _request(7, 8, "GET", "/nothing", 404, service="forge"),
]
CHANGES: list[dict[str, Any]] = [
    {
        "service": "chat", "table": "messages", "op": "added", "key": "m1", "by": "sam", "before": None,
        "after": {"room_id": "r1", "text": "Who has the long ladder?", "pinned": 0},
        "words": 'sam posted "Who has the long ladder?" in #roof',
    },
    {
        "service": "drive", "table": "nodes", "op": "changed", "key": "7", "by": "sam",
        "before": {"path": "/plan.txt", "size": 3, "text": "one\ntwo\n"},
        "after": {"path": "/plan.txt", "size": 5, "text": "one\nthree\n"}, "words": "sam wrote /plan.txt",
    },
]  # fmt: skip
STEPS = [
    step(1, "user", "Tidy the drive."),
    step(
        2, "agent", "I look around.", reasoning_content="Where is it?",
        tool_calls=[{"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "ls /workspace"}}],
        observation={"results": [{"source_call_id": "c1", "content": "plan.txt\nnotes.md"}]},
        metrics={"prompt_tokens": 1200, "completion_tokens": 40, "cost_usd": 0.0125},
    ),
    step(3, "agent", "Copied.", is_copied_context=True, metrics={"prompt_tokens": 9000}),
    step(
        4, "agent", "Done.", metrics={"prompt_tokens": 1300, "completion_tokens": 10, "cost_usd": 0.0025},
        extra={"exit_code": 0, "score_line": [{"at": 3.5, "result": 3, "total": 3, "checkpoints": [2, 1]}]},
    ),
]  # fmt: skip


def furnish(root: Path) -> tuple[Path, Path]:
    """`before`, with an agent alone and one trial cut short, and `after`, with a model, faults and repeats."""
    first, second = root / "before", root / "after"
    roof = write_task(root, "roof", role="builder", difficulty="hard", tags='"wood", "height"')
    door = write_task(root, "door")
    document = trajectory(STEPS)
    write_trial(first, "roof", result=0, folder=roof)
    write_trial(first, "door", result=3, folder=door)
    write_trial(first, "cellar", ended=False)
    for attempt, result in ((1, 3), (2, 1)):
        place = write_trial(
            second, "roof", "worker", attempt, result=result, folder=roof, document=document, journal=JOURNAL,
            changes=CHANGES,
        )  # fmt: skip
        _tell_more(place, attempt)
    write_trial(second, "door", "worker", result=2, folder=door, document=document)
    write_trial(second, "door", "nop", result=0, folder=door)
    write_trial(second, "roof", "nop", label=Label.INFRA_ERROR, reason="the disk is full", folder=roof)
    return first, second


def moment(at: float, step: int | None, *marks: tuple[int | None, int, str], **more: Any) -> dict[str, Any]:
    """A point of a score line: what each checkpoint gave, of how much, and why."""
    rows = [{"total": total, "result": result, "reason": reason} for result, total, reason in marks]
    worth = {"result": sum(one or 0 for one, _, _ in marks), "total": 3, "checkpoints": rows} if rows else {}
    return {"step": step, "at": at, "world": "2026-03-09T09:00:02.000Z", **worth, "held": 0.02, "seconds": 0.1, **more}


def write_line(place: Path, *points: dict[str, Any], judge: bool = False) -> None:
    """Give a trial a score line."""
    line = {"format": 1, "every": "step", "judge": judge, "notes": [], "points": list(points)}
    (place / "score-line.json").write_text(json.dumps(line))
    facts = json.loads((place / "outcome.json").read_text())
    best = max((one["result"] for one in points if "result" in one), default=None)
    facts["score_line"] = {"file": "score-line.json", "every": "step", "judge": judge, "points": len(points)}
    facts["score_line"] |= {"failed": 0, "best": best, "held": 0.04, "seconds": 0.2}
    (place / "outcome.json").write_text(json.dumps(facts))


def _tell_more(place: Path, attempt: int) -> None:
    untidy, tidy = (0, 2, "<b>two</b> files lie about"), (2, 2, "all is in its place")
    said = (1, 1, "Maya was told")
    first = moment(1.5, 2, untidy, (None, 1, "it asks a model, which grading along the way leaves out"))
    if attempt == 1:
        write_line(place, first, moment(3.5, 4, tidy, said), moment(5.3, 4, tidy, said))
    else:
        spoilt = (1, 2, "one file lies about")
        broken = moment(4.0, 4, failed="the evaluator did not end within 30 s")
        write_line(
            place, first, moment(2.5, 2, tidy, said), broken, moment(5.3, 4, spoilt, (0, 1, "it was taken back"))
        )
    facts = json.loads((place / "outcome.json").read_text())
    facts |= {
        "ended": "timeout" if attempt == 2 else "done", "stopped": "it said so", "waited_for_model": 2.5,
        "notes": ["left out of what the grader sees: /big"], "touched": [],
        "resources": {
            "memory_peak": 123456789, "cpu_nanoseconds": 2500000000,
            "models": {
                "examinee": {"prompt_tokens": 2500, "completion_tokens": 50, "cost_usd": 0.02},
                "npc": {"cost_usd": 0.005},
            },
        },
    }  # fmt: skip
    facts["colleagues"] = {
        "Maya Lin": {
            "mind": "llm", "sheet": True, "asked": 4, "answered": 2, "unknown": 1, "ignored": 0, "withheld": 1,
            "repeated": 0, "contradicted": 0, "invented": 1, "leaked": 0, "promised": 0,
        },
        "Ravi Rao": {"mind": "script", "sheet": False, "asked": 1, "answered": 1, "ignored": 0, "repeated": 0},
    }  # fmt: skip
    if attempt == 2:
        facts["colleague_fault"] = [
            {
                "colleague": "Maya Lin", "kind": "withheld", "fact": "ladder", "quote": "Who has the long ladder?",
                "said": "<b>I do not know.</b>", "message": "m1",
            }
        ]  # fmt: skip
    facts["made_of"] |= {"models": {"examinee": "acme/large", "npc": "acme/small"}, "minds": {"maya": "llm"}}
    (place / "outcome.json").write_text(json.dumps(facts))
    began = {"host": "2026-11-15T08:56:55+00:00", "world": "2026-03-09T09:00:00Z", "world_at": 0.5}
    (place / "began.json").write_text(json.dumps(began))
    (place / "logs" / "grade.log").write_text("checkpoint 1: fine\n")
