"""verifiers' own commands take our tasks: they prove them, and a scripted model solves one."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

from dayjob.llm.script_file import parse_script
from dayjob.llm.scripted import ScriptedModel, serve_script
from dayjob.llm.secret import Secret
from tests.adapters.other_pythons import program, surroundings
from tests.env.conftest import EXAMPLE
from tests.trial.offices import task

KEY = "sk-scripted-0123456789"


def test_vf_validate_proves_a_task_by_its_solution_and_by_doing_nothing(cache: Path, tmp_path: Path) -> None:
    command = [program("verifiers", "vf-validate"), "dayjob-tasks", "--runtime.type", "subprocess", "--no-rich"]
    tasks = json.dumps([str(EXAMPLE)])
    done = subprocess.run(
        [*command, "--taskset.tasks", tasks, "-o", "out"],
        env=surroundings(cache, tmp_path), cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (summary,) = (tmp_path / "out").glob("*/summary.json")
    found = json.loads(summary.read_text("utf-8"))
    assert {name: check["valid"] for name, check in found["checks"].items()} == {"gold": 1, "noop": 1}
    (rows,) = (tmp_path / "out").glob("*/results.jsonl")
    (row,) = map(json.loads, rows.read_text("utf-8").splitlines())
    assert row["noop"]["rewards"] == {"share": 0.0}


def test_vf_validate_refutes_a_task_that_nobody_can_solve(cache: Path, tmp_path: Path) -> None:
    wrong = task(tmp_path, **{"solution.py": "print('nothing')\n"})
    command = [program("verifiers", "vf-validate"), "dayjob-tasks", "--runtime.type", "subprocess", "--no-rich"]
    subprocess.run(
        [*command, "--taskset.tasks", json.dumps([str(wrong)]), "--only-gold", "-o", "out"],
        env=surroundings(cache, tmp_path), cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    (rows,) = (tmp_path / "out").glob("*/results.jsonl")
    (row,) = map(json.loads, rows.read_text("utf-8").splitlines())
    assert (row["mode"], row["reason"], row["valid"]) == ("gold", "invalid", False)


def test_vf_eval_has_a_scripted_model_solve_the_example_twice_at_once(cache: Path, tmp_path: Path) -> None:
    solution = (EXAMPLE / "solution.py").read_text("utf-8")
    written = {"path": "/workspace/a.py", "content": solution}
    rules: list[dict[str, Any]] = [
        {"when": {"turn": 1}, "call": {"name": "write_file", "arguments": written}},
        {"when": {"turn": 2}, "call": {"name": "shell", "arguments": {"command": "python3 a.py"}}},
        {"when": {"turn": 3}, "call": {"name": "fly", "arguments": {}}},
        {"when": {"turn": 4}, "call": {"name": "finish", "arguments": {"summary": "Reported."}}},
    ]  # fmt: skip
    model = ScriptedModel(parse_script({"rules": rules}), Secret(KEY))

    async def main() -> None:
        async with serve_script(model) as serving:
            options = {
                "--env.taskset.tasks": json.dumps([str(EXAMPLE)]),
                "--env.agent.runtime.type": "subprocess",
                "--client.base-url": serving.base_url,
                "--client.api-key-var": "MODEL_KEY",
                "-m": "gpt-test",
                "-r": "2",
                "-o": "out",
            }
            process = await asyncio.create_subprocess_exec(
                program("verifiers", "vf-eval"), "dayjob-tasks", "--no-rich", "--no-push",
                *(one for pair in options.items() for one in pair),
                env=surroundings(cache, tmp_path, MODEL_KEY=KEY), cwd=tmp_path,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            _, said = await process.communicate()
            assert process.returncode == 0, said.decode()

    asyncio.run(main())
    (file,) = (tmp_path / "out").glob("*/traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    traces = [trace for episode in episodes for trace in episode["traces"]]
    assert [(trace["ok"], trace["stop_condition"]) for trace in traces] == [(True, "agent_completed")] * 2
    assert [trace["rewards"]["share"]["score"] for trace in traces] == [1.0, 1.0]
    assert [trace["metrics"]["resolved"] for trace in traces] == [1.0, 1.0]
    said = [node["message"] for node in traces[0]["nodes"]]
    assert [one["role"] for one in said] == ["system", "user", *["assistant", "tool"] * 3, "assistant"]
    assert "There is no tool 'fly' here" in said[7]["content"]
    assert len(model.asked) == 8
    assert {one["function"]["name"] for one in model.asked[0]["tools"]} >= {"shell", "chat_post", "finish"}
