"""Command lines as agents: filled in without a shell, told their deadline, their output kept, their absence a fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.agent import AgentError
from dayjob.agent.command import Command, fill, words_of
from dayjob.agent.names import slug
from dayjob.agent.transcript import Transcript
from dayjob.report.export.atif import check
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task, write

NASTY = 'Write "it\'s"; touch /workspace/pwned $(touch /workspace/pwned) `touch /workspace/pwned` {model}\n'

AGENT = """
    import os, sys
    told, file, deadline = sys.argv[1:4]
    assert open(file).read() == told == os.environ["DAYJOB_INSTRUCTION"]
    assert deadline == os.environ["DAYJOB_DEADLINE"] and float(os.environ["DAYJOB_SECONDS"]) == 30
    print("working until", deadline, os.environ.get("OPENAI_API_KEY", ""))
    print("a warning", file=sys.stderr)
    if not os.path.exists("/workspace/pwned") and "{model}" in told:
        open("/workspace/answer.txt", "w").write("shipshape")
    sys.exit(3)
    """


def document(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "trajectory.json").read_text())
    assert list(check(found)) == []
    return found


def test_a_command_gets_the_task_word_for_word_and_no_shell_reads_it(tmp_path: Path, cache: Path) -> None:
    path = task(tmp_path, task__md=NASTY, Dockerfile="FROM dayjob/task-base:1\nCOPY agent.py /opt/agent.py\n")
    write(path, {"agent.py": AGENT})
    write(tmp_path, {"model.yml": "format: 1\nrules:\n- say: nothing\n"})
    line = "command:python3 /opt/agent.py {instruction} {instruction_file} {deadline}"
    tried = attempt(cache, tmp_path, path, line, seconds=30, model=f"script:{tmp_path / 'model.yml'}")
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.text("trajectory.json"))
    found = document(tried.folder)
    last = found["steps"][-1]  # type: ignore[index]  # the document's shape was checked above
    assert last["extra"] == {"exit_code": 3}
    printed = last["observation"]["results"][0]["content"]
    assert "working until 20" in printed
    assert "a warning" in printed
    assert "dj-examinee-" not in printed
    assert "[secret]" in printed
    assert found["notes"] == "command ended with 3"


def test_a_command_whose_time_is_up_is_graded_and_what_it_printed_is_kept(tmp_path: Path, cache: Path) -> None:
    line = "command:sh -c 'echo begun; printf shipshape > answer.txt; sleep 600'"
    tried = attempt(cache, tmp_path, task(tmp_path), line, seconds=2)
    assert (tried.outcome.ended, tried.outcome.label) == ("timeout", Label.RESOLVED), tried.outcome.reason
    assert "begun" in tried.text("trajectory.json")


def test_a_program_that_is_not_there_is_never_a_zero(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "command:no-such-agent {instruction_file}")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "no program 'no-such-agent'" in tried.outcome.reason


class Broken(Command):
    """Its installation fails."""

    def __init__(self) -> None:
        super().__init__("true", name="broken", install=("echo no such package; exit 4",))


def test_an_installation_that_fails_is_not_the_tasks_fault(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "tests.agent.test_command:Broken")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "broken could not be installed: below the task, RUN ended with 4: no such package" in tried.outcome.reason
    assert "no such package" in tried.log("build")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "needs a command line"),
        ("python 'agent.py", "cannot be split"),
        ("bash -c 'agent {instruction}'", "a shell would read the task's text as code"),
    ],
)
def test_a_line_that_cannot_be_run_safely_is_refused(line: str, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        words_of(line)


def test_places_are_filled_once_and_other_braces_stay() -> None:
    facts = {"instruction": "say {model}", "model": "m"}
    assert fill("{instruction}", facts) == "say {model}"
    assert fill('{"json": 1} --m={model}', facts) == '{"json": 1} --m=m'


def test_a_transcript_keeps_both_ends_and_counts_the_middle() -> None:
    kept = Transcript(limit=20)
    for number in range(1000):
        kept.add(b"%03d," % number)
    assert kept.text().startswith("000,001,00")
    assert kept.text().endswith("998,999,")
    assert "[3980 bytes left out]" in kept.text()


def test_every_agent_has_a_folder_name_of_its_own() -> None:
    assert slug("oracle") == "oracle"
    assert slug("mutant:x") == "mutant-x"
    names = {slug("command:a {instruction}"), slug("command:a/{instruction}"), slug("command:" + "a" * 300)}
    assert len(names) == 3
    assert all("/" not in name and len(name) < 80 for name in names)
