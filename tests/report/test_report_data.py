"""What a run comes to: faults apart, agents apart, figures from trajectories, traits from tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.report.report_data import report_data
from dayjob.report.results import NoResults
from dayjob.report.trial_facts import effort_of
from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_task, write_trial


def test_a_fault_is_counted_apart_and_moves_no_mean(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha", result=3)
    without = report_data([tmp_path / "run"]).whole
    write_trial(tmp_path / "run", "beta", label=Label.INFRA_ERROR, reason="the disk was full")
    write_trial(tmp_path / "run", "gamma", label=Label.UNGRADED)
    whole = report_data([tmp_path / "run"]).whole
    assert (whole.trials, whole.scored) == (3, 1)
    assert (whole.resolved, whole.partial) == (without.resolved, without.partial) == (1.0, 1.0)
    assert whole.resolved_interval == without.resolved_interval
    assert whole.faults == {"infra_error": 1, "ungraded": 1}


def test_partial_marks_give_half_their_share(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha", result=2)
    write_trial(tmp_path / "run", "beta", result=3)
    whole = report_data([tmp_path / "run"]).whole
    assert whole.partial == pytest.approx((0.5 * 2 / 3 + 1) / 2)
    assert whole.resolved == 0.5


def test_groups_follow_what_tasks_say_of_themselves(tmp_path: Path) -> None:
    easy = write_task(tmp_path, "alpha", role="analyst", difficulty="easy", tags='"money", "chat"')
    hard = write_task(tmp_path, "beta", role="engineer", difficulty="hard")
    write_trial(tmp_path / "run", "alpha", result=3, folder=easy)
    write_trial(tmp_path / "run", "beta", result=0, folder=hard)
    write_trial(tmp_path / "run", "gamma", result=0)
    by = report_data([tmp_path / "run"]).by
    assert [(one.name, one.resolved) for one in by["role"]] == [("(not said)", 0), ("analyst", 1), ("engineer", 0)]
    assert [(one.name, one.tasks) for one in by["tag"]] == [("chat", 1), ("money", 2)]
    assert [(one.name, one.resolved) for one in by["service"]] == [("chat", 0.5), ("drive", 0.5)]
    assert [one.name for one in by["difficulty"]] == ["(not said)", "easy", "hard"]


def test_agents_are_never_mixed_in_a_group(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha", "good", result=3)
    write_trial(tmp_path / "run", "alpha", "bad", result=0)
    found = report_data([tmp_path / "run"])
    assert [(one.name, one.resolved) for one in found.by["task"]] == [("alpha · bad", 0), ("alpha · good", 1)]
    assert [(row.entrant, row.number, row.full) for row in found.checkpoints] == [
        ("bad", 1, 0),
        ("bad", 2, 0),
        ("good", 1, 1),
        ("good", 2, 1),
    ]


def test_figures_come_from_the_trajectory(tmp_path: Path) -> None:
    used = {"prompt_tokens": 100, "completion_tokens": 10, "cost_usd": 0.25}
    summed = trajectory(
        [
            step(1, "user", "go"),
            step(2, "agent", "a", metrics=used),
            step(3, "agent", "b", metrics=used),
            step(4, "agent", "old", metrics=used, is_copied_context=True),
        ]
    )
    stated = trajectory(
        [step(1, "agent", "a", metrics=used)],
        final_metrics={"total_prompt_tokens": 7, "total_completion_tokens": 3, "total_cost_usd": 0.5},
    )
    stated["agent"]["model_name"] = "tiny-1"
    write_trial(tmp_path / "run", "alpha", document=summed)
    write_trial(tmp_path / "run", "beta", document=stated)
    write_trial(tmp_path / "run", "gamma")
    found = {one.trial.outcome.task: one for one in report_data([tmp_path / "run"]).trials}
    alpha, beta, gamma = (found[name].effort for name in ("alpha", "beta", "gamma"))
    assert (alpha.steps, alpha.tokens, alpha.cost) == (2, 220, 0.5)
    assert (beta.steps, beta.tokens, beta.cost) == (1, 10, 0.5)
    assert (gamma.steps, gamma.tokens, gamma.cost) == (1, None, None)
    assert found["beta"].entrant == "worker · tiny-1"


def test_what_the_gateway_metered_goes_before_what_a_trajectory_says(tmp_path: Path) -> None:
    said = trajectory([step(1, "agent", "a", metrics={"prompt_tokens": 1, "completion_tokens": 1, "cost_usd": 0.0})])
    trial = write_trial(tmp_path / "run", "alpha", document=said)
    facts = json.loads((trial / "outcome.json").read_text())
    used = {"calls": 2, "prompt_tokens": 500, "completion_tokens": 50, "cost_usd": 0.125}
    facts["resources"] = {"models": {"examinee": used, "npc": {"cost_usd": 0.5}, "judge": {"cost_usd": None}}}
    facts["made_of"] |= {"models": {"examinee": "tiny-1"}, "minds": {"Mara": "script", "Tomas": "llm"}}
    facts["made_of"] |= {"served": {"npc": ["small-03", "small-04"]}, "prompts": {"Tomas": "a1"}}
    (trial / "outcome.json").write_text(json.dumps(facts))
    found = report_data([tmp_path / "run"])
    effort = found.trials[0].effort
    assert (effort.steps, effort.tokens, effort.cost, effort.others_cost) == (1, 550, 0.125, 0.5)
    assert found.trials[0].entrant == "worker · tiny-1"
    unread = effort_of(found.trials[0].trial, largest=10)
    assert (unread.steps, unread.tokens) == (None, 550)
    assert found.whole.total_cost == 0.625
    assert found.made_of["minds"] == ["llm", "script"]
    assert found.made_of["models"] == ["examinee: tiny-1"]
    assert found.made_of["served"] == ["npc: small-03", "npc: small-04"]
    assert "prompts" not in found.made_of


def test_checkpoints_say_what_they_ask(tmp_path: Path) -> None:
    task = write_task(tmp_path, "alpha")
    for attempt, result in enumerate((3, 2, 0), 1):
        write_trial(tmp_path / "run", "alpha", attempt=attempt, result=result, folder=task)
    rows = report_data([tmp_path / "run"]).checkpoints
    assert [(row.number, row.meaning, row.points, row.trials) for row in rows] == [
        (1, "The drive is tidy.", 2, 3),
        (2, "Said so.", 1, 3),
    ]
    assert [row.full for row in rows] == pytest.approx([2 / 3, 1 / 3])


def test_a_trajectory_that_cannot_be_read_leaves_figures_unknown(tmp_path: Path) -> None:
    trial = write_trial(tmp_path / "run", "alpha")
    (trial / "trajectory.json").write_text("{")
    effort = report_data([tmp_path / "run"]).trials[0].effort
    assert (effort.steps, effort.tokens) == (None, None)


def test_a_folder_without_outcomes_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(NoResults, match="no trial has ended"):
        report_data([tmp_path])
