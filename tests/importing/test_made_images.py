"""`dayjob run --sandbox docker --image`: a task in an image that somebody else has built of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dockerd import BASE_IMAGE
from tests.importing.checkouts import BASE, write

pytestmark = pytest.mark.xdist_group("docker")

DAYJOB = [sys.executable, "-c", "from dayjob.cli import main; main()"]
TASK = {
    "task.md": "Write the colour that /workspace/given.txt asks for to /workspace/answer.txt.\n",
    "checkpoints.md": "# Checkpoints\n\nThis task has 1 point in total.\n\n## Checkpoint 1 (1pt)\n\nIt is right.\n",
    # Nobody runs this: the image holds what it did.
    "Dockerfile": BASE + "\nCOPY golden.txt /utils/\nRUN a-program-that-nobody-has\n",
    "golden.txt": "not the one in the image\n",
    "dependencies.yml": "",
    "evaluator.py": """
        from common import *
        from scoring import Checkpoint, Result


        @grader
        def grade_checkpoint1():
            with open("/utils/golden.txt") as golden, open("/workspace/answer.txt") as answer:
                return golden.read().strip() == answer.read().strip()


        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_checkpoint1()))])
        """,
    "solution.py": """
        import os

        assert not os.path.exists("/utils/golden.txt") and not os.path.exists("/npc/scenarios.json")
        assert open("/workspace/given.txt").read().strip() == "the sky's"
        with open("/workspace/answer.txt", "w") as file:
            file.write("blue")
        """,
}
PUBLISHED = f"""
FROM {BASE_IMAGE}
RUN mkdir -p /utils /npc /instruction /workspace && echo blue > /utils/golden.txt \
    && echo "raise SystemExit" > /utils/common.py \
    && echo "the sky's" > /workspace/given.txt && echo x > /npc/scenarios.json
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DAYJOB, "run", str(folder / "sky"), "--json", *options], capture_output=True, text=True, cwd=folder
    )


@pytest.mark.usefixtures("daemon")
def test_an_image_from_elsewhere_takes_the_place_of_the_dockerfile(tmp_path: Path) -> None:
    write(tmp_path / "sky", TASK)
    subprocess.run(
        ["docker", "build", "-t", "registry.test/tac/sky-image:1.0.0", "-"], input=PUBLISHED.encode(), check=True
    )
    image = ("--sandbox", "docker", "--image", "registry.test/tac/{task}-image:1.0.0", "--retries", "0")
    for agent, label in (("oracle", "resolved"), ("nop", "failed")):
        done = run(tmp_path, "-a", agent, "-o", f"out-{agent}", *image)
        outcome = json.loads((tmp_path / f"out-{agent}/sky.{agent}.1/outcome.json").read_text())
        assert outcome["label"] == label, (outcome, done.stderr)


@pytest.mark.usefixtures("daemon")
def test_an_image_that_is_nowhere_is_named(tmp_path: Path) -> None:
    write(tmp_path / "sky", TASK)
    run(tmp_path, "-o", "out", "--sandbox", "docker", "--image", "registry.test/none:1", "--retries", "0")
    outcome = json.loads((tmp_path / "out/sky.oracle.1/outcome.json").read_text())
    assert outcome["label"] == "init_error"
    assert "a task cannot be run in the image 'registry.test/none:1'" in outcome["reason"]


def test_an_image_needs_docker(tmp_path: Path) -> None:
    write(tmp_path / "sky", TASK)
    done = run(tmp_path, "--image", "registry.test/none:1")
    assert done.returncode == 2
    assert "add --sandbox docker" in done.stderr
