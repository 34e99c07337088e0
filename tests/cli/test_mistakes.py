"""Mistakes at the command line: each gets one sentence that names the fix, ends with 2, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob
from tests.trial.offices import office, task

MISTAKES = {
    # what was typed, where TASK is a task folder and WORLD its world: what the sentence says
    "reprot runs": "There is no command 'reprot'. Did you mean 'report'?",
    "rnu TASK": "There is no command 'rnu'. Did you mean 'run'?",
    "frobnicate": "There is no command 'frobnicate'.",
    "company serv": "No such command 'serv'. Did you mean 'serve'?",
    "world chekc WORLD": "No such command 'chekc'. Did you mean 'check'?",
    "run": "Missing argument 'PATHS...'",
    "run TASK --wrld x": "No such option '--wrld'. (Did you mean one of: '--role', '--world'?)",
    "run TASK --agnet nop": "No such option '--agnet'. (Did you mean one of: '--agent'",
    "run exmaple": "There is no task 'exmaple'",
    "run --role financ": "None of these tasks has the role 'financ'",
    "run TASK --world larkspu": "There is no world 'larkspu'",
    "run TASK --world WORLD -a orcale": "Did you mean 'oracle'?",
    "run TASK --world WORLD -a mini-swe": "Did you mean 'mini-swe-agent'?",
    "run TASK --world WORLD -a nowhere:Agent": "nowhere",
    "run TASK --world WORLD -a mutant:nosuch": "small-task has no mutant 'nosuch'.",
    "run TASK --world WORLD -a worker": "The agent worker needs a model, and none is named.",
    "run TASK --world WORLD -a mini-swe-agent": "needs a model",
    "run TASK --world WORLD -a worker -m gpt": "it is not clear which provider 'gpt' is at",
    "run TASK --world WORLD -a worker -m script:none.yml": "none.yml",
    "run TASK --world WORLD --sandbox podman": "'podman' is not one of 'embedded', 'docker'",
    "run TASK --world WORLD --image x": "--image is for containers: add --sandbox docker.",
    "run TASK --world WORLD -n 0": "0 is not in the range x>=1",
    "run TASK --world WORLD -k two": "'two' is not a valid integer",
    "run TASK --world WORLD --variant 3": "is no family, so it has no variants",
    "run TASK --world WORLD --variant-key none": "The variant key none cannot be read",
    "run TASK --world WORLD --egress bad/host": "--egress",
    "run TASK --world WORLD --on moon": "trials run on local, ray or ray:ADDRESS",
    "run TASK --world WORLD --quiet --verbose": "name one of them",
    "run TASK --world WORLD --clock slow": "'slow' is not one of 'running', 'stepped'",
    "run WORLD": "this is not a task folder",
    "run nowhere": "nowhere",
    "check nowhere": "nowhere",
    "test nowhere": "nowhere",
    "shell nowhere": "nowhere",
    "resume nowhere": "nowhere is not a run",
    "regrade nowhere": "nowhere is not a run",
    "report nowhere": "no trial has ended in nowhere",
    "report --compare nowhere": "--compare takes exactly two folders",
    "report nowhere --format xml": "'xml' is not one of",
    "view nowhere": "nowhere is not a folder",
    "export tca nowhere": "'tca' is not one of",
    "world check nowhere": "There is no world 'nowhere'",
    "colleagues TASK": "small-task has no colleagues",
    "doctor --clea": "No such option '--clea'. Did you mean '--clean'?",
    "completion tcsh": "'tcsh' is not one of 'bash', 'zsh', 'fish'",
    "new": "Missing argument 'NAME'",
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("mistakes")
    return {"TASK": str(task(folder)), "WORLD": str(office(folder))}


def made(*words: str) -> Result:
    return CliRunner().invoke(dayjob, words, prog_name="dayjob")


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_gets_a_sentence_and_makes_nothing(
    line: str, places: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LITELLM_BASE_URL"):
        monkeypatch.delenv(key, raising=False)
    done = made(*(places.get(word, word) for word in line.split()))
    said = " ".join(done.output.replace("│", " ").split())
    assert done.exit_code == 2, said
    assert MISTAKES[line] in said
    assert "Traceback" not in said
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert list(tmp_path.iterdir()) == []


def test_run_names_every_agent_in_its_help() -> None:
    from dayjob.agent.registry import NAMES

    said = " ".join(made("run", "--help").output.split()).replace("- ", "-")
    assert [name for name in NAMES if name not in said] == []
