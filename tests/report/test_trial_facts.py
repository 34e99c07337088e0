"""What is known of a trial beyond its outcome: whose figures go before whose, and what stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dayjob.report.results import Trial, load_trials
from dayjob.report.trial_facts import Effort, Known, Traits, effort_of, know, task_folder, traits_of
from tests.report.runs import step, trajectory, write_task, write_trial

USED = {"prompt_tokens": 100, "completion_tokens": 10, "cost_usd": 0.25}
TOTALS = {"total_prompt_tokens": 7, "total_completion_tokens": 3, "total_cost_usd": 0.5}


def trial_of(
    folder: Path,
    steps: list[dict[str, Any]] | None = None,
    *,
    models: Any = None,
    made_of: dict[str, Any] | None = None,
    **document: Any,
) -> Trial:
    write_trial(folder, "alpha", document=trajectory(steps if steps is not None else [], **document))
    (found,) = load_trials(folder)
    if models is not None:
        found.outcome.resources["models"] = models
    found.outcome.made_of.update(made_of or {})
    return found


STEPS = [
    step(1, "user", "go"),
    step(2, "agent", "a", metrics=USED),
    step(3, "agent", "b", metrics={"prompt_tokens": 1, "completion_tokens": True, "cost_usd": "much"}),
    step(4, "agent", "old", metrics=USED, is_copied_context=True),
    step(5, "system", "c", metrics={"completion_tokens": 5}),
    step(6, "agent", "d", metrics="odd"),
]


@pytest.mark.parametrize(
    ("steps", "more", "effort"),
    [
        ([], {}, Effort(steps=0)),
        ([step(1, "user", "go")], {}, Effort(steps=0)),
        ([step(1, "agent", "a")], {}, Effort(steps=1)),
        (STEPS, {}, Effort(3, 101, 15, 0.25)),
        (STEPS, {"final_metrics": TOTALS}, Effort(3, 7, 3, 0.5)),
        (STEPS, {"final_metrics": {"total_cost_usd": 0}}, Effort(3, 101, 15, 0)),
        (STEPS, {"final_metrics": {"total_cost_usd": True, "total_prompt_tokens": "7"}}, Effort(3, 101, 15, 0.25)),
        (STEPS, {"final_metrics": "odd"}, Effort(3, 101, 15, 0.25)),
        ([], {"final_metrics": {"total_prompt_tokens": 7.9}}, Effort(0, 7)),
    ],
)
def test_figures_are_the_trajectorys_totals_or_else_the_sum_of_its_own_steps(
    steps: list[dict[str, Any]], more: dict[str, Any], effort: Effort, tmp_path: Path
) -> None:
    assert effort_of(trial_of(tmp_path, steps, **more)) == effort


@pytest.mark.parametrize(
    ("models", "figures"),
    [
        ({"examinee": {"prompt_tokens": 5, "completion_tokens": 6, "cost_usd": 0.1}}, (5, 6, 0.1, None)),
        ({"examinee": {"prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0}}, (0, 0, 0.0, None)),
        ({"examinee": {"prompt_tokens": 5, "cost_usd": None}}, (5, 15, 0.25, None)),
        ({"examinee": "odd"}, (101, 15, 0.25, None)),
        ({"npc": {"cost_usd": 0.5}, "judge": {"cost_usd": 0.25}}, (101, 15, 0.25, 0.75)),
        ({"npc": {"cost_usd": None}, "judge": {"cost_usd": 0.25}}, (101, 15, 0.25, 0.25)),
        ({"npc": {"cost_usd": None}, "judge": "odd"}, (101, 15, 0.25, None)),
        ({"npc": {"cost_usd": 0}}, (101, 15, 0.25, 0)),
        ("odd", (101, 15, 0.25, None)),
    ],
)
def test_what_the_gateway_metered_goes_before_the_trajectory_and_others_are_apart(
    models: Any, figures: tuple[Any, ...], tmp_path: Path
) -> None:
    found = effort_of(trial_of(tmp_path, STEPS, models=models))
    assert (found.prompt_tokens, found.completion_tokens, found.cost, found.others_cost) == figures
    assert found.steps == 3


@pytest.mark.parametrize(
    ("made_of", "agent", "model", "entrant"),
    [
        ({}, {}, "", "worker"),
        ({}, {"model_name": "told"}, "told", "worker · told"),
        ({}, {"model_name": 3}, "", "worker"),
        ({"model": "named"}, {"model_name": "told"}, "named", "worker · named"),
        ({"models": {"examinee": "chosen"}, "model": "named"}, {"model_name": "told"}, "chosen", "worker · chosen"),
        ({"models": {"npc": "chosen"}, "model": "named"}, {}, "named", "worker · named"),
        ({"models": "odd"}, {"model_name": "told"}, "told", "worker · told"),
    ],
)
def test_the_model_is_the_one_the_run_chose_or_the_agent_names(
    made_of: dict[str, Any], agent: dict[str, Any], model: str, entrant: str, tmp_path: Path
) -> None:
    document = {"name": "worker", "version": "1", **agent}
    write_trial(tmp_path, "alpha", document={**trajectory([]), "agent": document})
    (trial,) = load_trials(tmp_path)
    trial.outcome.made_of.update(made_of)
    assert effort_of(trial).model == model
    assert know(trial).entrant == entrant


def test_a_trajectory_that_is_absent_broken_or_too_large_tells_nothing(tmp_path: Path) -> None:
    trial = trial_of(tmp_path, STEPS)
    file = trial.folder / "trajectory.json"
    size = file.stat().st_size
    told = Effort(3, 101, 15, 0.25)
    assert effort_of(trial, largest=size) == told
    assert effort_of(trial, largest=size + 1) == told
    assert effort_of(trial, largest=size - 1) == Effort()
    assert effort_of(trial, largest=0) == Effort()
    file.write_text("{")
    assert effort_of(trial) == Effort()
    file.unlink()
    assert effort_of(trial) == Effort()


def test_traits_are_what_the_task_says_where_it_still_is(tmp_path: Path) -> None:
    task = write_task(tmp_path, "alpha", role="analyst", difficulty="hard", tags='"money", "chat"')
    write_trial(tmp_path / "run", "alpha", folder=task)
    write_trial(tmp_path / "run", "gone")
    known, gone = (know(trial) for trial in load_trials(tmp_path / "run"))
    expected = Traits("analyst", "hard", ("money", "chat"), ("chat", "drive"), ("The drive is tidy.", "Said so."))
    assert known.traits == expected
    assert gone.traits == Traits() == Traits("", "", (), (), ())
    assert isinstance(known, Known)
    assert task_folder(known.trial.folder) == task


@pytest.mark.parametrize("spec", [None, "{", "[]", "{}", json.dumps({"task": 3}), json.dumps({"task": "a\0b"})])
def test_evidence_without_a_task_stands_by_itself(spec: str | None, tmp_path: Path) -> None:
    write_trial(tmp_path, "alpha")
    (trial,) = load_trials(tmp_path)
    (trial.folder / "spec.json").unlink()
    if spec is not None:
        (trial.folder / "spec.json").write_text(spec)
    assert task_folder(trial.folder) is None
    assert traits_of(trial) == Traits()


def test_a_task_that_can_no_longer_be_read_has_no_traits(tmp_path: Path) -> None:
    task = write_task(tmp_path, "alpha")
    (task / "task.toml").write_text("role = ")
    write_trial(tmp_path / "run", "alpha", folder=task)
    (trial,) = load_trials(tmp_path / "run")
    assert traits_of(trial) == Traits()


def test_what_nobody_says_is_unknown() -> None:
    assert Effort() == Effort(None, None, None, None, "", None)
