"""The worker against a scripted model: it solves the example, stays within its context, and ends when it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dayjob.agent.tools.tool import shortened
from dayjob.agent.worker.context import fitting, picture_message, room
from dayjob.agent.worker.worker import Wanted, read_answer
from dayjob.report.export.atif import check
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial
from tests.trial.offices import attempt, task

EXAMPLE = Path(__file__).parents[2] / "tasks" / "example"
CHAT = "http://larkspur.test:3000/api/v1"


def script(folder: Path, *rules: dict[str, Any]) -> str:
    path = folder / "model.yml"
    path.write_text(yaml.safe_dump({"format": 1, "rules": list(rules)}), "utf-8")
    return f"script:{path}"


def turn(number: int, name: str, **arguments: object) -> dict[str, Any]:
    return {"when": {"turn": number}, "say": f"Step {number}.", "call": {"name": name, "arguments": arguments}}


def steps(folder: Path) -> list[dict[str, Any]]:
    document = json.loads((folder / "trajectory.json").read_text("utf-8"))
    assert list(check(document)) == []
    found: list[dict[str, Any]] = document["steps"]
    return found


def test_the_worker_solves_the_example_with_files_shell_and_http(tmp_path: Path, cache: Path) -> None:
    """The report by a script it writes, corrects and runs; what chat must hear by its HTTP tool."""
    solution = (EXAMPLE / "solution.py").read_text("utf-8")
    quiet = "".join(line for line in solution.splitlines(keepends=True) if "@tomas.okafor" not in line)
    model = script(
        tmp_path,
        turn(1, "write_file", path="/workspace/a/work.py", content=quiet.replace("    solve()\n", "    solve_not()\n")),
        turn(2, "replace_in_file", path="/workspace/a/work.py", old="    solve_not()\n", new="    solve()\n"),
        turn(3, "shell", command="python3 a/work.py"),
        turn(
            4, "http", method="POST", url=f"{CHAT}/login", body={"user": "sam.reed", "password": "sam-reed-first-day"}
        ),
        {
            "when": {
                "turn": 5,
                "last": r'"userId":\s*"(?P<id>\w+)"',
                "anywhere": r"authToken\W+(?P<token>[\w-]{20,})",
            },
            "call": {
                "name": "http",
                "arguments": {
                    "method": "POST",
                    "url": f"{CHAT}/chat.postMessage",
                    "headers": {"X-Auth-Token": "${token}", "X-User-Id": "${id}"},
                    "body": {"channel": "@tomas.okafor", "text": "It is in /Operations/over-budget.md on the drive"},
                },
            },
        },
        turn(6, "finish", summary="Reported."),
    )
    spec = TrialSpec(str(EXAMPLE), "worker", str(tmp_path / "out"), seconds=60, model=model)
    outcome = run_trial(spec, cache)
    told = (tmp_path / "out" / "trajectory.json").read_text("utf-8")
    assert outcome.label is Label.RESOLVED, (outcome.reason, outcome.checkpoints, told)
    assert outcome.resources["models"]["examinee"]["calls"] == 6
    document = json.loads(told)
    names = [one["function"]["name"] for one in document["agent"]["tool_definitions"]]
    assert names == ["shell", "write_file", "replace_in_file", "http", "wait", "browser", "finish"]
    found = steps(tmp_path / "out")
    assert [step["source"] for step in found] == ["system", "user", *["agent"] * 6]
    assert "[left: 60 s]" in found[1]["message"]
    assert found[2]["metrics"]["prompt_tokens"] > 0


def test_the_worker_lets_time_pass(tmp_path: Path, cache: Path) -> None:
    model = script(
        tmp_path,
        turn(1, "wait", until="Tue 09:00"),
        turn(2, "wait", length="ages"),
        turn(3, "wait"),
        turn(4, "wait", length="1h", until="17:00"),
        turn(5, "finish", summary=""),
    )
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    told = [step["observation"]["results"][0]["content"] for step in steps(tried.folder)[2:6]]
    assert told[0].startswith("It is Tue 10 Mar 2026 09:00.\nNothing new.")
    assert "'ages' is no length of time" in told[1]
    assert told[2].startswith("It is Tue 10 Mar 2026 09:0")
    assert told[3] == "wait takes 'length' or 'until', not both."


def test_a_mistaken_call_is_told_to_the_model_and_not_raised(tmp_path: Path, cache: Path) -> None:
    model = script(
        tmp_path,
        turn(1, "fly", to="the moon"),
        turn(2, "write_file", path="/workspace/x"),
        turn(3, "replace_in_file", path="/workspace/none", old="a", new="b"),
        turn(4, "shell", command="exit 3"),
        turn(5, "shell", command="sleep 60", seconds=0.2),
        turn(6, "finish", summary=""),
    )
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    assert tried.outcome.label is Label.FAILED, tried.outcome.reason
    told = [step["observation"]["results"][0]["content"] for step in steps(tried.folder)[2:7]]
    assert told[0] == "there is no tool 'fly'"
    assert told[1] == "write_file needs 'content': all of its text."
    assert "FileNotFoundError" in told[2]
    assert "[exit code 3]" in told[3]
    assert "[given up after 0.2 s]" in told[4]


def test_a_model_that_only_talks_is_reminded_and_then_left(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=script(tmp_path, {"say": "Hm."}), seconds=60)
    assert tried.outcome.label is Label.FAILED
    assert tried.outcome.resources["models"]["examinee"]["calls"] == 3
    assert json.loads(tried.text("trajectory.json"))["notes"] == "the model used no tool 3 times in a row"


def test_a_model_that_is_down_is_never_the_workers_zero(tmp_path: Path, cache: Path) -> None:
    model = script(tmp_path, {"fault": {"status": 400}})
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    assert tried.outcome.label is Label.INFRA_ERROR


def test_a_model_that_only_fails_later_on_what_was_said_is_scored(tmp_path: Path, cache: Path) -> None:
    model = script(tmp_path, turn(1, "shell", command="true"), {"fault": {"status": 400, "message": "too long"}})
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    assert tried.outcome.label is Label.FAILED, tried.outcome.reason
    assert "too long" in tried.outcome.stopped


@pytest.mark.parametrize(
    "message",
    [
        {"content": 3},
        {"content": {"a": 1}},
        {"tool_calls": "shell"},
        {"tool_calls": [3]},
        {"tool_calls": [{"function": "shell"}]},
        {"tool_calls": [{"function": {"name": 7, "arguments": "{}"}}]},
    ],
)
def test_an_answer_of_wrong_types_is_a_sentence_and_not_an_error_of_ours(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="its "):
        read_answer({"choices": [{"message": message}]})


def test_what_servers_do_differently_is_understood() -> None:
    call = {"function": {"name": "shell", "arguments": {"command": "ls"}}}
    said, [wanted] = read_answer({"choices": [{"message": {"content": [{"text": "So."}], "tool_calls": [call]}}]})
    assert (said, wanted.parsed()) == ("So.", ({"command": "ls"}, ""))
    deep = Wanted("1", "shell", '{"a":' * 100_000)
    assert deep.parsed()[1].startswith("the arguments are not JSON")


def test_without_a_model_the_worker_says_what_it_needs(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = attempt(cache, tmp_path, task(tmp_path), "worker")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "needs a model" in tried.outcome.reason


def test_pictures_go_first_then_old_answers_are_shortened_then_left_out_and_the_last_turn_never() -> None:
    talk: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "the task"}]
    for one in range(4):
        talk.append({"role": "assistant", "content": "", "tool_calls": []})
        talk.append({"role": "tool", "tool_call_id": str(one), "content": f"{one}" * 3000})
        talk.append(picture_message("aaaa", "image/png"))
    whole = fitting(talk, 100_000)
    assert whole == talk

    def kinds(limit: int) -> list[str]:
        kept = fitting(talk, limit)
        assert kept[-2:] == talk[-2:]
        assert kept[:2] == talk[:2]
        answers = [one for one in kept if one["role"] == "tool"]
        pictures = [one for one in kept[2:] if one["role"] == "user"]
        shown = [
            "whole" if len(one["content"]) == 3000 else "short" if len(one["content"]) > 100 else "gone"
            for one in answers
        ]
        return [*shown, str(sum(isinstance(one["content"], list) for one in pictures))]

    assert kinds(9500) == ["whole"] * 4 + ["3"]
    assert kinds(6500) == ["whole"] * 4 + ["1"]
    assert kinds(5400) == ["short", "whole", "whole", "whole", "1"]
    assert kinds(3400) == ["gone", "short", "short", "whole", "1"]
    assert kinds(10) == ["gone", "gone", "gone", "whole", "1"]


def test_a_part_of_the_window_is_left_for_the_answer() -> None:
    assert room(200_000) == 175_000
    assert room(None) == 112_000


def test_a_long_answer_keeps_both_ends() -> None:
    assert shortened("a" * 30 + "b" * 30, 20) == "a" * 10 + "\n[40 characters left out]\n" + "b" * 10
