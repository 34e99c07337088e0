"""How tests are spread over workers: those that share what one of them has made are on the same one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent

# Both files say which worker ran what; one worker alone cannot take all of them.
MODULE = """
import os
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def shared():
    return "made once"

def note(group):
    with open({log!r}, "a") as log:
        log.write(group + " " + os.environ["PYTEST_XDIST_WORKER"] + "\\n")

@pytest.mark.parametrize("number", range(8))
def test_with_what_its_module_made(shared, number):
    note({name!r})

@pytest.mark.xdist_group("named")
@pytest.mark.parametrize("number", range(4))
def test_in_a_named_group(number):
    note("named")
"""


def test_a_group_is_run_by_one_worker(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text(MODULE.format(log=str(log), name=name), "utf-8")
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", str(tmp_path)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=tmp_path, env={**env, "PYTHONPATH": str(HERE.parent)}, capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
    workers = defaultdict[str, list[str]](list)
    for line in log.read_text("utf-8").splitlines():
        group, worker = line.split()
        workers[group].append(worker)
    assert {group: len(each) for group, each in workers.items()} == {"one": 8, "two": 8, "named": 8}
    assert all(len(set(each)) == 1 for each in workers.values()), dict(workers)
