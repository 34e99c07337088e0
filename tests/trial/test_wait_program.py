"""`company-wait` in the examinee's room, and the worker's tool that uses it: in both sandboxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task

SOLUTION = """
    import json, os, subprocess

    def wait(*given):
        return subprocess.run(["company-wait", *given], capture_output=True, text=True)

    assert not os.access("/usr/local/bin/company-wait", os.W_OK) or os.getuid() == 0
    asked = wait()
    assert asked.stdout.startswith("It is Mon 09 Mar 2026 09:0"), asked
    for given, code, said in (
        (("ages",), 1, "company-wait: 'ages' is no length of time; write 45m, 1h30m or 2d.\\n"),
        (("--until", "2026-03-01 09:00"), 1, "Time does not go back."),
        (("30d",), 1, "Here 7d may be let pass in all, and 7d of it is left. Nothing has moved."),
        (("--soon",), 2, "usage: company-wait"),
    ):
        refused = wait(*given)
        assert refused.returncode == code and said in refused.stderr, (given, refused)
    assert "Tue 10 Mar 2026 09:00" in wait("--until", "Tue 09:00").stdout
    assert "Tue 10 Mar 2026 09:45" in wait("45m").stdout
    assert json.loads(wait("--until=10:00", "--json").stdout)["now"].startswith("2026-03-10T10:00:00")
    assert "2026-03-10" in subprocess.run(["date", "-u", "-I"], capture_output=True, text=True).stdout
    open("/workspace/answer.txt", "w").write("shipshape\\n")
    """


@pytest.fixture(params=["embedded", pytest.param("docker", marks=pytest.mark.xdist_group("docker"))])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    return str(request.param)


def test_the_program_lets_time_pass_and_says_why_it_cannot(cache: Path, tmp_path: Path, sandbox: str) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=SOLUTION), sandbox=sandbox)
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.text("trajectory.json")[-2000:])
    assert "company-wait" not in tried.text("changes.json")
    moments = json.loads(tried.text("began.json"))["moments"]
    assert moments[-1]["world"].startswith("2026-03-10T10:00")
