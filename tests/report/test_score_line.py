"""Score lines as they are told and drawn: what came, what went, and nothing of a file that is no line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dayjob.report.results import load_trials
from dayjob.report.score_line import CameAndWent, Move, came_and_went, read_line
from dayjob.report.story import along_the_way
from dayjob.report.trial_facts import know
from dayjob.report.viewer.words import shown_step
from dayjob.report.viewer.worth import MOST_DRAWN, chart
from dayjob.trial.line_summary import clean_line
from tests.report.furnished import moment, write_line
from tests.report.runs import write_trial

TIDY, UNTIDY = (2, 2, "tidy"), (0, 2, "untidy")
SAID, UNSAID, LEFT_OUT = (1, 1, "said"), (0, 1, "unsaid"), (None, 1, "it asks a model")


def written(root: Path, *points: dict[str, Any], attempt: int = 1) -> Path:
    place = write_trial(root / "run", "roof", attempt=attempt)
    write_line(place, *points)
    return place


def test_points_come_and_go_from_one_moment_to_the_next_that_is_known(tmp_path: Path) -> None:
    line = read_line(
        written(
            tmp_path,
            moment(1.0, None, UNTIDY, LEFT_OUT),
            moment(2.0, 3, TIDY, LEFT_OUT),
            moment(3.0, 5, failed="it broke"),
            moment(4.0, 6, (1, 2, "half"), SAID),
            moment(5.0, 6, UNTIDY, SAID),
        )
    )
    assert line is not None
    assert [one.moves for one in line.points] == [
        (),
        (Move(1, 2, "tidy"),),
        (),
        (Move(1, -1, "half"), Move(2, 1, "said")),
        (Move(1, -1, "untidy"),),
    ]
    assert [one.result for one in line.points] == [0, 2, None, 2, 1]
    assert line.points[2].failed == "it broke"
    assert line.best is line.points[1]
    assert line.lost == 1
    told = along_the_way(line)
    assert told is not None
    assert told.row_count == 4


def test_a_checkpoint_is_told_of_over_all_trials_of_an_entrant_that_have_a_line(tmp_path: Path) -> None:
    written(tmp_path, moment(1.0, 2, TIDY, UNSAID), moment(2.0, 4, UNTIDY, UNSAID), attempt=1)
    written(tmp_path, moment(1.0, 6, TIDY, UNSAID), moment(2.0, 8, TIDY, UNSAID), attempt=2)
    write_trial(tmp_path / "run", "roof", attempt=3)
    rows = came_and_went([know(one) for one in load_trials(tmp_path / "run")])
    assert rows == [
        CameAndWent("roof", "worker", 1, trials=2, won=2, step=2, lost=1, reasons=[("untidy", 1)]),
        CameAndWent("roof", "worker", 2, trials=2, won=0, step=None, lost=0, reasons=[]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2, "every": "step", "points": []}',
        '{"format": 1, "every": "step", "points": [1]}',
        '{"format": 1, "every": "step", "points": 7}',
        '{"format": 1, "every": 3, "points": []}',
        '{"format": 1, "every": "step", "points": [{"at": 1e999, "world": "", "step": null}]}',
        '{"format": 1, "every": "step", "points": [{"at": "x", "world": "", "step": 1}]}',
        '{"format": 1, "every": "step", "points": [{"at": 1, "world": "", "step": -1}]}',
        '{"format": 1, "every": "step", "points": [{"at": 1, "world": "", "step": 1, "result": "2"}]}',
        '{"format": 1, "every": "step", "points": [{"at": 1, "world": "", "step": 1, "checkpoints": [{}]}]}',
        '{"format": 1, "every": "step", "points": [{"at": 1, "world": "", "step": 1, "checkpoints": 1}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_line_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "score-line.json").write_text(text)
    assert read_line(tmp_path) is None


def test_a_line_of_evidence_is_cleaned_of_what_steers_a_terminal(tmp_path: Path) -> None:
    line = read_line(written(tmp_path, moment(1.0, 1, (2, 2, "all\x1b[31m\nred"), UNSAID)))
    assert line is not None
    assert line.points[0].moves[0].words == "+2 checkpoint 1: all [31m red"


def test_many_points_are_drawn_as_few_and_none_that_says_something_is_left_out(tmp_path: Path) -> None:
    up = [moment(float(at), 2, TIDY if at >= 777 else UNTIDY, UNSAID) for at in range(1000)]
    line = read_line(written(tmp_path, *up))
    drawn = chart(line, ["steps.html#step-1", "steps.html#step-2"], 0.0, 1000.0)
    assert drawn is not None
    assert len(drawn.points) <= 2 * MOST_DRAWN
    assert [point.at for point in drawn.points if point.label] == [777.0]
    assert (drawn.points[0].at, drawn.points[-1].at, drawn.points[-1].share) == (0.0, 999.0, 2 / 3)
    assert {point.link for point in drawn.points} == {"steps.html#step-2"}
    (change,) = drawn.changes
    assert (change.at, change.worth.result) == (777.0, 2)


def test_a_line_without_points_is_not_drawn(tmp_path: Path) -> None:
    assert chart(None, [], 0.0, 1.0) is None
    assert chart(read_line(written(tmp_path)), [], 0.0, 1.0) is None
    assert along_the_way(read_line(written(tmp_path, attempt=2))) is None


def test_a_step_that_the_axis_does_not_have_is_no_link(tmp_path: Path) -> None:
    drawn = chart(
        read_line(written(tmp_path, moment(1.0, 9, TIDY, UNSAID), moment(2.0, 9, UNTIDY, UNSAID))), [], 0.5, 3
    )
    assert drawn is not None
    assert [(point.link, point.lower, point.kind) for point in drawn.points] == [
        ("", False, "some"),
        ("", True, "none"),
    ]
    assert drawn.begins == 0.5


@pytest.mark.parametrize(
    ("extra", "said", "more"),
    [
        ({"score_line": [{"at": 1.0, "result": 5, "total": 8}]}, "5 of 8", []),
        (
            {"score_line": [{"result": 5, "total": 8}, {"result": None}, {"result": 4, "total": 8}]},
            "5 of 8 → 4 of 8",
            [],
        ),
        ({"score_line": [{"result": 1, "total": 2}] * 20}, f"{' → '.join(['1 of 2'] * 12)} …", []),
        ({"score_line": 7, "exit_code": 0}, "", [("text", '{\n "exit_code": 0\n}')]),
        ({"score_line": [{"result": "<b>", "total": 2}]}, "", []),
        ("words", "", [("text", "words")]),
        (None, "", []),
    ],
)
def test_a_step_says_what_the_work_was_worth_after_it(extra: Any, said: str, more: list[tuple[str, str]]) -> None:
    shown = shown_step({"source": "agent", "message": "", "extra": extra})
    assert (shown["worth"], shown["extra"]) == (said, more)


@pytest.mark.parametrize("said", [None, 3, "a", []])
def test_an_outcome_that_says_nothing_of_a_line_has_none(said: object) -> None:
    assert clean_line(said) == {}


def test_an_outcome_says_of_its_line_what_is_known_and_of_its_kind() -> None:
    said = {"file": "a\nb", "judge": "yes", "best": "8", "held": float("inf"), "points": 3, "more": 1}
    known = {"file": "a b", "judge": False, "points": 3, "best": None, "held": None}
    assert clean_line(json.loads(json.dumps(said))) == known
