"""`dayjob world import-tac`: a checkout becomes a world, and what it lacks is listed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from dayjob.cli import dayjob
from dayjob.company.world import build_snapshot
from dayjob.company.world.snapshot import check_world
from dayjob.importing import CannotImport, Gap, import_tac
from dayjob.trial.accounts import examinee
from tests.importing.checkouts import BOARD_ID, CHECKOUT, CREDENTIALS, PEOPLE, checkout, write

DEFINITIONS = "servers/rocketchat/npc/npc_definition.json"
ACCOUNTS = "workspaces/base_image/npc/npc_credential.json"


def command(*arguments: object) -> Result:
    return CliRunner().invoke(dayjob, ["world", "import-tac", *map(str, arguments)], catch_exceptions=False)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read(folder: Path, name: str) -> dict[str, object]:
    found = yaml.safe_load((folder / name).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def gaps_of(gaps: list[Gap], kind: str) -> dict[str, tuple[str, ...]]:
    return {gap.thing: gap.tasks for gap in gaps if gap.kind == kind}


def test_a_checkout_becomes_a_world_that_checks_and_builds(tmp_path: Path) -> None:
    answer = command(checkout(tmp_path), tmp_path / "tac")
    assert answer.exit_code == 0
    assert "4 tasks, 5 colleagues" in answer.output
    assert check_world(tmp_path / "tac") == []
    snapshot = build_snapshot(tmp_path / "tac", cache=tmp_path / "cache")
    assert snapshot.info.host == "the-agent-company.com"
    assert all(account["public"] is True for account in snapshot.info.accounts.values())
    assert snapshot.info.accounts["board"]["api_key"] == "plane_api_of_the_kite_makers"
    assert snapshot.info.accounts["forge"]["token"] == "root-token"


def test_colleagues_come_with_their_accounts_titles_and_channels(tmp_path: Path) -> None:
    made = import_tac(checkout(tmp_path), tmp_path / "tac")
    assert read(tmp_path / "tac", "people/orla_quint.yml") == {
        "name": "Orla Quint",
        "username": "orla_quint",
        "password": "theagentcompany",
        "title": "Head of Kites",
        "persona": "(51, She/Her) Decides which kites are built",
        "channels": ["project-lines", "general", "wind-talk"],
    }
    # No account in the checkout, a letter that no account has, and every project's channel.
    assert read(tmp_path / "tac", "people/zoe_van_dyck.yml")["channels"] == ["project-lines"]
    assert gaps_of(made.gaps, "people") == {
        "Zoë van Dyck": (),
        "Ivo Marsh": (),
        "Nell Brook": ("start-channel",),
    }


def test_what_tasks_take_for_granted_is_there_and_what_they_have_made_is_not(tmp_path: Path) -> None:
    made = import_tac(checkout(tmp_path), tmp_path / "tac")
    names = set(files_in(tmp_path / "tac"))
    assert {
        "chat/channels/wind-talk.yml",
        "forge/projects/root/kitefly/project.yml",
        "forge/projects/root/doc/wiki/home.md",
        "board/projects/lines.yml",
        "drive/files/Documents/Silk Team/.gitkeep",
    } <= names
    assert "chat/channels/launch-day.yml" not in names
    assert read(tmp_path / "tac", "board/projects/lines.yml")["id"] == BOARD_ID
    assert (tmp_path / "tac/forge/projects/root/doc/wiki/home.md").read_text().startswith("# Kites")
    assert gaps_of(made.gaps, "channels")["launch-day"] == ("start-channel",)
    assert gaps_of(made.gaps, "code") == {
        "root/kitefly": ("fix-kite",),
        "root/doc": (),  # only its wiki is named
        "root/stringcutter": (),
    }
    assert gaps_of(made.gaps, "drive")["Documents/Silk Team/prices.csv"] == ("silk-prices",)
    assert gaps_of(made.gaps, "tasks") == {"lost-task": ("lost-task",)}


def test_every_gap_is_in_the_list_with_the_tasks_that_name_it(tmp_path: Path) -> None:
    made = import_tac(checkout(tmp_path), tmp_path / "tac")
    page = (tmp_path / "tac" / "GAPS.md").read_text("utf-8")
    assert made.gaps
    for gap in made.gaps:
        assert gap.line() in page
        assert all(task in gap.line() for task in gap.tasks)
    said = json.loads(command("--json", checkout(tmp_path), tmp_path / "tac").output)
    assert [one["thing"] for one in said["gaps"]] == [gap.thing for gap in made.gaps]


def test_the_same_checkout_gives_the_same_files(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    import_tac(checkout(tmp_path), first)
    import_tac(checkout(tmp_path / "again"), second)
    assert files_in(first) == files_in(second)
    again = import_tac(checkout(tmp_path), first)
    assert (again.written.changed, again.written.removed, again.written.kept) == ([], [], [])


def test_a_second_import_keeps_what_the_user_wrote_and_closes_their_gaps(tmp_path: Path) -> None:
    world = tmp_path / "tac"
    import_tac(checkout(tmp_path), world)
    prices = world / "drive/files/Documents/Silk Team/prices.csv"
    prices.write_text("red,19\n")
    (world / "people/bo_ferris.yml").write_text("name: Bo Ferris\nusername: bo_ferris\ntitle: Chief of lines\n")
    for name in ("task.md", "evaluator.py"):
        (tmp_path / f"checkout/workspaces/tasks/lines-report/{name}").write_text("Go.\n" if name == "task.md" else "")
    answer = command(tmp_path / "checkout", world)
    assert f"{world}/people/bo_ferris.yml: yours, and kept as it is." in answer.output
    assert prices.read_text() == "red,19\n"
    assert read(world, "people/bo_ferris.yml")["title"] == "Chief of lines"
    assert not (world / "board").exists(), "no task names the board any more, and its file was ours"
    assert "prices.csv" not in (world / "GAPS.md").read_text()
    assert check_world(world) == []
    # The user's file is still theirs the next time.
    assert import_tac(tmp_path / "checkout", world).written.kept == ["people/bo_ferris.yml"]


@pytest.mark.parametrize(
    ("words", "there", "left_out"),
    [
        ("Post it in the #wind-log channel.", {"wind-log"}, set()),
        ("Create a #wind-log channel on RocketChat.", set(), {"wind-log"}),
        ("Make a new private channel named #wind-log, then tell #wind-talk.", set(), {"wind-log", "wind-talk"}),
        ("Add Bo to the channel #wind-log as a new moderator.", {"wind-log"}, set()),
        ("Colour the channel's title #ff8800 and #fff.", set(), set()),
        ("Use #include in main.cpp.", set(), set()),
        ("Open http://the-agent-company.com:3000/channel/wind-log.", {"wind-log"}, set()),
    ],
)
def test_a_channel_is_there_unless_the_examinee_makes_it(
    tmp_path: Path, words: str, there: set[str], left_out: set[str]
) -> None:
    write(tmp_path / "small", {"workspaces/tasks/one/task.md": words})
    made = import_tac(tmp_path / "small", tmp_path / "tac")
    assert {path.stem for path in (tmp_path / "tac/chat/channels").iterdir()} == there | {"general"}
    assert set(gaps_of(made.gaps, "channels")) == there | left_out


@pytest.mark.parametrize(
    ("words", "there", "left_out"),
    [
        ("Clone http://the-agent-company.com:8929/root/kite.git and build it.", {"root/kite"}, set()),
        ("Create a new repository at http://the-agent-company.com:8929/root/kite.", set(), {"root/kite"}),
        ("Create an issue in project http://the-agent-company.com:8929/root/kite.", {"root/kite"}, set()),
        (
            "Create a new project like [this](http://the-agent-company.com:8929/root/kite/-/issues/7).",
            {"root/kite"},
            set(),
        ),
        ("Sign in at http://the-agent-company.com:8929/users/sign_in.", set(), set()),
    ],
)
def test_a_project_is_there_unless_the_examinee_makes_it(
    tmp_path: Path, words: str, there: set[str], left_out: set[str]
) -> None:
    write(tmp_path / "small", {"workspaces/tasks/one/task.md": words})
    made = import_tac(tmp_path / "small", tmp_path / "tac")
    assert set(gaps_of(made.gaps, "code")) == there
    assert {gap.thing for gap in made.gaps if gap.kind == "forge" and "left out" in gap.why} == left_out


def test_a_document_without_a_folder_is_a_gap_too(tmp_path: Path) -> None:
    words = (
        "Use the kites.md in Nextcloud. Save it to /workspace/notes.md.\nOn OwnCloud, read '/Documents/A B/silk.csv'."
    )
    write(tmp_path / "small", {"workspaces/tasks/one/task.md": words})
    made = import_tac(tmp_path / "small", tmp_path / "tac")
    assert gaps_of(made.gaps, "drive") == {"kites.md": ("one",), "Documents/A B/silk.csv": ("one",)}


def test_an_id_of_a_board_s_project_must_be_one(tmp_path: Path) -> None:
    import_tac(checkout(tmp_path), tmp_path / "tac")
    (tmp_path / "tac/board/projects/other.yml").write_text(f"name: Other\nidentifier: O\nid: {BOARD_ID}\n")
    (tmp_path / "tac/board/projects/third.yml").write_text("name: Third\nidentifier: T\nid: lines\n")
    assert [(one.rule, one.file, one.line) for one in check_world(tmp_path / "tac")] == [
        ("duplicate", "board/projects/other.yml", 3),
        ("board", "board/projects/third.yml", 3),
    ]


def test_the_examinee_has_the_account_that_every_task_tells(tmp_path: Path) -> None:
    import_tac(checkout(tmp_path), tmp_path / "tac")
    snapshot = build_snapshot(tmp_path / "tac", cache=tmp_path / "cache")
    account = examinee(snapshot.info)
    assert account is not None
    assert (account.username, account.email, account.password) == (
        "theagentcompany",
        "agent@company.com",
        "theagentcompany",
    )


def test_a_stand_in_for_code_has_the_file_that_graders_tell_a_clone_by(tmp_path: Path) -> None:
    import_tac(checkout(tmp_path), tmp_path / "tac")
    source = tmp_path / "tac/forge/projects/root/stringcutter/source"
    assert {path.name for path in source.iterdir()} == {"README.md", "only-here.toml"}


def test_a_bundle_takes_the_place_of_the_stand_in(tmp_path: Path) -> None:
    world, clone = tmp_path / "tac", tmp_path / "clone"
    import_tac(checkout(tmp_path), world)
    project = world / "forge/projects/root/kitefly"
    assert (project / "source/README.md").exists()
    write(clone, {"kite.py": "HEIGHT = 3\n"})
    for line in (
        "init -q -b trunk",
        "add .",
        "commit -qm First",
        "branch main-idea",
        "commit -qm Second --allow-empty",
    ):
        subprocess.run(
            ["git", "-c", "user.name=Bo", "-c", "user.email=bo@kites.test", *line.split()], cwd=clone, check=True
        )
    subprocess.run(["git", "bundle", "create", "-q", project / "repo.bundle", "--all"], cwd=clone, check=True)
    made = import_tac(tmp_path / "checkout", world)
    assert not (project / "source").exists()
    assert "root/kitefly" not in gaps_of(made.gaps, "code")
    assert check_world(world) == []
    db = sqlite3.connect(build_snapshot(world, cache=tmp_path / "cache").path / "forge.db")
    [[branch]] = db.execute("SELECT default_branch FROM projects WHERE full_path = 'root/kitefly'")
    assert branch == "trunk"


def test_a_world_that_no_import_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/world.toml").write_text('name = "Mine"\n')
    answer = command(checkout(tmp_path), tmp_path / "mine")
    assert answer.exit_code == 2
    assert "holds a world that no import made" in answer.output
    assert list(files_in(tmp_path / "mine")) == ["world.toml"]


def test_a_folder_that_is_no_checkout_is_named(tmp_path: Path) -> None:
    answer = command(tmp_path, tmp_path / "tac")
    assert answer.exit_code == 2
    assert "is not a checkout of TheAgentCompany" in answer.output
    assert not (tmp_path / "tac").exists()


def test_a_lost_list_of_what_was_written_stops_the_import(tmp_path: Path) -> None:
    import_tac(checkout(tmp_path), tmp_path / "tac")
    (tmp_path / "tac/.imported.json").write_text("{")
    with pytest.raises(CannotImport, match="does not say what the last import wrote"):
        import_tac(tmp_path / "checkout", tmp_path / "tac")


ODD_PEOPLE = json.dumps(
    [
        *PEOPLE,
        PEOPLE[0],
        "nobody",
        {"first_name": "No", "last_name": None, "slack_channels": 7},
        {"first_name": "Theagentcompany", "last_name": ""},
        {"first_name": "李", "last_name": "雷", "slack_channels": "#bad name, #tab\there, #..., #ünï"},
        {
            "first_name": "Ann\u0000a",
            "last_name": 'O\'Hara: "x" # y\n- z',
            "public_info": "\ud800 half",
            "occupation": ["a"],
        },
    ]
)
ODD_ACCOUNTS = json.dumps(
    {
        **CREDENTIALS,
        "Second Orla": {"username": "ORLA_quint", "password": None},
        "Path Finder": {"username": "../../etc/passwd", "password": "x"},
        "Root": {"username": "root", "password": "r"},
        "Broken": "no object",
        "": {"username": "empty", "password": "x"},
    }
)
ODD_WORDS = r"""
    See http://the-agent-company.com:8929/root/KiteFly. And http://the-agent-company.com:8929/kites/a.b.git, then
    http://the-agent-company.com:8929/orla_quint/own/-/issues/759 and http://the-agent-company.com:8929/root/kitefly/-/wikis/../../x
    http://the-agent-company.com:8929/root/doc/-/wikis/how%20to/fly?version=2
    "/Documents/../../secret/x.txt" '/Documents/a"b'
    http://the-agent-company.com:8092/?dir=/Documents/%2e%2e/%00x `/Documents/.htaccess/x` /Documents/con\\tab/notes.
    #general #General http://the-agent-company.com:3000/group/quiet%20room http://the-agent-company.com:3000/channel/Wind-Talk
    http://the-agent-company.com:8091/tac/projects/00000000-0000-0000-0000-000000000000/issues/
    """
MESSES: dict[str, dict[str, str | None]] = {
    "no files but the tasks": dict.fromkeys(CHECKOUT),
    "bad JSON": {DEFINITIONS: "[{", ACCOUNTS: '{"a": 1', "evaluation/tasks.json": "nonsense"},
    "other shapes": {DEFINITIONS: "{}", ACCOUNTS: "[]", "evaluation/tasks.json": '{"tasks": 3}'},
    "odd people": {DEFINITIONS: ODD_PEOPLE, ACCOUNTS: ODD_ACCOUNTS},
    "odd words": {"workspaces/tasks/odd/task.md": ODD_WORDS, "workspaces/tasks/odd/evaluator.py": "def ("},
    "odd scenarios": {
        "workspaces/tasks/fix-kite/scenarios.json": '{"": {}, " Orla  Quint ": 3, "root": {}, "x\\u0007": {}}'
    },
    "deep nesting": {DEFINITIONS: "[" * 100_000, "workspaces/tasks/fix-kite/pre_init.py": "x = " + "(" * 5_000},
}


@pytest.mark.parametrize("mess", MESSES)
def test_whatever_state_a_checkout_is_in_the_world_is_well_formed(tmp_path: Path, mess: str) -> None:
    made = import_tac(checkout(tmp_path, **MESSES[mess]), tmp_path / "tac")
    assert check_world(tmp_path / "tac") == []
    build_snapshot(tmp_path / "tac", cache=tmp_path / "cache")
    assert made.gaps
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"checkout", "tac", "cache"}


def test_bytes_that_are_no_text_are_a_gap(tmp_path: Path) -> None:
    folder = checkout(tmp_path)
    (folder / "workspaces/tasks/fix-kite/task.md").write_bytes(b"\xff\xfe\x00G")
    made = import_tac(folder, tmp_path / "tac")
    assert "workspaces/tasks/fix-kite/task.md" in gaps_of(made.gaps, "files")
    assert check_world(tmp_path / "tac") == []
