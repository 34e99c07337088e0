"""What task texts, graders and documentation of a checkout are read as, in the ways published ones are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dayjob.company.world import build_snapshot
from dayjob.company.world.snapshot import check_world
from dayjob.importing import Gap, import_tac
from tests.importing.checkouts import write

HOST = "http://the-agent-company.com"
ID = "0c1d2e3f-1111-2222-3333-444455556666"


def world_of(tmp_path: Path, text: str = "Go.", **files: str) -> tuple[Path, list[Gap]]:
    """The world of a checkout with one task, and what it lacks; a file's `/` is `__`, its `.py` is `_py`."""
    task = {"workspaces/tasks/one/task.md": text}
    named = {name.replace("__", "/").replace("_py", ".py").replace("_md", ".md"): one for name, one in files.items()}
    checkout = write(
        tmp_path / "checkout",
        {**task, **{path if "/" in path else f"workspaces/tasks/one/{path}": one for path, one in named.items()}},
    )
    made = import_tac(checkout, tmp_path / "tac")
    assert check_world(tmp_path / "tac") == []
    return tmp_path / "tac", made.gaps


def read(world: Path, file: str) -> Any:
    return yaml.safe_load((world / file).read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "folders", "documents"),
    [
        (f"Open {HOST}:8092/index.php/apps/files/?dir=/Documents/Sail%20Loft/Old, then go.", ["Sail Loft/Old"], []),
        ("The path is /Documents/Sail%20Loft/Old", ["Sail Loft/Old"], []),
        ('Read knots.txt in the "Documents/Sail Loft" folder of owncloud.', ["Sail Loft"], ["Sail Loft/knots.txt"]),
        ("On OwnCloud, compare knots.txt in 'Documents/A' with 'Documents/B'.", ["A", "B"], []),
    ],
)
def test_a_path_is_read_as_people_see_it(tmp_path: Path, words: str, folders: list[str], documents: list[str]) -> None:
    world, gaps = world_of(tmp_path, words)
    kept = {path.parent for path in world.glob("drive/files/**/.gitkeep")}
    leaves = {path for path in kept if not any(other != path and path in other.parents for other in kept)}
    assert sorted(path.relative_to(world / "drive/files/Documents").as_posix() for path in leaves) == folders
    named = {gap.thing for gap in gaps if gap.kind == "drive" and "/" in gap.thing}
    assert named == {f"Documents/{one}" for one in documents}


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (f"Create a repo called Wind Vane. Set it to public. The URL shall be {HOST}:8929/root/wind-vane.", False),
        (f"Clone {HOST}:8929/root/wind-vane. Create a new project called Compass.", True),
    ],
)
def test_what_one_sentence_has_made_is_not_there_because_another_names_it(
    tmp_path: Path, text: str, there: bool
) -> None:
    world, gaps = world_of(tmp_path, text)
    assert (world / "forge/projects/root/wind-vane").exists() == there
    assert any(gap.thing == "root/wind-vane" and "left out" in gap.why for gap in gaps) != there


def test_a_channel_that_is_made_is_left_out_wherever_else_it_is_named(tmp_path: Path) -> None:
    text = "Create a public channel named regatta-crew on RocketChat. Say hello in #regatta-crew and in #harbour."
    world, _ = world_of(tmp_path, text)
    assert {path.stem for path in (world / "chat/channels").iterdir()} == {"general", "harbour"}


def test_a_grader_s_project_is_there_unless_the_task_has_one_made(tmp_path: Path) -> None:
    grader = (
        "from common import *\nfrom config import GITLAB_USER\nPATH = f'{GITLAB_USER}/tide-table'\n"
        "def grade():\n    id = get_gitlab_project_id('compass')\n    return make_gitlab_request(PATH, 'issues')\n"
    )
    settings = "GITLAB_USER = 'root'\n"
    world, _ = world_of(
        tmp_path / "a", "Look at the tides.", evaluator_py=grader, workspaces__base_image__config_py=settings
    )
    assert {path.name for path in (world / "forge/projects/root").iterdir()} == {"compass", "tide-table"}
    world, _ = world_of(
        tmp_path / "b", "Create a new repository for tides.", evaluator_py=grader,
        workspaces__base_image__config_py=settings,
    )  # fmt: skip
    assert not (world / "forge").exists()


def test_an_issue_that_a_text_names_by_number_stands_in_for_itself(tmp_path: Path) -> None:
    text = f"Answer {HOST}:8929/root/vane/-/issues/759, and find issue #12 of the same project. Colour it #34."
    grader = f"URL = '{HOST}:8929/root/vane/-/issues/760'\n"
    world, gaps = world_of(tmp_path, text, evaluator_py=grader)
    issues = read(world, "forge/projects/root/vane/issues.yml")
    assert [(one["number"], one["title"]) for one in issues] == [
        (12, "Issue 12"),
        (759, "Issue 759"),
        (760, "Issue 760"),
    ]
    build_snapshot(world, cache=tmp_path / "cache")
    listed = {gap.thing: gap for gap in gaps if gap.kind == "forge"}
    assert set(listed) == {"root/vane issues/12", "root/vane issues/759", "root/vane issues/760"}
    assert all("stands in" in gap.why and gap.tasks == ("one",) for gap in listed.values())

    (world / "forge/projects/root/vane/issues.yml").write_text("- {number: 759, title: It squeaks}\n")
    made = import_tac(tmp_path / "checkout", world)
    assert [gap.thing for gap in made.gaps if gap.kind == "forge"] == []
    assert read(world, "forge/projects/root/vane/issues.yml") == [{"number": 759, "title": "It squeaks"}]


def test_a_board_is_found_by_a_name_inside_a_function_and_its_id_without_a_host(tmp_path: Path) -> None:
    grader = (
        "from common import *\n"
        f"def seen(trajectory):\n    return '/tac/projects/{ID}/issues/' in trajectory\n"
        "def grade():\n    project_name = 'Tall Ships'\n    return get_plane_project_id(project_name)\n"
        "def other():\n    name = 'a'\n    name = 'b'\n    return get_plane_project_id(name)\n"
    )
    world, _ = world_of(tmp_path, evaluator_py=grader)
    assert read(world, "board/projects/talls.yml") == {"name": "Tall Ships", "identifier": "TALLS", "id": ID}
    assert len(list((world / "board/projects").iterdir())) == 1


def test_cycles_that_programs_ask_for_are_there_and_follow_each_other(tmp_path: Path) -> None:
    init = (
        "from common import *\nBOARD = get_plane_project_id('Tall Ships')\n"
        "first = get_plane_cycle_details(BOARD, 'Leg 1')\nnext = get_plane_cycle_details(BOARD, 'Leg 2')\n"
        "item = get_plane_issue_details(BOARD, 'Mend the jib')\n"
    )
    world, gaps = world_of(tmp_path / "a", "Move it to the next leg.", populate_data_py=init)
    cycles = read(world, "board/projects/talls.yml")["cycles"]
    assert [(one["name"], str(one["start"]), str(one["end"])) for one in cycles] == [
        ("Leg 1", "2024-10-28", "2024-11-10"),
        ("Leg 2", "2024-11-11", "2024-11-24"),
    ]
    build_snapshot(world, cache=tmp_path / "cache")
    assert {gap.thing for gap in gaps if gap.kind == "board" and gap.thing != "API key"} == {
        "project 'Tall Ships'",
        "cycle 'Leg 1' of 'Tall Ships'",
        "cycle 'Leg 2' of 'Tall Ships'",
        "item 'Mend the jib' of 'Tall Ships'",
    }
    (world / "board/projects/talls.yml").write_text(
        "name: Tall Ships\nidentifier: TALLS\nitems: [{name: Mend the jib}]\n"
    )
    made = import_tac(tmp_path / "a/checkout", world)
    assert [gap.thing for gap in made.gaps if gap.kind == "board" and gap.thing != "API key"] == []
    world, _ = world_of(tmp_path / "b", "Create a new sprint in Plane.", populate_data_py=init)
    assert "cycles" not in read(world, "board/projects/talls.yml")


def test_cycles_follow_each_other_by_their_numbers(tmp_path: Path) -> None:
    text = "In Plane, in the Tall Ships project, move what sprint 9 left undone to sprint 10."
    world, _ = world_of(tmp_path, text)
    assert [one["name"] for one in read(world, "board/projects/talls.yml")["cycles"]] == ["Sprint 9", "Sprint 10"]


def test_channels_that_the_checkout_documents_are_there(tmp_path: Path) -> None:
    page = (
        "# People\n\n| Name | Users | Since |\n|:-----|-------|---|\n| foghorn | 3 | May |\n| two words | 1 | May |\n"
        "\n| Name | Title |\n|---|---|\n| Orla Quint | Captain |\n"
    )
    world, gaps = world_of(tmp_path, servers__rocketchat__npc__NPC_md=page)
    assert {path.stem for path in (world / "chat/channels").iterdir()} == {"general", "foghorn"}
    assert {gap.thing for gap in gaps if gap.kind == "channels"} == {"foghorn", "two words"}


def test_the_examinee_s_own_definition_is_no_colleague(tmp_path: Path) -> None:
    people = '[{"first_name": "theagentcompany", "last_name": "AI"}, {"first_name": "Orla", "last_name": "Quint"}]'
    world, gaps = world_of(tmp_path, **{"servers/rocketchat/npc/npc_definition.json": people})
    assert {path.stem for path in (world / "people").iterdir()} == {"orla_quint"}
    assert {gap.thing for gap in gaps if gap.kind == "people"} == {"Orla Quint"}
