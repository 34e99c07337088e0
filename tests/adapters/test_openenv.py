"""`dayjob serve-env` is an OpenEnv server to OpenEnv's own validator and clients."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.adapters.other_pythons import program, surroundings

CLIENT = Path(__file__).with_name("openenv_client.py")
FAMILY = "tidy-the-website-board"


@dataclass
class Serving:
    url: str
    environment: dict[str, str]
    process: subprocess.Popen[str]

    def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = requests.post(f"{self.url}{path}", json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def tool(self, name: str, session: str | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool over MCP."""
        params = {"name": name, "arguments": arguments, **({"session_id": session} if session else {})}
        found: dict[str, Any] = self.rpc("tools/call", params)
        return found

    def rpc(self, method: str, params: dict[str, Any]) -> Any:
        return self.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})["result"]


@pytest.fixture(scope="module")
def serving(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("openenv")
    environment = surroundings(cache, folder)
    command = [program("openenv", "python"), "-m", "dayjob", "serve-env", "example", FAMILY, "--variants", "2"]
    with subprocess.Popen(
        [*command, "--port", "0", "--sessions", "3"], env=environment, cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.endswith("/  3 tasks (Ctrl-C ends it)\n")
        try:
            yield Serving(line.partition("/  ")[0], environment, process)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0


def test_openenv_validate_passes(serving: Serving) -> None:
    command = [program("openenv", "openenv"), "validate", "--url", serving.url, "--json", "--timeout", "60"]
    done = subprocess.run(command, env=serving.environment, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert {one["id"] for one in report["criteria"] if one["passed"]} == {one["id"] for one in report["criteria"]}
    assert (done.returncode, report["passed"], report["mode"]) == (0, True, "simulation")
    assert len(report["criteria"]) == 6


def test_its_own_client_has_three_sessions_at_once_each_with_its_own_company(serving: Serving) -> None:
    command = [program("openenv", "python"), str(CLIENT), serving.url]
    done = subprocess.run(command, env=serving.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sessions"] == [
        {
            "task": "example",
            "tools": True,
            "read": f"{number}\n",
            "wrong": "There is no tool 'fly' here",
            "rewards": [0.0, 0.0, 0.0, 0.0],
            "done": [False, False, False, True],
            "steps": 4,
            "episode": f"one-{number}",
        }
        for number in range(3)
    ]
    assert found["solved"] == {"reward": 1.0, "done": True}
    assert "capacity" in found["fourth"].lower()


def test_tasks_and_variants_are_listed_and_chosen(serving: Serving) -> None:
    tasks = serving.post("/dayjob/tasks", {"split": "tasks"})["tasks"]
    assert [one["id"] for one in tasks] == ["example", f"{FAMILY}-0", f"{FAMILY}-1"]
    assert serving.post("/dayjob/num_tasks", {"split": "tasks"}) == {"num_tasks": 3}
    told = serving.post("/reset", {"index": 2, "seed": 1})["observation"]
    assert told["task"] == f"{FAMILY}-1"
    assert "Nobody finds anything on the board" in told["instruction"]
    refused = requests.post(f"{serving.url}/dayjob/task", json={"split": "tasks", "index": 3}, timeout=60)
    assert refused.status_code == 400


def test_a_session_over_mcp_keeps_its_company_until_it_is_closed(serving: Serving) -> None:
    session = serving.rpc("openenv/session/create", {})["session_id"]
    assert serving.tool("shell", session, command="echo mine > /workspace/a")["error"] is None
    assert serving.tool("shell", session, command="cat /workspace/a")["result"] == "mine\n"
    assert "No such file" in serving.tool("shell", command="cat /workspace/a")["result"]
    assert {"shell", "wait"} <= {one["name"] for one in serving.rpc("tools/list", {"session_id": session})["tools"]}
    assert serving.rpc("openenv/session/close", {"session_id": session})["closed"] is True


def test_a_single_step_has_a_company_of_its_own(serving: Serving) -> None:
    action = {"type": "call_tool", "tool_name": "shell", "arguments": {"command": "sleep 60"}}
    step = serving.post("/step", {"action": action, "timeout_s": 0.3})
    assert "given up after 0.3 s" in step["observation"]["result"]
    assert (step["reward"], step["done"]) == (0.0, False)


def test_a_task_that_does_not_exist_is_told(serving: Serving) -> None:
    command = [program("openenv", "python"), "-m", "dayjob", "serve-env", "no-such-task"]
    done = subprocess.run(command, env=serving.environment, capture_output=True, text=True)
    assert done.returncode != 0
    assert "there is no task 'no-such-task'" in done.stderr
