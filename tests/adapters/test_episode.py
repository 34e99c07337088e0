"""What all adapters play: calls with rewards that add up to what the work is worth; and what they cost unused."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dayjob.adapters.episode import Episode
from dayjob.adapters.missing import needs
from dayjob.env import EnvError, SyncEnv, SyncWorkshop
from tests.trial.offices import office, task

ANSWER = {"path": "/workspace/answer.txt", "content": "shipshape\n"}
FAMILY = Path(__file__).parents[2] / "tasks" / "tidy-the-website-board"


@pytest.fixture(scope="module")
def workshop(cache: Path) -> Iterator[SyncWorkshop]:
    with SyncWorkshop(cache) as found:
        yield found


@pytest.fixture
def small(workshop: SyncWorkshop, tmp_path: Path) -> dict[str, Any]:
    return {"task": task(tmp_path), "world": str(office(tmp_path)), "workshop": workshop}


def test_rewards_add_up_to_what_the_work_is_worth(small: dict[str, Any]) -> None:
    acts: list[tuple[str, dict[str, Any]]] = [
        ("shell", {"command": "true"}),
        ("write_file", ANSWER),
        ("read_file", {"path": ANSWER["path"]}),
        ("shell", {"command": "rm /workspace/answer.txt"}),
        ("write_file", ANSWER),
        ("finish", {"summary": "done"}),
    ]
    for rewarded, wanted in (("change", [0, 1, 0, -1, 1, 0]), ("end", [0, 0, 0, 0, 0, 1])):
        episode = Episode(**small, rewarded=rewarded)  # type: ignore[arg-type]  # one of the two
        episode.reset()
        turns = [episode.step(name, arguments) for name, arguments in acts]
        assert [turn.reward for turn in turns] == wanted
        assert [turn.done for turn in turns] == [False] * 5 + [True]
        assert turns[2].text == "shipshape\n"
        assert episode.marks is not None
        assert episode.marks.resolved
        with pytest.raises(EnvError, match="the work was finished; reset"):
            episode.step("shell", {"command": "true"})
        episode.reset()
        assert episode.step("finish", {"summary": ""}).reward == 0
        episode.close()


def test_a_call_that_cannot_be_made_is_told_and_changes_nothing(small: dict[str, Any]) -> None:
    episode = Episode(**small)
    start = episode.reset()
    for said, sentence in (
        ("ls", "An action is JSON such as"),
        ("[1]", "An action is JSON such as"),
        ('{"tool": "fly"}', "There is no tool 'fly' here"),
        ('{"tool": "shell"}', "shell needs 'command'"),
        ('{"tool": "shell", "arguments": 3}', "The arguments of shell are an object"),
        ("[" * 100_000, "An action is JSON such as"),
    ):
        turn = episode.step_text(said)
        assert sentence in turn.text
        assert (turn.reward, turn.done, turn.failed, turn.time) == (0.0, False, True, start.time)
    assert episode.step_text(json.dumps({"tool": "write_file", "arguments": ANSWER})).reward == 1.0
    episode.close()
    with pytest.raises(EnvError, match="is closed; make a new one"):
        episode.step("shell", {"command": "true"})


def test_a_familys_variants_are_attempts_of_one_episode_after_another(workshop: SyncWorkshop) -> None:
    episode = Episode(FAMILY, workshop=workshop)
    boards: list[Any] = []
    for variant in (0, 1, 0):
        episode.reset(variant=variant)
        boards.append(episode.step("board_items", {"project": "Website"}).text.count("\n"))
        boards.append(episode.env.state()["board"])
    assert boards[:2] == boards[4:]
    assert boards[1] != boards[3]
    with pytest.raises(EnvError, match="has no variant -1"):
        episode.reset(variant=-1)
    episode.close()
    with pytest.raises(EnvError, match="'daily' is none of change, end"):
        Episode(FAMILY, rewarded="daily")  # type: ignore[arg-type]  # on purpose


def test_environments_without_a_loop_share_a_workshop(small: dict[str, Any]) -> None:
    with SyncEnv(**small) as one, SyncEnv(**small) as other:
        one.reset()
        other.reset()
        one.write_file("/workspace/answer.txt", "shipshape\n")
        assert (one.grade().result, other.grade().result) == (2, 0)
    with SyncEnv(**small) as later:
        later.reset()
        assert later.exec("true").ok


def test_adapters_cost_nothing_until_they_are_asked_for() -> None:
    program = (
        "import sys; import dayjob.env, dayjob.adapters.episode, dayjob.cli;"
        "print([one for one in ('gymnasium', 'numpy', 'verifiers', 'openenv', 'trl', 'torch') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["verifiers", "openenv"])
def test_an_adapter_whose_package_is_missing_says_what_to_install(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import dayjob.adapters.{name}"], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last == (
        f"ModuleNotFoundError: This adapter needs '{name}', which is not installed; run: pip install 'dayjob[{name}]'"
    )


def test_serve_env_says_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dayjob", "serve-env", "example"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert "pip install 'dayjob[openenv]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_missing_of_our_own_is_no_missing_package() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'dayjob"), needs("x"):
        importlib.import_module("dayjob.nowhere")
