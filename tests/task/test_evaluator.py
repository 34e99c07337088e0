"""Facts that are read off an evaluator without running it."""

from __future__ import annotations

import ast

import pytest

from dayjob.task.evaluator import Evaluator
from dayjob.task.lint.instruction import _is_year
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


@pytest.mark.parametrize(
    ("line", "service"),
    [
        ("common.create_plane_issue(1)", "board"),
        ("get_gitlab_project_id('a')", "forge"),
        ("check_and_download_file('a')", "drive"),
        ("changes('chat')", "chat"),
        ("accessed('forge', 1)", "forge"),
        ("changes()", None),
        ("changes('nothing')", None),
        ("other('chat')", None),
        ("print(ROCKETCHAT_URL)", "chat"),
        ("print(GITLAB_URL)", "forge"),
        ("print(PLANE_URL)", "board"),
        ("print(OWNCLOUD_URL)", "drive"),
        ("GITLAB_URL = 1", None),
        ("print(MY_GITLAB_URL)", None),
    ],
)
def test_the_services_of_an_evaluator_are_told_with_their_first_line(line: str, service: str | None) -> None:
    assert evaluator(f"\n{line}\n{line}\n").services == ({service: 2} if service else {})


@pytest.mark.parametrize(
    ("number", "year"),
    [
        ("1899", False),
        ("1900", True),
        ("2100", True),
        ("2101", False),
        ("20000", False),
        ("1,900", False),
        ("190", False),
    ],
)
def test_a_number_that_may_be_a_year_gives_nothing_away(number: str, year: bool) -> None:
    assert _is_year(number) is year
