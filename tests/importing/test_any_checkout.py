"""Checkouts of random content, from seeds: the world is well formed, builds, and comes out the same twice."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dayjob.company.world import build_snapshot
from dayjob.company.world.snapshot import check_world
from dayjob.importing import import_tac
from tests.importing.test_import import files_in

ODD = [
    *(
        "a",
        "B",
        "z9",
        ".",
        "..",
        "-",
        "_",
        "/",
        "\\",
        " ",
        "  ",
        "é",
        "雷",
        "\u0000",
        "\ud83d",
        "\u202e",
        "#",
        ":",
        "'",
        '"',
    ),
    *(
        "%2f",
        "%00",
        "%2e%2e",
        "root",
        "general",
        "theagentcompany",
        "Documents",
        ".git",
        ".part",
        ".md",
        "\n",
        "\t",
        "{",
    ),
    *("]", "&", "*", "null", "~", "@", "|", "x" * 300),
]
HOST = "http://the-agent-company.com"
UUID = "0a1b2c3d-0000-4000-8000-00000000000{}"


def word(dice: random.Random) -> str:
    return "".join(dice.choice(ODD) for _ in range(dice.randint(1, 4)))


def sentence(dice: random.Random) -> str:
    kinds = [
        f"Create a new channel #{word(dice)} on RocketChat.",
        f"Tell #{word(dice)} in the channel.",
        f"{HOST}:3000/{dice.choice(['channel', 'group'])}/{word(dice)}",
        f"{HOST}:8929/{word(dice)}/{word(dice)}",
        f"{HOST}:8929/root/{word(dice)}/-/{dice.choice(['wikis', 'issues', 'blob'])}/{word(dice)}",
        f"{HOST}:8091/tac/projects/{UUID.format(dice.randint(0, 9))}/issues/",
        f"{HOST}:8092/index.php/apps/files/?dir=/{word(dice)}/{word(dice)}&fileid=1",
        f'Read "/Documents/{word(dice)}/{word(dice)}.csv" on OwnCloud.',
        f"/Documents/{word(dice)}",
        f"See Documents/A {word(dice)}/{word(dice)} and {word(dice)}.pdf on ownCloud.",
        f"See [{word(dice)}]({HOST}:8092?dir=/Documents/{word(dice)}) and the '{word(dice)}' folder.",
        f"In {HOST}:8929/root/kite, close the issue '{word(dice)}' and issue #{dice.randint(0, 9)}.",
        f"Remove the '{word(dice)}' label from the issue '{word(dice)}'.",
        f"In Plane, open the '{word(dice)}' project and move the task '{word(dice)}' to the next sprint.",
        f"Ask Bo {word(dice)} and Nell Brook. Close all pull requests.",
        f"Create an issue titled '{word(dice)}' and a wiki page '{word(dice)}'.",
    ]
    return dice.choice(kinds)


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "replace"))


def anything(dice: random.Random, folder: Path) -> Path:
    names = [(word(dice), word(dice)) for _ in range(6)]
    people = [
        {
            "first_name": first,
            "last_name": last,
            "slack_channels": f"#{word(dice)}, #{word(dice)}, all {word(dice)} channels",
        }
        for first, last in names
    ]
    accounts = {
        f"{first} {last}": {"username": word(dice), "password": dice.choice([None, word(dice), 7])}
        for first, last in names[:4]
    }
    put(folder / "servers/rocketchat/npc/npc_definition.json", json.dumps(people))
    put(folder / "workspaces/base_image/npc/npc_credential.json", json.dumps(accounts))
    marks = {word(dice): word(dice) for _ in range(3)}
    put(folder / "workspaces/base_image/config.py", f"PROJECT_FILES = {marks!a}\nPLANE_API_KEY = {word(dice)!a}\n")
    put(folder / f"servers/gitlab/wikis/{dice.choice(['Home', 'a b', 'ü', '-x', '%2e'])}.md", word(dice))
    for number in range(5):
        task = folder / "workspaces" / "tasks" / f"task-{number}"
        put(task / "task.md", "\n".join(sentence(dice) for _ in range(12)))
        put(task / "scenarios.json", json.dumps({word(dice): {"extra_info": sentence(dice)}, word(dice): None}))
        put(
            task / "evaluator.py",
            f"NAME = {word(dice)!a}\nget_plane_project_id(NAME)\n"
            + dice.choice(["", f"get_plane_project_id({word(dice)!a})\n"])
            + f"check_file_in_owncloud_directory({word(dice)!a}, {word(dice)!a})\n"
            f"get_plane_issue_details(1, {word(dice)!a})\nget_plane_cycle_details(1, {word(dice)!a})\n"
            f"make_gitlab_request('root/kite', 'issues', params={{'search': {word(dice)!a}}})\n"
            f"ISSUE = {dice.randint(-1, 9)}\n"
            "datetime.now(), '/cycles/'\n",
        )
    return folder


@pytest.mark.parametrize("seed", range(30))
def test_whatever_a_checkout_says_the_world_is_well_formed(tmp_path: Path, seed: int) -> None:
    folder = anything(random.Random(seed), tmp_path / "checkout")
    import_tac(folder, tmp_path / "tac")
    assert check_world(tmp_path / "tac") == []
    assert import_tac(folder, tmp_path / "tac").written.changed == []
    import_tac(folder, tmp_path / "again")
    assert files_in(tmp_path / "tac") == files_in(tmp_path / "again")
    assert {path.name for path in tmp_path.iterdir()} == {"checkout", "tac", "again"}
    if seed % 5 == 0:
        build_snapshot(tmp_path / "tac", cache=tmp_path / "cache")
