"""Everything that can be looked at in a trial says the company's time, in both sandboxes."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from textwrap import dedent

import pytest

from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import WORLD, Tried, task, trial, write

AT_ONCE = 2.0  # seconds that an observation may be apart from the company's clock
OBSERVATIONS = (Path(__file__).parent / "observations.py").read_text("utf-8")

# What is asked from the evaluator's own room, and from a workbench through `run_as_examinee`.
EVALUATOR = """
    import json, os, subprocess, time
    import requests
    from email.utils import parsedate_to_datetime
    from common import *
    from scoring import Checkpoint, Result

    def company():
        url = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['DAYJOB_CONTROL_PORT']}/api/healthcheck/owncloud"
        return parsedate_to_datetime(requests.get(url).headers["Date"]).timestamp()

    def look(what, seen):
        before = company()
        said = float(seen())
        return {"what": what, "said": said, "before": before, "after": company()}

    def said_by(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    @grader
    def grade_observations():
        found = [
            look("the evaluator, time.time", time.time),
            look("the evaluator, date", lambda: said_by("date", "+%s")),
            look("the evaluator's own file", lambda: os.stat(open("/var/tmp/own", "w").name).st_mtime),
            look("a workbench, date", lambda: run_as_examinee(["date", "+%s"]).stdout),
            look("a workbench, a file", lambda: run_as_examinee("touch /tmp/x; stat -c %Y /tmp/x").stdout),
        ]
        kept = [one["said"] for one in json.load(open("/workspace/observations.json")) if one["what"] == "stat"]
        found.append({"what": "the examinee's file", "said": os.stat("/workspace/looks/d").st_mtime,
                      "before": kept[0], "after": kept[0]})
        there = run_as_examinee("stat -c %Y /workspace/looks/d").stdout
        found.append({"what": "the examinee's file in a workbench", "said": float(there),
                      "before": kept[0], "after": kept[0]})
        print("FOUND " + json.dumps(found))
        return True

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2 * int(grade_observations()))])
    """

PRE_INIT = """
    import time, subprocess
    print("FOUND", time.time(), subprocess.run(["date", "+%s"], capture_output=True, text=True).stdout)
    """

MARCH = 1_773_046_800.0  # 2026-03-09 09:00 UTC, the world's now
A_DAY = 86_400.0


@pytest.fixture(scope="module", params=["embedded", pytest.param("docker", marks=pytest.mark.xdist_group("docker"))])
def tried(request: pytest.FixtureRequest, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    folder = tmp_path_factory.mktemp("clock")
    sam = dedent(WORLD["people/sam.reed.yml"]) + "board: {api_key: plane_api_sam_first_day}\n"
    world = write(folder / "office", {**WORLD, "people/sam.reed.yml": sam})
    # It names one service; the others answer all the same.
    path = task(folder, solution__py=OBSERVATIONS, evaluator__py=EVALUATOR, pre_init__py=PRE_INIT)
    spec = TrialSpec(task=str(path), agent="oracle", out=str(folder / "out"), world=str(world), sandbox=request.param)
    return Tried(trial(spec, cache), folder / "out")


def observations(tried: Tried) -> list[dict[str, float]]:
    with tarfile.open(tried.folder / "workspace.tar.gz") as tar:
        (name,) = [name for name in tar.getnames() if name.endswith("observations.json")]
        file = tar.extractfile(name)
        assert file is not None
        found: list[dict[str, float]] = json.load(file)
    return found


def apart(found: list[dict[str, float]]) -> list[dict[str, float]]:
    return [one for one in found if not one["before"] - AT_ONCE <= one["said"] <= one["after"] + AT_ONCE]


def test_more_than_forty_observations_agree_with_the_companys_clock(tried: Tried) -> None:
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.outcome.stopped)
    found = observations(tried)
    assert apart(found) == []
    assert len({one["what"] for one in found}) == len(found) >= 60
    assert all(MARCH <= one["before"] < MARCH + A_DAY for one in found)


def test_the_evaluator_and_its_workbenches_agree_too(tried: Tried) -> None:
    (line,) = [line for line in tried.log("grade").splitlines() if line.startswith("FOUND ")]
    found = json.loads(line.removeprefix("FOUND "))
    assert apart(found) == []
    assert len(found) == 7
    assert all(MARCH <= one["before"] < MARCH + A_DAY for one in found)


def test_init_scripts_have_the_companys_time(tried: Tried) -> None:
    _, own, programs = tried.log("pre_init").split()
    assert MARCH <= float(own) < MARCH + A_DAY
    assert MARCH <= float(programs) < MARCH + A_DAY
