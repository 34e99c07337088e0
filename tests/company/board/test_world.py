"""The board's part of a world: what is wrong is told with its line, what is right compiles to the same bytes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dayjob.company.world import Problem, Snapshot, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.board.conftest import Wire, as_person
from tests.company.serving import WORLDS, Served, serve


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A small company with two people and one project file to spoil."""
    folder = tmp_path / "small"
    (folder / "people").mkdir(parents=True)
    (folder / "board/projects").mkdir(parents=True)
    (folder / "world.toml").write_text('format = 1\nname = "Small"\nslug = "small"\nhost = "small.test"\n')
    for name in ("ada", "ben"):
        (folder / f"people/{name}.yml").write_text(f"name: {name.title()} Low\nusername: {name}\n")
    return folder


def problems(world: Path, text: str) -> list[Problem]:
    (world / "board/projects/garden.yml").write_text(text)
    return [one for one in check_world(world) if one.file.startswith("board/")]


HEAD = "name: Garden\nidentifier: GARD\n"
ONE = "0e1f7a52-7d6b-4c0e-9a7a-3f7f0d5b1a01"


@pytest.mark.parametrize(
    ("text", "rule", "line", "words"),
    [
        ("identifier: GARD\n", "board", 1, "no name"),
        ("name: Garden\nidentifier: gard en\n", "board", 2, "not an identifier"),
        (HEAD + "colour: red\n", "board", 3, "'colour' means nothing"),
        (HEAD + "lead: zoe\n", "unknown-person", 3, "Nobody here is called 'zoe'"),
        (HEAD + "members: {ada: boss}\n", "board", 3, "'boss' is not a role"),
        (HEAD + "states:\n  - {name: Odd, group: odd}\n", "board", 4, "not a group of states"),
        (HEAD + "labels: [weeds, weeds]\n", "duplicate", 3, "The label 'weeds' is already"),
        (HEAD + "items:\n  - {name: A}\n  - {name: A}\n", "duplicate", 5, "The item 'A' is already on line 4"),
        (HEAD + "items:\n  - name: A\n    state: Nowhere\n", "dangling", 5, "no state 'Nowhere'"),
        (HEAD + "items:\n  - name: A\n    labels: [weeds]\n", "dangling", 5, "no label 'weeds'"),
        (HEAD + "items:\n  - name: A\n    cycle: One\n", "dangling", 5, "no cycle 'One'"),
        (HEAD + "items:\n  - name: A\n    module: Beds\n", "dangling", 5, "no module 'Beds'"),
        (HEAD + "items:\n  - name: A\n    parent: B\n", "dangling", 5, "no item 'B'"),
        (HEAD + "items:\n  - name: A\n    assignees: zoe\n", "unknown-person", 5, "zoe"),
        (HEAD + "members: [ada]\nitems:\n  - name: A\n    assignees: ben\n", "board", 6, "cannot be given work"),
        (HEAD + "items:\n  - name: A\n    priority: asap\n", "board", 5, "'asap' is not a priority"),
        (HEAD + "items:\n  - {name: A, start: 2026-03-02,\n     due: 2026-03-01}\n", "board", 5, "'due' is before"),
        (HEAD + "items:\n  - name: A\n    due: soon\n", "board", 5, "'soon' is not a date"),
        (
            HEAD + "cycles:\n  - {name: One, start: 2026-03-02, end: 2026-03-08}\n"
            "  - {name: Two, start: 2026-03-08, end: 2026-03-12}\n",
            "overlap",
            5,
            "'Two' overlaps 'One' (line 4)",
        ),
        (HEAD + "cycles:\n  - {name: One, start: 2026-03-02}\n", "board", 4, "needs both"),
        (HEAD + "items:\n  - name: A\n    comments:\n      - {by: zoe, text: Hi}\n", "unknown-person", 6, "zoe"),
        (HEAD + "items: roses\n", "board", 3, "must be a list"),
        (HEAD + "id: garden\n", "board", 3, "'garden' is not an id"),
        (HEAD + f"id: {ONE.upper()}\n", "board", 3, "is not an id"),
        (HEAD + "id: [7]\n", "board", 3, "is not an id"),
        (HEAD + "states:\n  - name: A\n    group: started\n    id: A\n", "board", 6, "'A' is not an id"),
        (HEAD + "labels:\n  - name: A\n    id: 7\n", "board", 5, "'7' is not an id"),
        (HEAD + "cycles:\n  - name: A\n    id: A\n", "board", 5, "'A' is not an id"),
        (HEAD + "modules:\n  - name: A\n    id: A\n", "board", 5, "'A' is not an id"),
        (HEAD + "items:\n  - name: A\n    id: A\n", "board", 5, "'A' is not an id"),
        (
            HEAD + f"id: {ONE}\nlabels:\n  - {{name: A, id: {ONE}}}\n",
            "duplicate",
            5,
            f"'{ONE}' is already in board/projects/garden.yml, line 3",
        ),
        (HEAD + "items:\n  - name: A\n    number: two\n", "board", 5, "'two' is no number"),
        (HEAD + "items:\n  - name: A\n    number: true\n", "board", 5, "'True' is no number"),
        (HEAD + "items:\n  - name: A\n    number: 0\n", "board", 5, "'0' is no number"),
        (HEAD + "items:\n  - name: A\n    number: 1000000000\n", "board", 5, "is no number"),
        (HEAD + "items:\n  - {name: A, number: 4}\n  - {name: B, number: 3}\n", "board", 5, "'3' is no number"),
        (
            HEAD + "items:\n  - {name: A, number: 4}\n  - {name: B, number: 4}\n",
            "duplicate",
            5,
            "already that of the item on line 4",
        ),
        (HEAD + "items:\n  - {name: A, number: 4}\n  - {name: A}\n", "duplicate", 5, "'A' is already on line 4"),
        (
            HEAD + "items:\n  - {name: A, number: 4}\n  - {name: A, number: 5}\n  - {name: B, parent: A}\n",
            "dangling",
            6,
            "2 items of this project are called 'A'",
        ),
        (HEAD + "items:\n  - {name: A, parent: GARD-2}\n", "dangling", 4, "There is no item 'GARD-2'"),
        ("- a list\n", "board", 1, "A project is a mapping"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(world: Path, text: str, rule: str, line: int, words: str) -> None:
    found = problems(world, text)
    assert [(one.rule, one.line) for one in found] == [(rule, line)], [str(one) for one in found]
    assert words in found[0].message


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("{id: ada}", "'ada' is not an id"),
        (f"{{id: {ONE}}}", f"The id '{ONE}' is already in board/projects/garden.yml"),
        ("{display_name: [ada]}", "is not a display name"),
        ("{number: 3}", "'number' means nothing"),
    ],
)
def test_what_is_wrong_with_a_person_on_the_board_is_told(world: Path, own: str, words: str) -> None:
    (world / "people/ben.yml").write_text(f"name: Ben Low\nusername: ben\nboard:\n  {own}\n")
    (world / "board/projects/garden.yml").write_text(HEAD + f"id: {ONE}\n")
    found = check_world(world)
    assert len(found) == 1
    assert words.partition(" is already")[0] in found[0].message


WRITTEN = {
    name: f"0e1f7a52-7d6b-4c0e-9a7a-3f7f0d5b1a{number:02}"
    for number, name in enumerate(
        ("project", "Ada", "Doing", "weeds", "Week 1", "Beds", "Dig", "Sow"),
        2,
    )
}
OWN = f"""\
name: Garden
identifier: GARD
id: {WRITTEN["project"]}
states:
  - {{name: Waiting, group: unstarted}}
  - {{name: Doing, group: started, id: {WRITTEN["Doing"]}}}
labels:
  - {{name: weeds, id: {WRITTEN["weeds"]}}}
  - stones
cycles:
  - {{name: Week 1, start: 2026-01-05, end: 2026-01-09, id: {WRITTEN["Week 1"]}}}
  - Some day
modules:
  - {{name: Beds, id: {WRITTEN["Beds"]}}}
items:
  - Look around
  - {{name: Dig, id: {WRITTEN["Dig"]}, number: 7, state: Doing, labels: [weeds], cycle: Week 1, module: Beds}}
  - {{name: Rest}}
  - {{name: Sow, id: {WRITTEN["Sow"]}, number: 12, parent: GARD-7, assignees: ada}}
  - {{name: Sow, number: 13, blocked_by: [GARD-12]}}
"""


def _garden(world: Path, text: str) -> tuple[str, dict[str, str], list[tuple[str, int, str]], dict[str, str]]:
    """What a client sees: the project's id, people's display names, items with number and id, and the rest's ids."""
    assert problems(world, text) == []
    with serve(world) as served:
        admin = Wire(served, "small", "plane_api_small")
        project = admin.get("/projects/")["results"][0]["id"]
        at = f"/projects/{project}"
        people = {one["id"]: one["display_name"] for one in admin.get("/members/")}
        items = admin.get(f"{at}/issues/", order_by="sequence_id")["results"]
        ids = {
            one["name"]: one["id"]
            for part in ("states", "labels", "cycles", "modules")
            for one in admin.get(f"{at}/{part}/")["results"]
        }
        if "number: 12" in text:
            dig, sow = admin.get("/issues/GARD-7/"), admin.get("/issues/GARD-12/")
            assert (sow["parent"], dig["state"]) == (dig["id"], ids["Doing"])
            made = admin.make(f"{at}/issues/", name="Later")
            assert made["sequence_id"] == 14, "numbers go on from the last one written"
        return project, people, [(one["name"], one["sequence_id"], one["id"]) for one in items], ids


def test_ids_and_numbers_of_the_boards_things_are_those_a_world_writes(world: Path) -> None:
    with (world / "world.toml").open("a") as file:
        file.write('[accounts.board]\napi_key = "plane_api_small"\n')
    (world / "people/ada.yml").write_text(
        f"name: Ada Low\nusername: ada\nboard: {{id: {WRITTEN['Ada']}, display_name: Ada the digger}}\n"
    )
    project, people, items, ids = _garden(world, OWN)
    assert project == WRITTEN["project"]
    assert people[WRITTEN["Ada"]] == "Ada the digger"
    assert [(name, number) for name, number, _ in items] == [
        ("Look around", 1), ("Dig", 7), ("Rest", 8), ("Sow", 12), ("Sow", 13),
    ]  # fmt: skip
    assert {number: id for _, number, id in items if number in (7, 12)} == {7: WRITTEN["Dig"], 12: WRITTEN["Sow"]}
    assert {name: ids[name] for name in ("Doing", "weeds", "Week 1", "Beds")} == {
        name: WRITTEN[name] for name in ("Doing", "weeds", "Week 1", "Beds")
    }


def test_an_id_that_is_written_changes_no_other(world: Path) -> None:
    with (world / "world.toml").open("a") as file:
        file.write('[accounts.board]\napi_key = "plane_api_small"\n')
    _, people, items, ids = _garden(world, OWN)
    bare = re.sub(r"(?m), id: [0-9a-f-]{36}|^id: .*\n", "", OWN)
    _, bare_people, bare_items, bare_ids = _garden(world, bare)
    assert people == bare_people
    own = set(WRITTEN.values())
    assert [one for one, other in zip(items, bare_items, strict=True) if one != other and one[2] not in own] == []
    assert {name for name, id in ids.items() if id != bare_ids[name]} == {"Doing", "weeds", "Week 1", "Beds"}


def test_two_projects_share_neither_name_nor_identifier(world: Path) -> None:
    (world / "board/projects/first.yml").write_text(HEAD)
    found = problems(world, HEAD.replace("Garden", "Other"))
    assert [(one.rule, one.line) for one in found] == [("duplicate", 2)]


def test_a_rate_limit_that_is_none_is_a_problem(world: Path) -> None:
    with (world / "world.toml").open("a") as file:
        file.write('[board]\nrate_limit = "often"\n')
    assert ["is not a rate" in one.message for one in check_world(world)] == [True]


def test_the_worlds_that_come_with_dayjob_are_right() -> None:
    for name in ("blank", "larkspur"):
        assert [str(one) for one in check_world(WORLDS / name) if "board" in one.file] == []


def test_one_world_compiles_to_the_same_bytes(tmp_path: Path, snapshots: dict[str, Snapshot]) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(WORLDS / "larkspur", copy)
    again = build_snapshot(copy, cache=tmp_path / "cache")
    assert (again.path / "board.db").read_bytes() == (snapshots["larkspur"].path / "board.db").read_bytes()


def test_blank_holds_what_the_design_says(wire: Wire) -> None:
    assert wire.get("/projects/")["results"] == []
    assert [(one["email"], one["role"]) for one in wire.get("/members/")] == [("root@blank.test", 20)]
    assert wire.get("/")["slug"] == "blank"


def test_a_person_may_bring_an_api_key_and_a_role(world: Path, tmp_path: Path) -> None:
    (world / "people/ada.yml").write_text(
        "name: Ada Low\nusername: ada\nboard: {api_key: plane_api_ada, role: guest}\n"
    )
    assert problems(world, HEAD) == []
    with serve(world) as served:
        ada = Wire(served, "small", "plane_api_ada")
        assert [one["identifier"] for one in ada.get("/projects/")["results"]] == ["GARD"]
        assert ada("POST", "/projects/", {"name": "No", "identifier": "NO"}).status_code == 403


def test_larkspur_plans_its_launch(larkspur: Served) -> None:
    admin = Wire(larkspur, "larkspur", "plane_api_larkspur")
    found = {one["identifier"]: one["id"] for one in admin.get("/projects/")["results"]}
    assert set(found) == {"TREL", "WEB", "PLAT", "CARE", "OFF", "PEO"}
    for identifier, project in found.items():
        items = admin.get(f"/projects/{project}/issues/", per_page=100, order_by="sequence_id")["results"]
        assert [one["sequence_id"] for one in items] == list(range(1, len(items) + 1))
        assert len(items) >= (40 if identifier == "TREL" else 10), identifier
        assert items == sorted(items, key=lambda one: str(one["created_at"])), f"{identifier} is numbered as it grew"


def test_sprint_6_ended_with_five_items_unfinished(larkspur: Served) -> None:
    priya = as_person(larkspur, "priya.nair")
    project = next(one["id"] for one in priya.get("/projects/")["results"] if one["identifier"] == "TREL")
    groups = {one["id"]: one["group"] for one in priya.get(f"/projects/{project}/states/")["results"]}
    sprint = next(one for one in priya.get(f"/projects/{project}/cycles/")["results"] if one["name"] == "Sprint 6")
    items = priya.get(f"/projects/{project}/cycles/{sprint['id']}/cycle-issues/", per_page=100)["results"]
    assert sorted(one["name"] for one in items if groups[one["state"]] not in ("completed", "cancelled")) == [
        "Help page says that a swap cannot be undone",
        "Import report lists Latin names that occur twice",
        "Tablets with battery saving show an old plan",
        "Test swaps on three kinds of phone",
        "Week view scrolls smoothly with 60 people",
    ]


def test_what_people_matters_are_about_stays_with_people(larkspur: Served) -> None:
    sam = as_person(larkspur, "sam.reed")
    assert "PEO" not in {one["identifier"] for one in sam.get("/projects/")["results"]}
