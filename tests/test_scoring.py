"""Checkpoints, results and strategies: every number that leaves `scoring` is whole and in range."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob import scoring
from dayjob.scoring import (
    Checkpoint,
    Result,
    Score,
    bonus_for_completing_all,
    bonus_for_completing_any,
    bonus_for_completing_any_of_given_checkpoints,
    bonus_for_completing_final,
)


@st.composite
def checkpoint(draw: st.DrawFn) -> Checkpoint:
    total = draw(st.integers(0, 50))
    return Checkpoint(total, draw(st.integers(0, total)))


checkpoint_lists = st.lists(checkpoint(), max_size=12)
strategies = st.sampled_from([None, bonus_for_completing_any, bonus_for_completing_all])


@given(checkpoint_lists)
def test_the_default_score_is_the_sum(checkpoints: list[Checkpoint]) -> None:
    score = Result(checkpoints).final_score
    assert score == {"total": sum(c.total for c in checkpoints), "result": sum(c.result for c in checkpoints)}


@given(checkpoint_lists, strategies)
def test_a_bonus_never_takes_a_point_away_or_exceeds_the_total(checkpoints: list[Checkpoint], strategy: Any) -> None:
    score = Result(checkpoints, strategy).final_score
    assert Result(checkpoints).final_score["result"] <= score["result"] <= score["total"]
    assert score["total"] == sum(c.total for c in checkpoints)


@given(checkpoint_lists)
def test_completing_any_gives_exactly_the_first_checkpoint(checkpoints: list[Checkpoint]) -> None:
    plain, bonus = Result(checkpoints).final_score, Result(checkpoints, bonus_for_completing_any).final_score
    if any(c.total > 0 and c.result == c.total for c in checkpoints):
        assert bonus["result"] - plain["result"] == checkpoints[0].total - checkpoints[0].result
    else:
        assert bonus == plain


@given(checkpoint_lists)
def test_completing_the_last_gives_everything(checkpoints: list[Checkpoint]) -> None:
    plain, bonus = Result(checkpoints).final_score, Result(checkpoints, bonus_for_completing_all).final_score
    if checkpoints and checkpoints[-1].total > 0 and checkpoints[-1].result == checkpoints[-1].total:
        assert bonus["result"] == bonus["total"]
    else:
        assert bonus == plain


@given(st.lists(checkpoint(), min_size=1, max_size=8), st.data())
def test_only_the_given_checkpoints_unlock_the_first(checkpoints: list[Checkpoint], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(1, len(checkpoints)), max_size=3))
    bonus = Result(checkpoints, bonus_for_completing_any_of_given_checkpoints(numbers)).final_score["result"]
    unlocked = any(checkpoints[n - 1].complete for n in numbers)
    expected = sum(c.result for c in checkpoints[1:]) + (checkpoints[0].total if unlocked else checkpoints[0].result)
    assert bonus == expected


@given(checkpoint_lists, strategies)
def test_a_result_survives_json_and_keeps_its_final_score(checkpoints: list[Checkpoint], strategy: Any) -> None:
    original = Result(checkpoints, strategy)
    stored = json.loads(json.dumps(original.to_dict()))
    assert Result.from_dict(stored).to_dict() == original.to_dict()
    assert Result.from_dict(stored, strategy).to_dict() == original.to_dict()


def test_final_is_another_name_for_all() -> None:
    assert bonus_for_completing_final is bonus_for_completing_all


def test_a_checkpoint_worth_nothing_unlocks_no_bonus() -> None:
    assert Result([Checkpoint(5, 0), Checkpoint(0, 0)], bonus_for_completing_final).final_score["result"] == 0
    assert Result([Checkpoint(5, 0), Checkpoint(0, 0)], bonus_for_completing_any).final_score["result"] == 0


def test_checkpoints_appended_after_the_result_was_made_count() -> None:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints, bonus_for_completing_final)
    checkpoints.append(Checkpoint(2, 2))
    assert result.to_dict() == {
        "checkpoints": [{"total": 2, "result": 2}],
        "final_score": {"total": 2, "result": 2},
    }


def test_bools_count_as_zero_or_one_and_leave_as_integers() -> None:
    assert json.dumps(Result([Checkpoint(True, False)]).to_dict()["checkpoints"]) == '[{"total": 1, "result": 0}]'


class bool_:
    """Stands for numpy's bool, which is neither a Python bool nor an index."""

    def __bool__(self) -> bool:
        return True


def test_a_numpy_bool_counts_as_one() -> None:
    assert Checkpoint(1, bool_()).result == 1  # type: ignore[arg-type]  # what an evaluator may hand over


@pytest.mark.parametrize(
    ("total", "result", "sentence"),
    [
        (1, 2, "between 0 and its total 1, not 2"),
        (1, -1, "between 0 and its total 1, not -1"),
        (-1, 0, "negative total"),
    ],
)
def test_numbers_out_of_range_are_refused_in_a_sentence(total: int, result: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Checkpoint(total, result)


@pytest.mark.parametrize("value", [1.0, "1", None, [1]])
def test_what_is_not_a_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="must be an integer"):
        Checkpoint(1, value)


def test_a_checkpoint_spoiled_after_it_was_made_is_still_refused() -> None:
    spoiled = Checkpoint(1, 1)
    spoiled.result = 7
    with pytest.raises(ValueError, match="not 7"):
        Result([spoiled]).to_dict()
    beside = Result([Checkpoint(9, 0), spoiled])
    for read in (lambda: beside.final_score, beside.to_dict):
        with pytest.raises(ValueError, match="a checkpoint must have a result between 0 and its total 1, not 7"):
            read()
    spoiled.result = 0.5  # type: ignore[assignment]  # what an evaluator may do
    with pytest.raises(TypeError, match="a checkpoint's result must be an integer"):
        beside.to_dict()


def test_a_custom_strategy_decides() -> None:
    def best_of(checkpoints: list[Checkpoint]) -> Score:
        return {"total": 2, "result": max(c.result for c in checkpoints)}

    assert Result([Checkpoint(2, 1), Checkpoint(2, 2)], best_of).final_score == {"total": 2, "result": 2}


@pytest.mark.parametrize(
    "score",
    [None, 3, ["total", "result"], {"total": 1}, {"result": 1}, {"total": 1, "result": 2}, {"total": 1.5, "result": 1},
     {"total": -1, "result": -1}, {"total": 1, "result": -1}, {"total": 1, "result": "1"}],
)  # fmt: skip
def test_a_custom_strategy_that_returns_nonsense_is_named(score: Any) -> None:
    def nonsense(checkpoints: list[Checkpoint]) -> Any:
        return score

    with pytest.raises((TypeError, ValueError), match="nonsense"):
        _ = Result([Checkpoint(1, 1)], nonsense).final_score


def test_a_checkpoint_number_that_does_not_exist_is_refused() -> None:
    for number in (0, 3):
        with pytest.raises(ValueError, match=f"no checkpoint {number}"):
            _ = Result([Checkpoint(1, 1)] * 2, bonus_for_completing_any_of_given_checkpoints([number])).final_score


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "a result must be an object, not list"),
        ({}, "must have a list of 'checkpoints'"),
        ({"checkpoints": {}}, "must have a list of 'checkpoints'"),
        ({"checkpoints": [1]}, "checkpoint 1 must be an object with 'total', 'result' and perhaps 'reason', not 1"),
        ({"checkpoints": [["total", "result"]]}, "checkpoint 1 must be an object"),
        ({"checkpoints": [{"total": 1}]}, "checkpoint 1 must be an object"),
        ({"checkpoints": [{"total": 1, "result": 1}, {"total": 1, "result": 1, "x": 1}]}, "checkpoint 2 must be"),
        ({"checkpoints": [{"total": 1, "result": 2}]}, "between 0 and its total 1, not 2"),
        ({"checkpoints": [], "final_score": {"total": 1}}, "must return"),
        ({"checkpoints": [], "final_score": {"total": 1, "result": 2}}, "not 2"),
    ],
)
def test_a_malformed_stored_result_is_refused_with_its_place(data: Any, sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        Result.from_dict(data)


def test_a_stored_result_without_a_final_score_is_added_up() -> None:
    stored = {"checkpoints": [{"total": 2, "result": 1}, {"total": 3, "result": 3}]}
    assert Result.from_dict(stored).final_score == {"total": 5, "result": 4}


def test_a_stored_final_score_gives_way_to_a_strategy_and_to_nothing_else() -> None:
    stored = {"checkpoints": [{"total": 2, "result": 1}, {"total": 3, "result": 3}]}
    recorded = {**stored, "final_score": {"total": 9, "result": 7}}
    assert Result.from_dict(recorded).final_score == {"total": 9, "result": 7}
    assert Result.from_dict(recorded, bonus_for_completing_all).final_score == {"total": 5, "result": 5}


def test_a_strategy_of_given_checkpoints_is_worth_nothing_without_any() -> None:
    strategy = bonus_for_completing_any_of_given_checkpoints([1, 4])
    assert Result([], strategy).final_score == {"total": 0, "result": 0}


def test_something_else_in_the_list_is_refused() -> None:
    with pytest.raises(TypeError, match="checkpoint 2 must be a Checkpoint"):
        Result([Checkpoint(1, 1), {"total": 1, "result": 1}]).to_dict()  # type: ignore[list-item]  # what an evaluator may hand over


def test_scoring_is_written_in_what_older_pythons_read() -> None:
    text = Path(str(scoring.__file__)).read_text(encoding="utf-8")
    assert ast.parse(text, feature_version=(3, 8))


def test_scoring_imports_nothing_outside_the_standard_library() -> None:
    probe = "import sys, runpy; runpy.run_path(sys.argv[1]); print(set(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(scoring.__file__)],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded: set[str] = eval(done.stdout)
    assert loaded - {"__main__"} <= set(sys.stdlib_module_names)
