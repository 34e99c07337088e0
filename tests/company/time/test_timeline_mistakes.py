"""A timeline that is wrong: one sentence with the line and the fix, and nothing is compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dayjob.company.timeline.checks import ACTS
from dayjob.company.world import WorldError, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.time.offices import office

POST = 'post: {in: "#launch", text: hello}'
WHO = "who: Mara Lind"
MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yml").read_text("utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["sentence"][:40])
def test_a_mistake_is_told_with_its_line_and_its_fix(tmp_path: Path, mistake: dict[str, Any]) -> None:
    world = office(tmp_path, mistake["timeline"])
    (problem,) = check_world(world)
    assert (problem.file, problem.line) == ("timeline.yml", mistake["line"])
    assert (problem.message, problem.fix) == (mistake["sentence"], mistake["fix"])


def test_a_pattern_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    world = office(tmp_path, f'- {{after: {{message: {{saying: "(a"}}}}, {WHO}, {POST}}}')
    (problem,) = check_world(world)
    assert problem.message.startswith("'(a' is no pattern: ")


def test_yaml_that_is_none_is_told_by_its_line_and_a_wrong_timeline_compiles_to_nothing(tmp_path: Path) -> None:
    world = office(tmp_path / "office", "- at: [\n")
    (problem,) = check_world(world)
    assert (problem.rule, problem.file) == ("syntax", "timeline.yml")
    with pytest.raises(WorldError, match=r"timeline\.yml"):
        build_snapshot(world, cache=tmp_path / "cache")
    assert list((tmp_path / "cache" / "snapshots").iterdir()) == []


def test_a_timeline_needs_a_world_that_says_what_time_it_is(tmp_path: Path) -> None:
    text = office(tmp_path, f"- {{at: 10:00, {WHO}, {POST}}}").joinpath("world.toml").read_text()
    (tmp_path / "world.toml").write_text(text.replace("now = 2026-03-09T09:00:00Z\n", ""))
    (problem,) = [one for one in check_world(tmp_path) if one.file == "timeline.yml"]
    assert problem.message == "A timeline needs a world whose clock has a start."


def test_a_task_adds_to_the_worlds_timeline(tmp_path: Path) -> None:
    world = office(tmp_path / "office", f"- {{id: a, at: day 1 10:00, {WHO}, {POST}}}")
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    (overlay / "timeline.yml").write_text(f"- {{after: a, {WHO}, {POST}}}\n- {{after: b, {WHO}, {POST}}}\n")
    (problem,) = check_world(world, overlay)
    assert problem.message == "No line of the timeline has the id 'b'."


def test_every_act_has_a_mistake_in_the_table() -> None:
    assert {act for one in MISTAKES for act in ACTS if f"{act}:" in one["timeline"]} == set(ACTS)


LINES: list[dict[str, Any]] = [
    {"who": "Mara Lind", "post": {"in": "#launch", "text": "hi"}},
    {"who": "Mara Lind", "edit": {"in": "#launch", "was": "Thursday", "text": "hi"}},
    {"who": "Mara Lind", "status": "busy"},
    {"who": "Mara Lind", "push": {"project": "office/site", "branch": "b", "message": "m", "files": {"a": "b"}}},
    {"who": "Mara Lind", "open": {"project": "office/site", "issue": "x", "labels": ["a"], "assignees": ["Sam Reed"]}},
    {"who": "Mara Lind", "merge": {"project": "office/site", "merge_request": 1}},
    {"who": "Mara Lind", "comment": {"project": "office/site", "issue": 1, "text": "hi"}},
    {"who": "Mara Lind", "assign": {"card": "OPS-1", "assignees": ["Sam Reed"]}},
    {"who": "Mara Lind", "move": {"card": "OPS-1", "to": "Done"}},
    {"who": "Mara Lind", "upload": {"path": "/a.txt", "content": "x"}},
    {"who": "Mara Lind", "rename": {"path": "/Plans", "to": "/Plan"}},
    {"who": "Mara Lind", "share": {"path": "/Plans", "with": "Sam Reed", "may": "edit"}},
    {"who": "Mara Lind", "channel": {"name": "party", "members": ["Sam Reed"], "private": True}},
    {"who": "Mara Lind", "invite": {"in": "#launch", "with": "Sam Reed"}},
]
JUNK: list[Any] = [None, 3, -1.5, True, "", "x", "#", "@", "/", "..", [], [[]], ["x"], {}, {"x": []}, "1:1:1", "(("]


def test_no_value_in_any_place_of_a_line_is_a_crash(tmp_path: Path) -> None:
    """One world with a line for each place of each kind of line and each value that does not belong there."""
    lines: list[dict[str, Any]] = []
    for line in LINES:
        whole: dict[str, Any] = {"id": "a", "at": "day 1 10:00", **line}
        (act,) = line.keys() - {"who"}
        for junk in JUNK:
            lines += [{**whole, "id": len(lines), key: junk} for key in (*whole.keys() - {"id"}, "after", "delay")]
            facts = whole[act]
            if isinstance(facts, dict):
                lines += [{**whole, act: {**facts, key: junk}} for key in facts]
    for number, line in enumerate(lines):
        line["id"] = f"line {number}"
    world = office(tmp_path, yaml.safe_dump(lines))
    problems = check_world(world)
    assert all(one.line and one.message and one.fix for one in problems)
    assert len(problems) > len(lines) / 2


THERE = """
- {at: day 1 09:20, who: Mara Lind, channel: {name: party, private: true}}
- {at: day 1 09:21, who: Mara Lind, invite: {in: "#party", with: Omar Diaz}}
- {at: day 1 09:22, who: Omar Diaz, post: {in: "#party", text: Hello.}}
- {at: day 1 13:00, who: Mara Lind, rename: {path: /Plans/launch.txt, to: /Plans/friday.txt}}
- {at: day 1 13:01, who: Mara Lind, upload: {path: /Plans/friday.txt, content: noon}}
- {at: day 1 13:02, who: Mara Lind, share: {path: /Plans, with: Sam Reed}}
- {at: day 1 13:03, who: Mara Lind, unshare: {path: /Plans, with: Sam Reed}}
- {at: day 1 13:04, who: Mara Lind, share: {path: /Plans, with: Sam Reed, may: edit}}
- {at: day 1 13:05, who: Mara Lind, assign: {card: OPS-1, assignees: [Sam Reed, Omar Diaz]}}
- {at: day 1 09:30, who: Mara Lind, edit: {in: "#launch", was: on Thursday, text: Soon.}}
- {at: day 1 09:31, who: Mara Lind, edit: {in: "#launch", was: Soon, text: On Friday.}}
- {after: {message: {by: Mara Lind}}, who: Mara Lind, edit: {in: "#launch", was: hello, text: bye}}
- {id: push, after: branch, who: Omar Diaz, push: {project: office/site, branch: b, message: m, files: {a: a}}}
- {id: branch, at: day 1 10:00, who: Omar Diaz, status: busy}
- {after: push, who: Omar Diaz, open: {project: office/site, merge_request: B, source: b}}
- {at: day 1 11:00, who: Mara Lind, merge: {project: office/site, merge_request: 1}}
- after: {merge_request: {project: office/site, title: header}}
  who: Mara Lind
  merge: {project: office/site, merge_request: A smaller header}
- {after: {message: {saying: done}}, who: Omar Diaz, close: {project: office/site, merge_request: A smaller header}}
- {at: day 1 12:00, who: Mara Lind, share: {path: /Plans, with: Omar Diaz, may: edit}}
- {at: day 1 12:01, who: Omar Diaz, upload: {path: /Plans/b.txt, content: b}}
- {at: day 1 12:02, who: Omar Diaz, share: {path: /Plans/launch.txt, with: Sam Reed}}
- {at: day 1 12:03, who: Mara Lind, unshare: {path: /Plans, with: Omar Diaz}}
- {after: {file: {path: /report.txt}}, who: Mara Lind, share: {path: /report.txt, with: Omar Diaz}}
"""


def test_what_the_world_an_earlier_line_or_an_event_brings_may_be_referred_to(tmp_path: Path) -> None:
    assert check_world(office(tmp_path, THERE)) == []


def test_a_tasks_own_timeline_is_told_what_is_not_there(tmp_path: Path) -> None:
    world, overlay = office(tmp_path / "office"), tmp_path / "overlay"
    overlay.mkdir()
    (overlay / "timeline.yml").write_text(
        '# Mara changes her mind\n- {at: day 1 10:00, who: Mara Lind, edit: {in: "#launch", was: Sunday, text: bye}}\n'
    )
    (problem,) = check_world(world, overlay)
    assert (problem.file, problem.line) == ("timeline.yml", 2)
    assert problem.message == "mara.lind has no message with 'Sunday' in #launch by then."
