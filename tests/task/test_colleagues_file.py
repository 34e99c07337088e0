"""colleagues.yml: what it means, and each mistake in one sentence with the file, the colleague and the place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dayjob.task.colleague_sheet import ColleagueSheet
from dayjob.task.findings import TaskError
from dayjob.task.model import load_scenarios
from dayjob.task.scenario import read_scenarios
from dayjob.task.schema import SCHEMAS

LENA = """
Lena Fischer:
  matter: [request]
  facts:
    plain: {says: Merge it as it is., asked: [squash], tell: "after:agreed", why: I need its number.}
    short: I am here until six.
  steps:
    agreed:
      needs: {test: {shown: [test fails], ask: [Where is the test?, again]}}
      tells: [plain]
      does: [approve]
  busy:
    - {days: 2026-03-12, fact: short}
    - {days: [tue, Wednesday], from: 14:00, to: "16:30"}
  may:
    approve: {act: {approve: {project: larkspur/trellis, merge_request: 12}}, when: "after:agreed"}
"""


def load(folder: Path, text: str) -> dict[str, dict[str, Any]]:
    (folder / "colleagues.yml").write_text(text.replace("Where is the test?", "Where is it"), "utf-8")
    return load_scenarios(folder)


def sheet(folder: Path, text: str) -> ColleagueSheet:
    found = read_scenarios(load(folder, text))["Lena Fischer"].sheet
    assert found is not None
    return found


def test_a_sheet_is_read(tmp_path: Path) -> None:
    found = sheet(tmp_path, LENA)
    assert found.facts["short"].says == ("I am here until six.",)
    assert (found.facts["plain"].tell, found.facts["plain"].why) == ("after:agreed", "I need its number.")
    assert [(one.days, one.start, one.end) for one in found.busy] == [
        (("2026-03-12",), 0, 24 * 60),
        (("tue", "wed"), 14 * 60, 16 * 60 + 30),
    ]
    assert (found.steps[0].needs[0].ask, found.steps[0].does) == (("Where is it", "again"), ("approve",))
    assert (found.may[0].act, found.may[0].facts["merge_request"]) == ("approve", 12)


MISTAKES = {
    "an unknown key": ("  matter: [request]", "  topic: [request]", "topic"),
    "an unknown key of a fact": ("asked: [squash]", "cues: [squash]", "cues"),
    "an unknown step": ('tell: "after:agreed", why', 'tell: "after:agred", why', "there is no step 'agred'"),
    "an unknown fact to tell": ("tells: [plain]", "tells: [plane]", "there is no fact 'plane'"),
    "an unknown deed to do": ("does: [approve]", "does: [aprove]", "there is no deed 'aprove'"),
    "an unknown fact for a reason": ("fact: short", "fact: long", "there is no fact 'long'"),
    "a deed after an unknown step": ('12}}, when: "after:agreed"', '12}}, when: "after:x"', "there is no step 'x'"),
    "a fact that follows from none": ("asked: [squash]", "follows: [none]", "there is no fact 'none'"),
    "a step after an unknown one": ("      tells: [plain]", "      after: [seen]", "there is no step 'seen'"),
    "a bad pattern": ("asked: [squash]", "asked: [/(squash/]", "'/(squash/' is not a pattern"),
    "a cue without words": ("asked: [squash]", "asked: ['?!']", "'?!' has no words"),
    "bad hours": ("from: 14:00", "from: 25:00", "its hours are none"),
    "hours that end before they begin": ('to: "16:30"', 'to: "13:00"', "its hours are none"),
    "hours in words": ('to: "16:30"', 'to: "four"', "its hours are none"),
    "a day that is none": ("[tue, Wednesday]", "[someday]", "is no day"),
    "a step nothing leads to": (
        "needs: {test: {shown: [test fails], ask: [Where is the test?, again]}}", "says: Agreed.",
        "nothing leads to this step",
    ),
    "a need without words to ask for it": (", ask: [Where is the test?, again]", "", "ask"),
    "an unknown act": ("{approve: {project", "{applaud: {project", "act"),
    "two acts": ("merge_request: 12}}", "merge_request: 12}, merge: {project: a/b}}", "act"),
    "a wrong moment": ('tell: "after:agreed", why', 'tell: later, why', "tell"),
    "a wrong place": ("asked: [squash]", "place: nowhere", "place"),
    "an unknown reaction": ("  matter: [request]", "  reacts: {cheers: [Hm.]}", "cheers"),
    "a fact that must not be revealed": (
        "  matter: [request]", "  must_not_reveal: [until six]",
        "facts.short: it gives away what must_not_reveal forbids",
    ),
    "a word for true": ("asked: [squash]", "first: yes", "first"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_sentence_with_its_place(tmp_path: Path, mistake: str) -> None:
    old, new, why = MISTAKES[mistake]
    assert old in LENA
    with pytest.raises(TaskError) as caught:
        load(tmp_path, LENA.replace(old, new))
    found = caught.value.finding
    assert found.file == "colleagues.yml"
    assert found.line > 0
    assert "'Lena Fischer'" in found.message
    assert why in found.message
    assert "\n" not in found.message


def test_a_mistake_is_told_on_its_line(tmp_path: Path) -> None:
    with pytest.raises(TaskError) as caught:
        load(tmp_path, LENA.replace('tell: "after:agreed", why', 'tell: "after:agred", why'))
    lines = LENA.splitlines()
    assert "plain" in lines[caught.value.finding.line - 1] or "tell" in lines[caught.value.finding.line - 1]


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "Lena Fischer\n", "Lena Fischer:\n", "a: [}\n", "a: {}\na: {}\n"])
def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaskError) as caught:
        load(tmp_path, text)
    assert caught.value.finding.file == "colleagues.yml"


def test_a_colleague_is_in_one_file_only(tmp_path: Path) -> None:
    (tmp_path / "scenarios.json").write_text(json.dumps({"Lena Fischer": {"extra_info": "Hm."}}), "utf-8")
    with pytest.raises(TaskError, match=re.escape("'Lena Fischer' is in colleagues.yml too")):
        load(tmp_path, LENA)
    (tmp_path / "scenarios.json").write_text(json.dumps({"Mara Lind": {"extra_info": "Hm."}}), "utf-8")
    assert set(load(tmp_path, LENA)) == {"Lena Fischer", "Mara Lind"}


def keys_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for each in schema.values():
            yield from keys_of(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from keys_of(each)


def test_words_that_yaml_takes_for_yes_and_no_are_words_here(tmp_path: Path) -> None:
    keys = set(keys_of(json.loads(SCHEMAS["colleagues.yml"].read_text("utf-8"))))
    assert keys & {"yes", "no", "on", "off", "y", "n"} == {"on"}  # of a script's rule
    text = "Lena Fischer:\n  facts: {no: No., on: It is on., yes: [ ]}\n".replace(", yes: [ ]", "")
    text += "  script: [{on: {topic: on}, reply: yes}]\n  initiates: [{at: 1, say: off}]\n"
    found = load(tmp_path, text)["Lena Fischer"]
    assert set(found["facts"]) == {"no", "on"}
    assert found["script"] == [{"on": {"topic": "on"}, "reply": "yes"}]
    assert found["initiates"] == [{"at": 1, "say": "off"}]


def test_dates_and_hours_need_no_quotes(tmp_path: Path) -> None:
    text = "Lena Fischer:\n  facts: {a: I am out.}\n  busy: [{days: [2026-03-12], from: 9:00, to: 17:30, fact: a}]\n"
    assert [(one.days, one.start, one.end) for one in sheet(tmp_path, text).busy] == [(("2026-03-12",), 540, 1050)]
