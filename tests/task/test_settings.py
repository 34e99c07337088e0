"""What task.toml may say, at and beyond each edge."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dayjob.task.findings import TaskError
from dayjob.task.rules import Rule
from dayjob.task.settings import Grading, Ignore, Settings, Time, Timeouts, egress_hosts, parse_settings


def parsed(*lines: str) -> Settings:
    return parse_settings("\n".join(("format = 1", *lines)))


def test_a_task_that_says_nothing_has_these_settings() -> None:
    assert parsed() == Settings(
        world="larkspur", role="", difficulty="", author="", canary="", minutes=None, tags=(), egress=(),
        timeouts=Timeouts(init=120, work=1800, grade=300), grading=Grading(python=None), ignores=(), unknown=(),
    )  # fmt: skip


def test_everything_that_is_said_is_read() -> None:
    found = parsed(
        'world = "my_world-2"', 'role = "engineer"', 'difficulty = "hard"', 'author = "Ada"', 'canary = "c"',
        "minutes = 30", 'tags = ["a", "b"]', 'egress = ["example.com"]', "[timeouts]", "init = 1", "work = 2",
        "grade = 3", "[grading]", 'python = "3.12"', "[[ignore]]", 'rule = "DJ202"', 'reason = "it is so"',
    )  # fmt: skip
    assert found == Settings(
        world="my_world-2", role="engineer", difficulty="hard", author="Ada", canary="c", minutes=30, tags=("a", "b"),
        egress=("example.com",), timeouts=Timeouts(1, 2, 3), grading=Grading((3, 12)),
        ignores=(Ignore("DJ202", "it is so"),), unknown=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("minutes = 1", Settings(minutes=1)),
        ("minutes = 10000", Settings(minutes=10000)),
        ('difficulty = "easy"', Settings(difficulty="easy")),
        ('difficulty = "medium"', Settings(difficulty="medium")),
        ('world = "0"', Settings(world="0")),
        ('down = ["plane", "drive", "board"]', Settings(down=("board", "drive"))),
        ("down = []", Settings()),
        ("tell_time = false", Settings(tell_time=False)),
        ("[timeouts]\ninit = 1", Settings(timeouts=Timeouts(init=1))),
        ("[timeouts]\nwork = 86400", Settings(timeouts=Timeouts(work=86_400))),
        ("[timeouts]\ngrade = 86400", Settings(timeouts=Timeouts(grade=86_400))),
        ('[grading]\npython = "3.0"', Settings(grading=Grading((3, 0)))),
        ('[grading]\npython = "3.99"', Settings(grading=Grading((3, 99)))),
        ("[grading]", Settings()),
        ("[time]", Settings()),
        ('[time]\nclock = "stepped"', Settings(time=Time(clock="stepped"))),
        ('[time]\nlongest = "0s"', Settings(time=Time(longest=timedelta()))),
        ('[time]\nanswers = "hours"\nlook = "90m"', Settings(time=Time(answers="hours", look=timedelta(minutes=90)))),
    ],
)
def test_a_value_at_its_edge_is_taken(line: str, settings: Settings) -> None:
    assert parsed(line) == settings


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        *(
            (("[grading]", f"python = {value}"), 3, "the oldest version that graders run on")
            for value in (
                "3.12",
                '"3"',
                '"2.7"',
                '"3.12.1"',
                '">=3.12"',
                '"3.012"',
                '"3.100"',
                '""',
                "true",
                '["3.12"]',
                '"3.12 "',
            )
        ),
        (("grading = 3",), 2, "'grading' must be a table"),
        (("time = 3",), 2, "'time' must be a table"),
        (("[time]", 'clock = "broken"'), 3, '\'clock\' of .time. must be "running" or "stepped"'),
        (("[time]", 'answers = "soon"'), 3, '\'answers\' of .time. must be "at once" or "hours"'),
        (("[time]", 'longest = "a week"'), 3, "'longest' of .time. must be a length of time"),
        (("[time]", "look = 30"), 3, "'look' of .time. must be a length of time"),
        (("minutes = 0",), 2, "a whole number from 1 to 10000"),
        (("minutes = 10001",), 2, "a whole number from 1 to 10000"),
        (("minutes = true",), 2, "a whole number from 1 to 10000"),
        (("minutes = 1.5",), 2, "a whole number from 1 to 10000"),
        (('difficulty = "harder"',), 2, "there is no difficulty 'harder'"),
        (('world = "../up"',), 2, "not the name of a world"),
        (('world = "-a"',), 2, "not the name of a world"),
        (('world = ""',), 2, "not the name of a world"),
        (("role = 3",), 2, "'role' must be text"),
        (('tags = "a"',), 2, "a list of texts"),
        (('tags = ["a", 1]',), 2, "a list of texts"),
        (('role = "x"', 'egress = "some"'), 3, "none, full or a list"),
        (("down = 3",), 2, "a list of services: rocketchat, gitlab, plane, owncloud"),
        (('down = ["mail"]',), 2, "a list of services"),
        (("tell_time = 1",), 2, "'tell_time' must be true or false"),
        (("timeouts = 3",), 2, "must be a table"),
        (("[timeouts]", "init = 0"), 3, "'init' must be whole seconds, 1 to 86400"),
        (("[timeouts]", "work = 86401"), 3, "'work' must be whole seconds"),
        (("[timeouts]", "grade = true"), 3, "'grade' must be whole seconds"),
        (("ignore = 3",), 2, "a list of tables"),
        (("ignore = [3]",), 2, "a list of tables"),
    ],
)
def test_a_value_beyond_its_edge_is_refused_at_its_line(lines: tuple[str, ...], number: int, said: str) -> None:
    with pytest.raises(TaskError, match=said) as refused:
        parsed(*lines)
    finding = refused.value.finding
    assert (finding.rule, finding.file, finding.line) == (Rule.SETTINGS, "task.toml", number)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'format = 1' is missing"),
        ("format = 0", "'format = 1' is missing"),
        ("format = true", "'format = 1' is missing"),
        ('format = "1"', "'format = 1' is missing"),
        ("format = 2", "format 2 is newer than this dayjob reads"),
    ],
)
def test_another_format_is_refused(text: str, said: str) -> None:
    with pytest.raises(TaskError, match=said):
        parse_settings(text)


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        (('rule = "nonsense"', 'reason = "a"'), 3, "'nonsense' is not the id of a rule"),
        (('reason = "a"',), 1, "'None' is not the id of a rule"),
        (('rule = "DJ202"',), 3, "without a reason"),
        (('rule = "DJ202"', 'reason = "  "'), 3, "without a reason"),
        (('rule = "DJ202"', "reason = 3"), 3, "without a reason"),
    ],
)
def test_a_rule_is_ignored_by_its_id_and_with_a_reason_only(lines: tuple[str, ...], number: int, said: str) -> None:
    with pytest.raises(TaskError, match=said) as refused:
        parsed("[[ignore]]", *lines)
    assert (refused.value.finding.rule, refused.value.finding.line) == (Rule.BAD_IGNORE, number)


def test_settings_that_nobody_reads_are_named_with_their_lines() -> None:
    found = parsed("colour = 1", "[timeouts]", "wrok = 3", "[grading]", 'pyhton = "3.12"')
    assert found.unknown == (("colour", 2), ("timeouts.wrok", 4), ("grading.pyhton", 6))
    assert [(one.rule, one.line) for one in found.unknown_settings()] == [
        (Rule.UNKNOWN_SETTING, 2),
        (Rule.UNKNOWN_SETTING, 4),
        (Rule.UNKNOWN_SETTING, 6),
    ]


@pytest.mark.parametrize(
    ("found", "hosts"),
    [
        ("none", ()),
        ("full", ("*",)),
        ([], ()),
        (["example.com", "*.example.org", "a"], ("example.com", "*.example.org", "a")),
        ("example.com", None),
        (["a b"], None),
        (["-a"], None),
        (["a-"], None),
        (["*"], None),
        (["a", 3], None),
        (None, None),
        (True, None),
    ],
)
def test_egress_means_these_hosts(found: object, hosts: tuple[str, ...] | None) -> None:
    assert egress_hosts(found) == hosts
