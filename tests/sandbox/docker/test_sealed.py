"""Images that travel: built sealed, run by hand with the key and without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dayjob.grading.seal import new_key
from tests.trial.offices import TASK, task

pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]

DAYJOB = [sys.executable, "-c", "from dayjob.cli import main; main()"]
SECRETS = ("shipshape", "grade_answer", "secret step", "sole solution", "seldom-said-hint", "This task has 2 points")


def built(folder: Path, key: str) -> str:
    """A sealed image of a task that copies answers about, as older ones do."""
    path = task(
        folder,
        dependencies__yml="",
        Dockerfile="FROM dayjob/task-base:1\nCOPY references/ /answers/\nCOPY table.csv /utils/\n"
        "COPY evaluator.py task.md /workspace/all/\n",
        evaluator__py=TASK["evaluator.py"].replace("REFERENCE.read_text()", 'Path("/answers/answer.txt").read_text()'),
        pre_init__py="print('secret step')\nopen('/workspace/made', 'w').write('by init')\n",
        post_init__sh="env > /workspace/environment\n",
        solution__py="# the sole solution\n",
        scenarios__json=json.dumps({"Mara Lind": {"extra_info": "", "strategy_hint": "seldom-said-hint"}}),
        **{"table.csv": "shipshape,2\n", ".dockerignore": "*.md\n!task.md\n"},
    )
    done = subprocess.run(
        [*DAYJOB, "image", "build", "--seal", str(path)],
        env={**os.environ, "DAYJOB_SEAL_KEY": key},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "dayjob-task/small-task:sealed" in done.stdout
    return "dayjob-task/small-task:sealed"


def run(image: str, script: str, **env: str) -> subprocess.CompletedProcess[str]:
    options = [part for name in env for part in ("-e", name)]
    return subprocess.run(
        ["docker", "run", "--rm", "--network", "none", *options, image, "bash", "-c", script],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )


GRADE = "python_default /utils/eval.py --result_path /tmp/r.json; cat /tmp/r.json"


def test_a_sealed_image_shows_nothing_and_grades_with_its_key(tmp_path: Path) -> None:
    key = new_key()
    image = built(tmp_path, key)

    layers = subprocess.run(["docker", "save", image], capture_output=True, check=True).stdout
    for secret in SECRETS:
        assert secret.encode() not in layers
    assert b"Write the word that the office uses" in layers

    look = "cat /instruction/task.md /utils/sealed >/dev/null && ls -R /utils /npc /answers /workspace/all && "
    look += "cat /utils/*.py /utils/table.csv /answers/* /workspace/all/* 2>/dev/null"
    seen = run(image, look).stdout
    assert "This file is sealed" in seen
    for secret in SECRETS:
        assert secret not in seen

    work = f"bash /utils/init.sh && echo shipshape > answer.txt && {GRADE}; ls /utils/__pycache__; cat environment"
    done = run(image, work, DAYJOB_SEAL_KEY=key)
    assert json.loads(done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1])["final_score"] == {
        "total": 2,
        "result": 2,
    }, done.stderr
    assert "secret step" in done.stdout
    assert "DAYJOB_SEAL_KEY" not in done.stdout.rpartition("}")[2]  # what init scripts start never knows the key
    after = f"{GRADE} >/dev/null 2>&1; bash /utils/init.sh; cat /answers/* /utils/*.py /workspace/all/*; ls /utils"
    left = run(image, after, DAYJOB_SEAL_KEY=key).stdout.replace("secret step", "", 1)
    for secret in SECRETS:
        assert secret not in left

    for env, sentence in (
        ({}, "there is no key: set DAYJOB_SEAL_KEY"),
        ({"DAYJOB_SEAL_KEY": new_key()}, "the seal was made with another key"),
        ({"DAYJOB_SEAL_KEY": "guess"}, "is not a key"),
    ):
        for step in ("bash /utils/init.sh", GRADE):
            refused = run(image, step, **env)
            assert sentence in refused.stderr
            assert "Traceback" not in refused.stderr
            assert "final_score" not in refused.stdout
    broken = f"printf x | dd of=/utils/sealed bs=1 seek=100 conv=notrunc 2>/dev/null; {GRADE}"
    refused = run(image, broken, DAYJOB_SEAL_KEY=key)
    assert "the seal is damaged or was tampered with" in refused.stderr
    assert "final_score" not in refused.stdout


def test_the_older_seal_works_by_hand_too(tmp_path: Path) -> None:
    """An image with `evaluator.py.enc` and no evaluator, opened with DECRYPTION_KEY."""
    import base64

    from cryptography.fernet import Fernet

    path = task(tmp_path, dependencies__yml="")
    key = base64.urlsafe_b64encode(b"a shared password".ljust(32, b"\0"))
    (path / "evaluator.py.enc").write_bytes(Fernet(key).encrypt((path / "evaluator.py").read_bytes()))
    (path / "Dockerfile").write_text(
        "FROM dayjob/task-base:1\nCOPY evaluator.py.enc /utils/\nRUN rm /utils/evaluator.py\n"
    )
    done = subprocess.run([*DAYJOB, "image", "build", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    image, work = "dayjob-task/small-task:latest", f"echo shipshape > answer.txt; {GRADE}"
    assert '"result": 2' in run(image, work, DECRYPTION_KEY="a shared password").stdout
    refused = run(image, work, DECRYPTION_KEY="another")
    assert "does not open with this DECRYPTION_KEY" in refused.stderr
    assert "final_score" not in refused.stdout
    assert "set DECRYPTION_KEY" in run(image, work).stderr


def test_a_key_is_made_once_and_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "seal.key"
    assert subprocess.run([*DAYJOB, "image", "key", str(file)]).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    again = subprocess.run([*DAYJOB, "image", "key", str(file)], capture_output=True, text=True)
    assert again.returncode == 2
    assert "exists" in again.stderr
    none = subprocess.run(
        [*DAYJOB, "image", "build", "--seal", str(task(tmp_path))], capture_output=True, text=True, env={**os.environ}
    )
    assert none.returncode == 2
    assert "there is no key" in none.stderr
