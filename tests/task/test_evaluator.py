"""Facts that are read off an evaluator without running it."""

from __future__ import annotations

import ast

import pytest

from dayjob.task.evaluator import Evaluator
from dayjob.task.syntax import dotted, reads_only_trajectory


def evaluator(text: str) -> Evaluator:
    return Evaluator(ast.parse(text))


@pytest.mark.parametrize(
    ("points", "total"),
    [
        ("3", 3),
        ("A", 2),
        ("B", 2),
        ("A + 3", 5),
        ("A * 3", 6),
        ("A - 1", None),
        ("unknown", None),
        ("f()", None),
        ("E", 2),
        ("F", None),
        ("LOOP", None),
    ],
)
def test_a_checkpoints_points_are_numbers_constants_sums_and_products(points: str, total: int | None) -> None:
    constants = "A = 2\nB = A\nC = B\nD = C\nE = D\nF = E\nLOOP = LOOP\n"
    text = f"{constants}def grade_checkpoints(trajectory=''):\n    return Result([Checkpoint({points}, 1)])\n"
    assert evaluator(text).totals == (None if total is None else [total])


@pytest.mark.parametrize(
    ("body", "only"),
    [
        ("def f(trajectory): return 'a' in trajectory", True),
        ("def f(trajectory): return len(trajectory) > 3", True),
        ("def f(trajectory): return bool(re.search('a', trajectory))", True),
        ("def f(trajectory): return True", False),
        ("def f(trajectory): return changes() and trajectory", False),
        ("def f(trajectory, other): return 'a' in trajectory", False),
        ("def f(other): return 'a' in other", False),
    ],
)
def test_a_checkpoint_that_looks_at_the_trajectory_alone_is_known(body: str, only: bool) -> None:
    function = ast.parse(body).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert reads_only_trajectory(function) is only


@pytest.mark.parametrize(
    ("text", "name"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b.c", ".c"), ("'a'.join", ".join"), ("f()", "")]
)
def test_a_dotted_name_is_told_as_far_as_it_is_plain(text: str, name: str) -> None:
    assert dotted(ast.parse(text, mode="eval").body) == name


def test_chat_clients_are_the_names_given_to_one() -> None:
    text = "a = create_rocketchat_client()\nb = common.create_rocketchat_client(1)\nc = create_other_client()\n"
    assert evaluator(text).chat_clients == {"a", "b"}
