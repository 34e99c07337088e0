"""What trials come to, from values in memory: groups, checkpoints, rows, summaries, differences, figure by figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dayjob.report.breakdown import UNSAID, CheckpointRow, Group, breakdown, checkpoints, group
from dayjob.report.compare import Comparison, Difference, Pair, compare, difference, paired_interval, sign_chance
from dayjob.report.intervals import mean_interval, rate_interval
from dayjob.report.repeats import repeats
from dayjob.report.report_data import ReportData, _made_of, report_data, trial_row
from dayjob.report.results import NoResults, Trial, load_trials
from dayjob.report.summary import Summary, summarise
from dayjob.report.trial_facts import Effort, Known, Traits
from dayjob.trial.outcome import EXHAUSTED, Label, Outcome, label_for
from tests.report.runs import write_trial


def known(
    task: str = "alpha",
    result: int | None = 4,
    *,
    agent: str = "worker",
    seconds: float = 6.0,
    effort: Effort | None = None,
    traits: Traits | None = None,
    marks: list[tuple[int, int]] | None = None,
    **more: Any,
) -> Known:
    """A trial of four marks; without a result, one that was not scored."""
    scored = result is not None
    label = label_for(result, 4) if result is not None else Label.INFRA_ERROR
    facts: dict[str, Any] = {"timings": {"all": seconds}, **more}
    outcome = Outcome(task, agent, 1, label, result=result, total=4 if scored else None, **facts)
    if scored:
        outcome.checkpoints = [{"total": total, "result": got} for total, got in marks or [(4, result or 0)]]
    return Known(Trial(Path("run") / task, outcome), effort or Effort(), traits or Traits())


# -- a group -----------------------------------------------------------------------------------------------------


def test_a_group_adds_up_what_was_scored_and_counts_the_rest() -> None:
    members = [
        known("alpha", 4, seconds=2, effort=Effort(10, 100, 20, 0.5, others_cost=0.25)),
        known("alpha", 2, seconds=4, effort=Effort(20, None, 40, 1.5)),
        known("beta", 0, seconds=9),
        known("gamma", None, seconds=100, effort=Effort(99, 9, 9, 2.0)),
        known("delta", None),
    ]
    assert group("all", members) == Group(
        name="all",
        tasks=4,
        trials=5,
        scored=3,
        resolved=1 / 3,
        resolved_interval=rate_interval([[True, False], [False]]),
        partial=(1 + 0.25 + 0) / 3,
        partial_interval=mean_interval([[1.0, 0.25], [0.0]]),
        faults={"infra_error": 2},
        seconds=5.0,
        steps=15.0,
        tokens=80.0,
        cost=1.0,
        total_cost=4.25,
    )


def test_a_group_in_which_nothing_was_scored_or_told_knows_nothing() -> None:
    found = group("none", [known(result=None)])
    assert (found.tasks, found.trials, found.scored, found.faults) == (1, 1, 0, {"infra_error": 1})
    assert (found.resolved, found.resolved_interval, found.partial, found.partial_interval) == (None,) * 4
    assert (found.seconds, found.steps, found.tokens, found.cost, found.total_cost) == (None,) * 5


@pytest.mark.parametrize(
    ("effort", "tokens"),
    [(Effort(), None), (Effort(prompt_tokens=3), 3), (Effort(completion_tokens=4), 4), (Effort(None, 3, 4), 7)],
)
def test_tokens_are_those_of_both_directions_as_far_as_they_are_known(effort: Effort, tokens: int | None) -> None:
    assert effort.tokens == tokens


# -- groups by what trials share ---------------------------------------------------------------------------------

ANALYST = Traits("analyst", "easy", ("money", "chat"), ("chat", "drive"))
ENGINEER = Traits("engineer", "hard", ("code",), ("forge",))


def names(members: list[Known]) -> dict[str, list[tuple[str, int]]]:
    return {dimension: [(one.name, one.trials) for one in found] for dimension, found in breakdown(members).items()}


def test_every_dimension_groups_by_what_the_trials_say() -> None:
    members = [known("alpha", traits=ANALYST), known("beta", traits=ENGINEER), known("beta", None, traits=ENGINEER)]
    assert names(members) == {
        "agent": [("worker", 3)],
        "task": [("alpha", 1), ("beta", 2)],
        "role": [("analyst", 1), ("engineer", 2)],
        "service": [("chat", 1), ("drive", 1), ("forge", 2)],
        "difficulty": [("easy", 1), ("hard", 2)],
        "tag": [("chat", 1), ("code", 2), ("money", 1)],
    }


def test_what_no_task_says_is_left_out_and_what_some_do_not_say_is_named() -> None:
    assert names([known()]) == {"agent": [("worker", 1)], "task": [("alpha", 1)]}
    mixed = names([known(), known("beta", traits=ANALYST)])
    assert mixed["role"] == [(UNSAID, 1), ("analyst", 1)]
    assert mixed["service"] == [("chat", 1), ("drive", 1)]


def test_entrants_are_never_mixed() -> None:
    first, second = known(agent="a", effort=Effort(model="m")), known(agent="b", traits=ANALYST)
    found = names([first, second, second])
    assert found["agent"] == [("a · m", 1), ("b", 2)]
    assert found["task"] == [("alpha · a · m", 1), ("alpha · b", 2)]
    assert found["role"] == [(f"{UNSAID} · a · m", 1), ("analyst · b", 2)]


def test_checkpoints_are_counted_over_scored_trials_of_an_entrant() -> None:
    traits = Traits(meanings=("Tidy.", "Said so.", "Nothing."))
    members = [
        known("alpha", 3, marks=[(2, 2), (2, 1), (0, 0)]),
        known("alpha", 1, marks=[(2, 1), (2, 0), (0, 0)], traits=traits),
        known("alpha", None),
        known("alpha", 4, marks=[(4, 4)], agent="other", traits=traits),
    ]
    half = rate_interval([[True, False]])
    assert checkpoints(members) == [
        CheckpointRow("alpha", "other", 1, "", 1, 4, 1.0, 1.0, rate_interval([[True]])),
        CheckpointRow("alpha", "worker", 1, "Tidy.", 2, 2, 0.75, 0.5, half),
        CheckpointRow("alpha", "worker", 2, "Said so.", 2, 2, 0.25, 0.0, rate_interval([[False, False]])),
        CheckpointRow("alpha", "worker", 3, "Nothing.", 2, 0, 0.0, 1.0, rate_interval([[True, True]])),
    ]


# -- rows and the whole ------------------------------------------------------------------------------------------


def test_a_trial_is_a_flat_row_of_all_that_is_known() -> None:
    one = known(
        "alpha",
        3,
        effort=Effort(7, 100, 20, 0.5, "tiny-1", 0.25),
        traits=ANALYST,
        marks=[(2, 2), (2, 1)],
        timings={"all": 6.5, "work": 5.0, "grade": 1.0},
        ended="done",
        reason="why",
        step="work",
        resources={"memory_peak": 1024, "cpu_nanoseconds": 2_500_000_000},
        made_of={"world": "larkspur"},
        waited_for_model=1.5,
        stopped="late",
    )
    assert trial_row(one) == {
        "folder": "run/alpha",
        "task": "alpha",
        "agent": "worker",
        "model": "tiny-1",
        "attempt": 1,
        "variant": None,
        "variant_set": None,
        "label": "partial",
        "scored": True,
        "result": 3,
        "total": 4,
        "score": 0.375,
        "ended": "done",
        "stopped": "late",
        "reason": "why",
        "step": "work",
        "seconds": 6.5,
        "work_seconds": 5.0,
        "waited_for_model": 1.5,
        "grade_seconds": 1.0,
        "steps": 7,
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost_usd": 0.5,
        "others_cost_usd": 0.25,
        "memory_peak": 1024,
        "cpu_seconds": 2.5,
        "role": "analyst",
        "difficulty": "easy",
        "services": ["chat", "drive"],
        "tags": ["money", "chat"],
        "checkpoints": [{"total": 2, "result": 2}, {"total": 2, "result": 1}],
        "score_line": {},
        "judged": [],
        "colleagues": {},
        "colleague_fault": [],
        "raised": [],
        "made_of": {"world": "larkspur"},
    }
    assert trial_row(known(resources={}))["cpu_seconds"] is None
    assert trial_row(known(resources={"cpu_nanoseconds": 0}))["cpu_seconds"] == 0.0


def test_what_trials_were_made_of_is_every_value_a_reader_may_ask_about() -> None:
    ones = {"world": "larkspur", "image": "sha:1", "snapshot": "k1", "minds": {"Mara": "llm", "Tom": "script"}}
    others = {"world": "harbour", "models": {"npc": "m", "judge": "n"}, "tools": ["a", 2], "empty": {}, "minds": "odd"}
    assert _made_of([known(made_of=ones), known(made_of=ones), known(made_of=others)]) == {
        "minds": ["llm", "odd", "script"],
        "models": ["judge: n", "npc: m"],
        "tools": ["a, 2"],
        "world": ["harbour", "larkspur"],
    }


def test_a_report_is_written_down_whole(tmp_path: Path) -> None:
    for agent, results in (("a", (3, 0)), ("b", (2,))):
        for attempt, result in enumerate(results, 1):
            write_trial(tmp_path / "run", "alpha", agent, attempt, result=result)
    write_trial(tmp_path / "other", "alpha", result=3)
    found = report_data([tmp_path / "run", tmp_path / "other"], comparing=True)
    assert isinstance(found, ReportData)
    assert (found.whole.name, found.whole.trials) == ("all", 4)
    assert found.repeats == {
        "a": repeats([[True, False]]), "b": repeats([[False]]), "worker": repeats([[True]]),
    }  # fmt: skip
    facts = found.as_dict()
    assert facts["format"] == 1
    assert facts["folders"] == [str(tmp_path / "run"), str(tmp_path / "other")]
    assert facts["summary"]["trials"] == 4
    assert set(facts["by"]) == set(found.by)
    assert [row["k"] for row in facts["repeats"]["a"]] == [1, 2]
    assert len(facts["checkpoints"]) == 6
    assert facts["made_of"] == {"sandbox": ["embedded"], "world": ["larkspur"]}
    assert (facts["comparison"]["first"], facts["comparison"]["second"]) == tuple(facts["folders"])
    assert facts["comparison"]["differences"][1]["mean"] == pytest.approx(2 / 3)
    assert [row["agent"] for row in facts["trials"]] == ["a", "a", "b", "worker"]
    assert set(facts) == {
        "format", "folders", "summary", "by", "repeats", "checkpoints", "made_of", "colleagues",
        "with_and_without_colleague_faults", "along_the_way", "comparison", "trials",
    }  # fmt: skip
    assert json.dumps(facts)
    assert report_data([tmp_path / "run", tmp_path / "other"]).as_dict()["comparison"] is None


def test_trials_are_read_in_order_without_those_made_again(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "beta")
    write_trial(tmp_path / "run", "alpha", attempt=2)
    write_trial(tmp_path / "run", "alpha")
    write_trial(tmp_path / "run" / "alpha.worker.1" / "earlier", "alpha")
    found = load_trials(tmp_path / "run")
    assert [one.folder.name for one in found] == ["alpha.worker.1", "alpha.worker.2", "beta.worker.1"]
    assert [one.outcome.task for one in found] == ["alpha", "alpha", "beta"]
    below = tmp_path / "earlier" / "run"
    write_trial(below, "alpha")
    assert len(load_trials(below)) == 1


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_what_is_no_outcome_is_named(text: str, tmp_path: Path) -> None:
    folder = write_trial(tmp_path, "alpha")
    (folder / "outcome.json").write_text(text)
    with pytest.raises(NoResults, match=r"alpha\.worker\.1/outcome\.json is not an outcome: "):
        load_trials(tmp_path)


# -- in one breath -----------------------------------------------------------------------------------------------


def test_a_summary_says_what_a_run_came_to() -> None:
    outcomes = [
        known("alpha", 4, seconds=1.5).trial.outcome,
        known("alpha", 0, ended=EXHAUSTED, seconds=2).trial.outcome,
        known("beta", 2, timings={}).trial.outcome,
        known("beta", None, seconds=4).trial.outcome,
    ]
    interval = rate_interval([[True, False], [False]])
    assert interval is not None
    assert summarise(outcomes) == Summary(
        trials=4,
        scored=3,
        resolved=1 / 3,
        interval=(interval.low, interval.high),
        partial=1.25 / 3,
        labels={"resolved": 1, "failed": 1, "partial": 1, "infra_error": 1},
        exhausted=1,
        seconds=7.5,
    )
    assert summarise([]) == Summary(0, 0, None, None, None, {}, 0, 0)
    assert summarise([]).seconds == 0


# -- two runs ----------------------------------------------------------------------------------------------------


def pairs(*differences: float) -> list[Pair]:
    return [Pair(f"t{number}", 0.5, 0.5 + one, (1, 1)) for number, one in enumerate(differences)]


@pytest.mark.parametrize(
    ("values", "better", "worse", "same"),
    [
        ((), 0, 0, 0),
        ((0.0,), 0, 0, 1),
        ((0.25, -0.25), 1, 1, 0),
        ((0.25, 0.25, -0.25), 2, 1, 0),
        ((0.25, 0.5, 0.0), 2, 0, 1),
        ((1e-13, -1e-13, -0.5), 0, 1, 2),
    ],
)
def test_a_difference_counts_who_is_better_and_how_likely_that_is_by_chance(
    values: tuple[float, ...], better: int, worse: int, same: int
) -> None:
    given = pairs(*values)
    found = difference("partial score", given)
    assert (found.measure, found.pairs) == ("partial score", given)
    assert (found.better, found.worse, found.same) == (better, worse, same)
    assert found.mean == (pytest.approx(sum(values) / len(values)) if values else None)
    assert found.interval == paired_interval([one.difference for one in given])
    assert found.chance == (sign_chance(better, worse) if better or worse else None)


def test_an_interval_of_differences_stays_between_minus_one_and_one() -> None:
    found = paired_interval([1.0, -1.0])
    assert found is not None
    assert (found.low, found.high, found.method) == (-1.0, 1.0, "Student's t over tasks in both")


def test_only_tasks_of_both_runs_make_pairs_of_means() -> None:
    before = [known("alpha", 0), known("alpha", 2), known("beta", 4), known("gone", 4), known("new", None)]
    after = [known("alpha", 4), known("beta", 2), known("new", 4)]
    found = compare("before", before, "after", after)
    partial = [Pair("alpha", 0.125, 1.0, (2, 1)), Pair("beta", 1.0, 0.25, (1, 1))]
    resolved = [Pair("alpha", 0.0, 1.0, (2, 1)), Pair("beta", 1.0, 0.0, (1, 1))]
    assert found == Comparison(
        "before",
        "after",
        [difference("partial score", partial), difference("resolved", resolved)],
        ["gone"],
        ["new"],
    )
    assert isinstance(found.differences[0], Difference)
