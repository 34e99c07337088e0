"""`dayjob test --minds both`: what was tried with scripted colleagues is tried once more with a model's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_trials import dayjob
from tests.trial.offices import office, task
from tests.trial.test_colleague_audit import CLIENT, FAST

SHEET = """
    Mara Lind:
      matter: [word, finished]
      facts:
        word:
          says: We say shipshape.
          again: Still shipshape.
          asked: [word, finished]
    """
ASKING = (
    CLIENT.replace('    open("/workspace/answer.txt", "w").write("shipshape\\n")\n', "")
    + """
    said = answers(ask("Hi Mara, what word do you use for finished work?")["rid"], 1)[0]["msg"]
    word = "shipshape" if "shipshape" in said else "unknown"
    open("/workspace/answer.txt", "w").write(word + "\\n")
    """
)
MUTANT = {
    "mutants/guess.py": 'open("/workspace/answer.txt", "w").write("done")\n',
    "mutants/expected.toml": "format = 1\n[guess]\nresult = 0\n",
}
AGAIN = " (colleagues by a model)"


def asking_mara(folder: Path, **more: str | None) -> Path:
    """The small task, for whoever asks Mara for the word."""
    given = {
        "solution__py": ASKING,
        "colleagues__yml": SHEET,
        "task__toml": FAST,
        "dependencies__yml": "- rocketchat\n",
    }
    return task(folder, **given, **more)


def test_solution_and_mutants_are_tried_with_both_minds(cache: Path, tmp_path: Path) -> None:
    path = asking_mara(tmp_path, **MUTANT)
    out = tmp_path / "out"
    done = dayjob(cache, "test", str(path), "--world", str(office(tmp_path)), "--minds", "both", "-o", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    again = [line for line in done.stdout.splitlines() if line.endswith(AGAIN)]
    assert again == [
        "✓ small-task: the solution gets full marks (colleagues by a model)",
        "✓ small-task: the mutant guess gets 0 (colleagues by a model)",
    ]
    assert "8 of 8 claims hold." in done.stdout
    outcomes = {file.parent.name: json.loads(file.read_text()) for file in out.glob("*.oracle.*/outcome.json")}
    minds = {name: one["colleagues"]["Mara Lind"]["mind"] for name, one in outcomes.items()}
    assert minds == {
        "small-task.oracle.embedded.1": "script",
        "small-task.oracle.embedded.1.model": "llm",
    }


def test_a_model_that_sets_another_task_is_found(cache: Path, tmp_path: Path) -> None:
    path = asking_mara(tmp_path)
    model = tmp_path / "model.yml"
    model.write_text('rules: [{json: {action: speak, message: "No idea."}}]')
    words = ["test", str(path), "--world", str(office(tmp_path)), "--minds", "both"]
    done = dayjob(cache, *words, "--npc-model", f"script:{model}")
    assert done.returncode == 1
    assert "✓ small-task: the solution gets full marks, graded twice alike\n" in done.stdout
    assert "✗ small-task: the solution gets full marks (colleagues by a model): the solution got 0 of 2" in done.stdout


def test_a_task_without_colleagues_is_tried_once(cache: Path, tmp_path: Path) -> None:
    done = dayjob(cache, "test", str(task(tmp_path)), "--world", str(office(tmp_path)), "--minds", "both")
    assert done.returncode == 0, done.stdout
    assert "5 of 5 claims hold." in done.stdout
    assert AGAIN not in done.stdout


def test_a_model_for_scripted_minds_is_refused(cache: Path, tmp_path: Path) -> None:
    done = dayjob(cache, "test", str(task(tmp_path)), "--minds", "script", "--npc-model", "script:obedient")
    assert done.returncode == 2
    assert "--minds script takes no --npc-model" in done.stderr


def test_scripted_minds_are_not_tried_where_settings_name_a_model(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_NPC_MODEL", "script:obedient")
    done = dayjob(cache, "test", str(asking_mara(tmp_path)), "--world", str(office(tmp_path)), "--minds", "both")
    assert done.returncode == 2
    assert "for colleagues (script:obedient)" in done.stderr
