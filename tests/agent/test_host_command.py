"""A command on the host works in the sandbox through one program, reaches model and services, and ends in time."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from dayjob.report.export.atif import check
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task, write

AGENT = """
    import json, os, subprocess, sys, urllib.request

    def inside(*words, given=b""):
        return subprocess.run([os.environ["DAYJOB_SANDBOX"], *words], input=given, capture_output=True)

    assert open(sys.argv[1]).read() == os.environ["DAYJOB_INSTRUCTION"]
    assert "A_KEY_OF_THE_HOST" not in os.environ
    print("hosts:", inside("cat", "/etc/hosts").stdout.decode())
    question = {"model": os.environ["DAYJOB_MODEL"], "messages": [{"role": "user", "content": "which word?"}]}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(question).encode(),
        {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"},
    )
    word = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    status = json.load(urllib.request.urlopen(os.environ["DAYJOB_DRIVE_URL"] + "/status.php"))
    print("drive:", status["productname"])
    big = bytes(range(256)) * 4096
    assert inside("cat", given=big).stdout == big
    refused = inside("sh", "-c", "echo no >&2; exit 7")
    assert (refused.returncode, refused.stderr) == (7, b"no\\n"), refused
    inside("sh", "-c", "cat > answer.txt", given=word.encode())
    print(os.environ["OPENAI_API_KEY"])
    """


def test_a_command_on_the_host_works_in_the_sandbox_and_finds_model_and_services(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY_OF_THE_HOST", "secret")
    write(tmp_path, {"agent.py": AGENT, "model.yml": "format: 1\nrules:\n- say: shipshape\n"})
    line = f"host-command:python3 {tmp_path}/agent.py {{instruction_file}}"
    model = f"script:{tmp_path / 'model.yml'}"
    tried = attempt(cache, tmp_path, task(tmp_path), line, seconds=60, model=model)
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.text("trajectory.json"))
    document = json.loads(tried.text("trajectory.json"))
    assert list(check(document)) == []
    printed = document["steps"][-1]["observation"]["results"][0]["content"]
    assert "office.test" in printed
    assert "drive: ownCloud" in printed
    assert "dj-examinee-" not in printed
    # What it asked of the drive came to the company as the examinee's.
    seen = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert [one["role"] for one in seen if one.get("path") == "/status.php"] == ["examinee"]


def test_a_host_command_whose_time_is_up_ends_with_all_it_started(tmp_path: Path, cache: Path) -> None:
    pids = tmp_path / "pids"
    line = f"host-command:sh -c 'echo begun; sleep 600 & echo $! $$ > {pids}; $DAYJOB_SANDBOX sleep 600'"
    tried = attempt(cache, tmp_path, task(tmp_path), line, seconds=2)
    assert (tried.outcome.ended, tried.outcome.label) == ("timeout", Label.FAILED), tried.outcome.reason
    assert "begun" in tried.text("trajectory.json")
    for pid in pids.read_text().split():
        ends = time.monotonic() + 5
        while Path("/proc", pid).exists() and "Z" not in Path("/proc", pid, "stat").read_text().split()[2]:
            assert time.monotonic() < ends, f"{pid} is still there"
            time.sleep(0.05)


def test_a_program_that_this_machine_does_not_have_is_never_a_zero(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "host-command:no-such-agent {instruction_file}")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "this machine has no program 'no-such-agent'" in tried.outcome.reason


@pytest.mark.parametrize("line", ["python3 -c 'import no_such_module'", "sh -c 'exit 3'", "sh -c 'kill -9 $$'"])
def test_a_host_command_that_ends_at_once_was_not_set_up(line: str, tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), f"host-command:{line}")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "before it asked or wrote anything" in tried.outcome.reason


@pytest.mark.parametrize("does", ["$DAYJOB_SANDBOX touch begun", "curl -s $DAYJOB_DRIVE_URL/status.php"])
def test_a_host_command_that_has_begun_and_then_ends_itself_is_scored(does: str, tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), f"host-command:sh -c '{does}; kill -9 $$'")
    assert tried.outcome.label is Label.FAILED, tried.outcome.reason
    assert tried.outcome.stopped == "host-command ended with -9"
