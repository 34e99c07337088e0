"""Runs python-gitlab's own functional tests, from its source archive, against a forge that this machine serves.

    pip download --no-deps --no-binary :all: python-gitlab
    tar xf python_gitlab-*.tar.gz
    python -m tools.python_gitlab_suite python_gitlab-8.6.0 --python VENV/bin/python [pytest's own arguments]

VENV has python-gitlab[graphql] of that version, pytest, pytest-docker, pytest-console-scripts, PyYAML and responses.
The tests are as they are published; what would start GitLab in docker is replaced by the address and the token of
`worlds/blank`.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = """
import os, time
import pytest

ANSWERS = {
    "gitlab_url": os.environ["FORGE_URL"],
    "gitlab_token": os.environ["FORGE_TOKEN"],
    "gitlab_runner": "the company has one",
    "docker_services": None,
    "docker_ip": "127.0.0.1",
    "gitlab_docker_port": 0,
}
sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 1.0))  # a forge in this process's neighbour needs no half minutes


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    if fixturedef.argname in ANSWERS:
        value = ANSWERS[fixturedef.argname]
        fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
        return value if value is not None else False
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, help="the unpacked source archive of python-gitlab")
    parser.add_argument("--python", default=sys.executable, help="the Python that has python-gitlab and pytest")
    asked, more = parser.parse_known_args()
    serve = [sys.executable, "-m", "dayjob", "company", "serve", "--world", str(ROOT / "worlds" / "blank")]
    ports = [word for name in ("chat", "forge", "board", "drive", "control") for word in ("--port", f"{name}=0")]
    company = subprocess.Popen([*serve, *ports], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "served_forge.py").write_text(PLUGIN)
            environment = {
                **os.environ,
                "FORGE_URL": forge_address(company),
                "FORGE_TOKEN": "root-token",
                "PYTHONPATH": folder,
                "PATH": f"{Path(asked.python).absolute().parent}{os.pathsep}{os.environ['PATH']}",
            }
            pytest = [asked.python, "-m", "pytest", "-q", "-p", "served_forge", "--script-launch-mode=subprocess"]
            return subprocess.run(
                [*pytest, *(more or ["tests/functional"])], cwd=asked.suite, env=environment
            ).returncode
    finally:
        company.send_signal(signal.SIGINT)
        company.wait(30)


def forge_address(company: subprocess.Popen[str]) -> str:
    """From what the company says when it has started."""
    assert company.stdout is not None
    for line in company.stdout:
        print(line, end="", flush=True)
        if found := re.search(r"forge.*?(http://[\w.]+:\d+)", line):
            return found[1]
    raise SystemExit("The company did not start; its own words are above.")


if __name__ == "__main__":
    raise SystemExit(main())
