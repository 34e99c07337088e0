"""Runs in other formats: what is written can be read back, and what is wrong is named."""

from __future__ import annotations

import copy
import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dayjob.report.export.atif import check
from dayjob.report.export.export import export_atif, export_jsonl, export_tac
from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_trial

FULL: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s",
    "trajectory_id": "t",
    "agent": {"name": "a", "version": "1", "model_name": "m", "tool_definitions": [{}], "extra": {"any": 1}},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Be good."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Go"}]},
        {
            "step_id": 3,
            "timestamp": "2026-11-15T08:57:01+00:00",
            "source": "agent",
            "model_name": "m",
            "reasoning_effort": "high",
            "message": "",
            "reasoning_content": "hm",
            "tool_calls": [{"tool_call_id": "c", "function_name": "run", "arguments": {"command": "ls"}}],
            "observation": {
                "results": [
                    {
                        "source_call_id": "c",
                        "content": [{"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}],
                        "subagent_trajectory_ref": [{"trajectory_id": "u"}],
                    }
                ]
            },
            "metrics": {
                "prompt_tokens": 3,
                "completion_tokens": 1,
                "cached_tokens": 0,
                "cost_usd": 0.5,
                "prompt_token_ids": [1],
                "completion_token_ids": [2],
                "logprobs": [-0.5],
            },
            "is_copied_context": False,
            "llm_call_count": 1,
            "extra": {},
        },
    ],
    "notes": "n",
    "final_metrics": {"total_prompt_tokens": 3, "total_steps": 3},
    "continued_trajectory_ref": "next.json",
    "subagent_trajectories": [{"schema_version": "ATIF-v1.8", "agent": {"name": "b", "version": "1"}, "steps": []}],
    "extra": {"own": True},
}


def test_every_field_of_the_format_is_accepted() -> None:
    assert list(check(FULL)) == []


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("colour",), "red", "colour: is not a field of ATIF-v1.8; put it in extra"),
        (("agent", "mood"), 1, "agent.mood: is not a field"),
        (("agent", "version"), 2, "agent.version: must be text, not the number 2"),
        (("steps", 2, "tool_calls", 0, "arguments"), "ls", "steps[2].tool_calls[0].arguments: must be an object"),
        (("steps", 0, "step_id"), 7, "steps[0].step_id: is 7, but steps are numbered from 1 without gaps: 1"),
        (("steps", 1, "source"), "robot", "steps[1].source: must be system, user or agent"),
        (("steps", 1, "metrics"), {}, "steps[1].metrics: belongs to an agent's step"),
        (("steps", 2, "metrics", "prompt_tokens"), -1, "metrics.prompt_tokens: must be a whole number of 0 or more"),
        (("steps", 2, "metrics", "prompt_tokens"), True, "must be a whole number"),
        (("steps", 2, "observation", "results", 0, "source_call_id"), "x", "'x' is no call of this step"),
        (("steps", 2, "observation", "results", 0, "content"), 5, "results[0].content: must be text, not the number 5"),
        (("schema_version",), "ATIF-v2.0", "schema_version: is 'ATIF-v2.0'"),
        (("steps",), {}, "steps: must be a list, not an object"),
        (("subagent_trajectories", 0, "steps"), None, "subagent_trajectories[0].steps: must be a list, not null"),
    ],
)
def test_a_wrong_field_is_named_with_its_place(place: tuple[Any, ...], value: Any, said: str) -> None:
    document = copy.deepcopy(FULL)
    inner: Any = document
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    found = "\n".join(": ".join(problem) for problem in check(document))
    assert said in found


@pytest.mark.parametrize("document", [[], None, "x", {}, {"agent": [], "steps": [1]}])
def test_any_document_is_answered_with_problems_not_a_crash(document: Any) -> None:
    assert list(check(document))


def test_a_broken_trajectory_is_reported_and_the_others_are_written(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha")
    write_trial(tmp_path / "run", "beta", document=trajectory([step(1, "agent", "a", mood="good")]))
    found = export_atif([tmp_path / "run"], tmp_path / "out")
    assert [path.name for path in found.written] == ["alpha.worker.1.json"]
    assert [problem.split(": ")[1] for problem in found.problems] == ["steps[0].mood"]
    assert "beta.worker.1/trajectory.json" in found.problems[0]
    assert not list(check(json.loads(found.written[0].read_text())))


def test_a_submission_has_the_published_layout_and_never_picks_the_best_attempt(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_trial(run, "alpha", attempt=1, label=Label.INFRA_ERROR)
    write_trial(run, "alpha", attempt=2, result=2)
    write_trial(run, "alpha", attempt=3, result=3)
    (write_trial(run, "beta", result=3) / "screenshots").mkdir()
    (run / "beta.worker.1" / "screenshots" / "1.png").write_bytes(b"png")
    found = export_tac([run], tmp_path / "out", date(2026, 11, 15))
    base = tmp_path / "out" / "evaluation" / "1.0.0" / "20261115_worker-none"
    assert sorted(str(path.relative_to(base)) for path in base.rglob("*") if path.is_file()) == [
        "README.md",
        "results/eval_alpha.json",
        "results/eval_beta.json",
        "screenshots/beta/1.png",
        "trajectories/traj_alpha.json.gz",
        "trajectories/traj_beta.json.gz",
    ]
    assert json.loads((base / "results/eval_alpha.json").read_text()) == {
        "checkpoints": [{"total": 2, "result": 2}, {"total": 1, "result": 0}],
        "final_score": {"total": 3, "result": 2},
    }
    assert json.loads(gzip.decompress((base / "trajectories/traj_beta.json.gz").read_bytes()))["steps"]
    assert "2 tasks, 1 resolved" in (base / "README.md").read_text()
    assert len(found.left_out) == 2


def test_an_agents_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    trial = write_trial(tmp_path / "run", "alpha")
    facts = json.loads((trial / "outcome.json").read_text())
    (trial / "outcome.json").write_text(json.dumps({**facts, "agent": "../../x", "task": "/etc/passwd"}))
    found = export_tac([tmp_path / "run"], tmp_path / "out")
    assert len(found.written) == 3
    assert all((tmp_path / "out").resolve() in path.resolve().parents for path in found.written)


def test_flat_rows_hold_scores_and_faults(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha", result=2)
    write_trial(tmp_path / "run", "beta", label=Label.GRADER_ERROR, reason="it broke")
    export_jsonl([tmp_path / "run"], tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(row["task"], row["label"], row["score"], row["reason"]) for row in rows] == [
        ("alpha", "partial", pytest.approx(1 / 3), ""),
        ("beta", "grader_error", None, "it broke"),
    ]
