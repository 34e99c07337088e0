"""The straight line of a trial, and the label for everything that can end it early."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from textwrap import dedent

from dayjob.report.viewer.timeline import timeline
from dayjob.trial.outcome import MEANINGS, Label, Outcome
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import TASK, attempt, task


def test_the_oracle_resolves_the_task_and_leaves_its_evidence(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), gradings=2)
    assert (tried.outcome.label, tried.outcome.result, tried.outcome.total) == (Label.RESOLVED, 2, 2)
    assert tried.outcome.score == 1.0
    assert json.loads(tried.text("result.json")) == {
        "checkpoints": [{"total": 2, "result": 2}],
        "final_score": {"total": 2, "result": 2},
    }
    assert Outcome.from_json(tried.text("outcome.json")) == tried.outcome
    assert json.loads(tried.text("changes.json")) == []
    assert json.loads(tried.text("trajectory.json"))["schema_version"] == "ATIF-v1.8"
    with tarfile.open(tried.folder / "workspace.tar.gz") as tar:
        assert tar.getnames() == ["answer.txt"]
    steps = ["build", "start", "init", "setup", "work", "freeze", "grade", "collect", "all"]
    assert list(tried.outcome.timings) == steps


ASKS = """
    import urllib.request
    urllib.request.urlopen("http://office.test:8092/status.php").read()
    open("/workspace/answer.txt", "w").write("shipshape")
    """


def test_the_host_s_and_the_company_s_clock_fit_on_one_axis(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=ASKS))
    steps = [(step["timestamp"], "", "") for step in json.loads(tried.text("trajectory.json"))["steps"]]
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    drawn = timeline(tried.folder, tried.outcome, steps, [row for row in rows if row["role"] == "examinee"])
    assert drawn.exact
    lanes = {lane.name: lane.marks for lane in drawn.lanes}
    work = next(band for band in drawn.bands if band.name == "work")
    # The company's year is another than the host's, and still both lie within the work.
    assert work.start - 0.25 <= lanes["agent"][0].at <= lanes["drive"][0].at <= work.end + 0.25


def test_doing_nothing_fails(cache: Path, tmp_path: Path) -> None:
    outcome = attempt(cache, tmp_path, task(tmp_path), "nop").outcome
    assert (outcome.label, outcome.score) == (Label.FAILED, 0.0)


def test_echoing_the_task_reaches_the_evaluator_as_the_agents_words(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_words(trajectory):
            return "finished work" in trajectory
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(2, 2 * int(grade_words(trajectory)))])
        """
    path = task(tmp_path, evaluator__py=evaluator)
    assert attempt(cache, tmp_path, path, "echo").outcome.label is Label.RESOLVED
    assert attempt(cache, tmp_path, path, "nop").outcome.label is Label.FAILED


def test_part_of_the_marks_is_partial(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(4, 1)])
        """
    outcome = attempt(cache, tmp_path, task(tmp_path, evaluator__py=evaluator), "nop").outcome
    assert (outcome.label, outcome.score) == (Label.PARTIAL, 0.125)


def test_init_scripts_run_in_order_with_the_worlds_accounts(cache: Path, tmp_path: Path) -> None:
    ask = """
        import os, requests
        from config import OWNCLOUD_URL
        login = (os.environ["OWNCLOUD_USERNAME"], os.environ["OWNCLOUD_PASSWORD"])
        answer = requests.get(OWNCLOUD_URL + "/remote.php/webdav/Notes/plan.txt", auth=login)
        print(answer.status_code, answer.text.strip())
        open("/workspace/order", "a").write("{name} ")
        """
    scripts = {f"{name}__py": ask.replace("{name}", name) for name in ("pre_init", "populate_data", "post_init")}
    tried = attempt(cache, tmp_path, task(tmp_path, **scripts))
    for name in ("pre_init", "populate_data", "post_init"):
        assert tried.log(name) == "200 the plan\n"
    with tarfile.open(tried.folder / "workspace.tar.gz") as tar:
        order = tar.extractfile("order")
        assert order is not None
        assert order.read() == b"pre_init populate_data post_init "


def test_pre_init_may_reset_a_service_and_keeps_its_account(cache: Path, tmp_path: Path) -> None:
    script = """
        import os, requests
        from config import OWNCLOUD_URL, SERVER_HOSTNAME
        login = (os.environ["OWNCLOUD_USERNAME"], os.environ["OWNCLOUD_PASSWORD"])
        control = f"http://{SERVER_HOSTNAME}:2999/api"
        plan = OWNCLOUD_URL + "/remote.php/webdav/Notes/plan.txt"
        requests.put(plan, data=b"spoilt", auth=login).raise_for_status()
        assert requests.post(control + "/reset-owncloud").status_code == 202
        assert requests.get(control + "/healthcheck/owncloud").status_code == 200
        print(requests.get(plan, auth=login).text.strip())
        """
    assert attempt(cache, tmp_path, task(tmp_path, pre_init__py=script)).log("pre_init") == "the plan\n"


def test_an_init_script_that_fails_is_not_the_examinees_fault(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, pre_init__sh="echo not ready >&2; exit 3\n"))
    assert (tried.outcome.label, tried.outcome.step, tried.outcome.score) == (Label.INIT_ERROR, "init", None)
    assert "pre_init.sh ended with 3" in tried.outcome.reason
    assert tried.log("pre_init") == "not ready\n"


def test_an_init_script_that_hangs_is_ended(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, post_init__sh="sleep 100\n", task__toml="format = 1\n[timeouts]\ninit = 1\n")
    outcome = attempt(cache, tmp_path, path).outcome
    assert outcome.label is Label.INIT_ERROR
    assert "post_init.sh did not end within 1 s" in outcome.reason


def test_a_server_started_by_init_lives_on_without_a_valid_secret(cache: Path, tmp_path: Path) -> None:
    init = """
        import os, subprocess, time, urllib.request
        subprocess.Popen(["python3", "-m", "http.server", "8123"], cwd="/instruction", start_new_session=True)
        for _ in range(200):
            try:
                urllib.request.urlopen("http://localhost:8123/")
                break
            except OSError:
                time.sleep(0.02)
        """
    solution = """
        import glob, requests
        print("serves", requests.get("http://localhost:8123/task.md").status_code)
        for path in glob.glob("/proc/[0-9]*/environ"):
            if path == "/proc/1/environ":
                continue
            for pair in open(path, "rb").read().decode().split("\\0"):
                name, _, value = pair.partition("=")
                if name == "OWNCLOUD_PASSWORD":
                    url = "http://office.test:8092/remote.php/webdav/Notes/plan.txt"
                    print("drive", requests.get(url, auth=("office", value)).status_code)
                if name == "DAYJOB_CONTROL_TOKEN":
                    url = "http://office.test:2999/api/journal"
                    print("control", requests.get(url, headers={"X-Dayjob-Token": value}).status_code)
        """
    tried = attempt(cache, tmp_path, task(tmp_path, pre_init__py=init, solution__py=solution))
    said = json.loads(tried.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
    assert "serves 200\n" in said
    assert "drive 401\n" in said
    assert "control 403\n" in said


def test_a_task_that_needs_a_service_nobody_has_says_which(cache: Path, tmp_path: Path) -> None:
    outcome = attempt(cache, tmp_path, task(tmp_path, dependencies__yml="- sharepoint\n")).outcome
    assert outcome.label is Label.INIT_ERROR
    assert "sharepoint" in outcome.reason


def test_an_examinee_that_runs_out_of_time_is_graded_on_what_it_left(cache: Path, tmp_path: Path) -> None:
    solution = TASK["solution.py"] + "import time\ntime.sleep(100)\n"
    outcome = attempt(cache, tmp_path, task(tmp_path, solution__py=solution), seconds=1.5).outcome
    assert (outcome.label, outcome.ended) == (Label.RESOLVED, "timeout")


def test_what_the_dockerfile_installs_is_there_for_examinee_and_grader(cache: Path, tmp_path: Path) -> None:
    dockerfile = """
        FROM dayjob/task-base:1
        ARG WORD=hello
        ENV GREETING="$WORD there"
        COPY data/ /workspace/data/
        RUN echo "VALUE = '$GREETING'" \\
            > "$(python3 -c 'import site; print(site.getsitepackages()[0])')/greeting.py"
        WORKDIR /workspace/data
        """
    evaluator = "import greeting\nassert greeting.VALUE == 'hello there'\n" + dedent(TASK["evaluator.py"])
    solution = "import greeting, os\nprint(greeting.VALUE, os.getcwd(), os.listdir('.'), os.environ['GREETING'])\n"
    path = task(tmp_path, Dockerfile=dockerfile, evaluator__py=evaluator, solution__py=solution, **{"data/a.txt": "a"})
    tried = attempt(cache, tmp_path, path)
    assert tried.outcome.label is Label.FAILED
    said = json.loads(tried.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
    assert said == "hello there /workspace/data ['a.txt'] hello there\n"


def test_a_dockerfile_that_does_not_build_keeps_its_log(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, Dockerfile="FROM dayjob/task-base:1\nRUN echo so far; exit 4\n"))
    assert tried.outcome.label is Label.INIT_ERROR
    assert "Dockerfile:2: RUN ended with 4" in tried.outcome.reason
    assert "so far" in tried.log("build")


def test_an_agent_that_is_missing_something_is_not_a_failure_at_the_task(cache: Path, tmp_path: Path) -> None:
    outcome = attempt(cache, tmp_path, task(tmp_path, solution__py=None)).outcome
    assert outcome.label is Label.INFRA_ERROR
    assert "no solution" in outcome.reason


def test_a_second_attempt_in_the_same_folder_keeps_the_first_apart(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path)
    attempt(cache, tmp_path, path)
    tried = attempt(cache, tmp_path, path, "nop")
    assert Outcome.from_json(tried.text("outcome.json")).label is Label.FAILED
    assert Outcome.from_json(tried.text("earlier/1/outcome.json")).label is Label.RESOLVED
    assert not (tried.folder / "logs" / "pre_init.log").exists()


def test_a_spec_survives_its_journey() -> None:
    spec = TrialSpec("/tasks/x", "oracle", "/out", seconds=3.5, gradings=2)
    assert TrialSpec.from_json(spec.to_json()) == spec


def test_only_scores_are_scored() -> None:
    scored = {label for label, meaning in MEANINGS.items() if meaning.scored}
    assert scored == {Label.RESOLVED, Label.PARTIAL, Label.FAILED}
    assert MEANINGS.keys() == set(Label)
