"""An agent that is installed for its trials works in docker too, and its installation sees nothing of the task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.agent.command import Command
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task

pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]

PROGRAM = "/opt/agents/small/work"


class Small(Command):
    """A program of one line, which also tells what its installation could read."""

    def __init__(self) -> None:
        install = (
            "mkdir -p /opt/agents/small && (find /utils /instruction -type f > /opt/agents/small/seen; true)",
            f"printf '#!/bin/sh\\necho shipshape > /workspace/answer.txt\\n' > {PROGRAM} && chmod 755 {PROGRAM}",
        )
        super().__init__(f"sh -c '{PROGRAM}; wc -c < /opt/agents/small/seen'", name="small", install=install)


class Broken(Command):
    """Its installation fails."""

    def __init__(self) -> None:
        super().__init__("true", name="broken", install=("echo no such package; exit 4",))


def test_an_installed_agent_solves_a_task_in_docker(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "tests.agent.test_presets_in_docker:Small", sandbox="docker")
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.log("build")[-3000:])
    said = json.loads(tried.text("trajectory.json"))["steps"][-1]["observation"]["results"][0]["content"]
    assert said == "0\n"  # files of a task that its installation could read


def test_an_installation_that_fails_in_docker_is_not_the_tasks_fault(tmp_path: Path, cache: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), "tests.agent.test_presets_in_docker:Broken", sandbox="docker")
    assert tried.outcome.label is Label.INFRA_ERROR
    assert "broken could not be installed: below the task" in tried.outcome.reason
    assert "no such package" in tried.log("build")
