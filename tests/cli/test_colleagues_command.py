"""`dayjob colleagues` as people and pipes use it: the real command, its real output."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dayjob.npc import llm_turn

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "tasks" / "finish-jonas-merge-request"
PUBLISHED = {"Tomas Okafor": {"extra_info": "The budget is 12,400 euros."}}
TALK = """\
Hi Lena!
How shall I merge !12, squashed?
/state
My test plans three jobs at 9:00. Without Jonas's change they come out sorted by name, with it in order.
/facts
/time
/quit
never said
"""


def command(*words: str | Path, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "dayjob", "colleagues", *map(str, words)]
    return subprocess.run(
        line, input=typed, capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment}
    )


def rows(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines()]


def test_lines_of_a_pipe_are_messages_and_each_answer_says_why() -> None:
    done = command(TASK, typed=TALK)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "you -> lena.fischer: Hi Lena!"
    assert lines[1].startswith("lena.fischer: Hello Sam")
    assert "  · asks for agreed/example; locked as-it-is" in done.stdout
    assert "  needs: agreed/example\n" in done.stdout, "not shown yet"
    assert "reached agreed" in done.stdout
    assert "  as-it-is [told 1 ×] Merge it as it is" in done.stdout
    assert "It is Mon 09 March 2026" in done.stdout
    assert "never said" not in done.stdout


def test_the_pages_example_is_what_the_command_says() -> None:
    page = (ROOT / "docs" / "colleagues.md").read_text("utf-8").partition("## Talking to them")[2]
    block = [line[4:] for line in page.partition("\n| ")[0].splitlines() if line.startswith("    ")]
    prompt = "you -> lena.fischer: "
    typed = "".join(f"{line.removeprefix(prompt)}\n" for line in block if line.startswith(prompt))
    assert command(TASK, typed=typed).stdout.splitlines() == block


def test_for_programs_every_line_is_an_object() -> None:
    found = rows(command(TASK, "--json", "--to", "Lena", typed=TALK).stdout)
    said = [one for one in found if "you" in one]
    assert [one["you"] for one in said] == [one for one in TALK.splitlines()[:6] if not one.startswith("/")]
    assert said[1]["answers"][0]["why"]["asks_for"] == ["agreed/example"]
    assert said[2]["answers"][0]["why"]["reached"] == ["agreed"]
    (state,) = [one["state"] for one in found if "state" in one]
    assert state["steps"] == {"agreed": False}
    assert "as-it-is" in state["facts"]["locked"]
    (facts,) = [one["facts"] for one in found if "facts" in one]
    assert {one["id"]: one["stands"] for one in facts}["as-it-is"] == "told 1 ×"


def test_a_channel_is_talked_to_and_time_is_let_pass() -> None:
    typed = "/to #engineering\n@lena.fischer, how shall I merge !12?\n/wait 2h\n/time\n"
    found = rows(command(TASK, "--json", typed=typed).stdout)
    assert found[0]["to"] == "#engineering"
    assert [one["place"] for one in found[0]["answers"]] == ["#engineering"]
    assert found[-1]["time"] >= "2026-03-09T11:"


def model(folder: Path, message: str) -> str:
    keys = {"action": "speak", "message": message, "facts": [], "promises": [], "do": []}
    reply = {name: keys[name] for name in llm_turn.SCHEMA["required"]}
    (folder / "model.yml").write_text(f"format: 1\nrules:\n- json: {json.dumps(reply)}\n")
    return f"script:{folder / 'model.yml'}"


def test_a_model_is_talked_to_and_what_it_meant_is_shown(tmp_path: Path) -> None:
    done = command(TASK, "--npc-model", model(tmp_path, "Good question."), typed="Anything to mind?\n/state\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "lena.fischer: Good question." in done.stdout
    assert "Lena Fischer (llm)" in done.stdout


def test_two_minds_answer_the_same_lines_side_by_side(tmp_path: Path) -> None:
    name = model(tmp_path, "Good question.")
    done = command(TASK, "--minds", f"script,{name}", typed="Hi Lena!\n")
    assert done.returncode == 0, done.stderr
    assert "[script] lena.fischer: Hello Sam" in done.stdout
    assert f"[{name}] lena.fischer: Good question." in done.stdout
    both = rows(command(TASK, "--minds", f"script,{name}", "--json", typed="Hi Lena!\n").stdout)
    assert [one["mind"] for one in both] == ["script", name]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks" / "ask-for-the-budget"
    shutil.copytree(TASK, folder, ignore=shutil.ignore_patterns("colleagues.yml", "world", "mutants"))
    (folder / "scenarios.json").write_text(json.dumps(PUBLISHED))
    return folder


def test_a_published_tasks_colleague_has_no_sheet_and_answers_all_the_same(published: Path) -> None:
    done = command(published, typed="What is the budget?\n/state\n/facts\n")
    assert "tomas.okafor: My notes on this: “The budget is 12,400 euros.”" in done.stdout
    assert "no sheet" in done.stdout


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        ([TASK.parent / "finish-jonas-merge-requst"], "", "Did you mean 'finish-jonas-merge-request'?"),
        ([TASK, "--to", "lena.fisher"], "", "Did you mean 'lena.fischer'?"),
        ([TASK], "/to lena.fisher\n", "Did you mean 'lena.fischer'?"),
        ([TASK], "/stat\n", "Did you mean '/state'?"),
        ([TASK], "/wait long\n", "'long' is no length of time"),
        ([TASK, "--to", "#nowhere"], "hello\n", "#nowhere cannot be written to"),
        ([TASK, "--npc-model", "nowhere/none"], "", "nowhere"),
        ([TASK, "--minds", "script"], "", "--minds takes two"),
        ([TASK, "--variant", "1"], "", "is no family"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words: list[str | Path], typed: str, said: str) -> None:
    done = command(*words, typed=typed)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_task_without_colleagues_says_so(published: Path) -> None:
    (published / "scenarios.json").unlink()
    done = command(published)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no colleagues" in done.stderr


def test_in_a_terminal_there_is_a_prompt_and_a_mistake_ends_nothing() -> None:
    """Typed as a person does: one line after the other's answer."""
    here, there = pty.openpty()
    line = [sys.executable, "-m", "dayjob", "colleagues", str(TASK)]
    with subprocess.Popen(line, stdin=there, stdout=there, stderr=there, close_fds=True) as process:
        os.close(there)
        try:
            assert "lena.fischer" in until(here, "you -> lena.fischer: ")
            os.write(here, b"/to nobody\n")
            assert "There is no colleague 'nobody'" in until(here, "you -> lena.fischer: ")
            os.write(here, b"Hi Lena!\n")
            assert "Hello Sam" in until(here, "you -> lena.fischer: ")
            os.write(here, b"\x04")
            assert process.wait(20) == 0
        finally:
            if process.poll() is None:
                process.kill()
            os.close(here)


def until(terminal: int, prompt: str) -> str:
    said, ends = "", time.monotonic() + 30
    while time.monotonic() < ends and not said.rstrip("\x1b[K\r").endswith(prompt):
        if select.select([terminal], [], [], 0.2)[0]:
            said += os.read(terminal, 65536).decode("utf-8", "replace")
    return said
