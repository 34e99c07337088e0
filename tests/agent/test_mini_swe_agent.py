"""A third party's agent, installed from its package index into a cached layer, solves the example.

The layer is kept in this machine's own cache, so that it is installed once and not with every run of the tests.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from dayjob.report.export.atif import check
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial

EXAMPLE = Path(__file__).parents[2] / "tasks" / "example"


def test_mini_swe_agent_solves_the_example_and_its_own_record_becomes_the_trajectory(tmp_path: Path) -> None:
    solution = (EXAMPLE / "solution.py").read_text("utf-8")
    work = f"cat > /tmp/work.py <<'END'\n{solution}\nEND\npython3 /tmp/work.py && echo all done"
    rules = [
        {"when": {"turn": 1}, "say": "I work.", "call": {"name": "bash", "arguments": {"command": work}}},
        {
            "when": {"last": "all done"},
            "say": "I am done.",
            "call": {"name": "bash", "arguments": {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}},
        },
    ]
    model = tmp_path / "model.yml"
    model.write_text(yaml.safe_dump({"format": 1, "rules": rules}), "utf-8")
    out = tmp_path / "out"
    outcome = run_trial(TrialSpec(str(EXAMPLE), "mini-swe-agent", str(out), seconds=120, model=f"script:{model}"))
    text = (out / "trajectory.json").read_text("utf-8") if (out / "trajectory.json").exists() else ""
    assert outcome.label is Label.RESOLVED, (outcome.reason, text[-4000:])
    assert outcome.resources["models"]["examinee"]["calls"] == 2
    document = json.loads(text)
    assert list(check(document)) == []
    assert [step["source"] for step in document["steps"]] == ["system", "user", "agent", "agent"]
    first = document["steps"][2]
    assert first["tool_calls"][0]["arguments"] == {"command": work}
    assert "all done" in first["observation"]["results"][0]["content"]
    assert document["steps"][-1]["extra"]["exit_code"] == 0
    assert "dj-examinee-" not in text
