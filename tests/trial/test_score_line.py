"""The score line: what the work was worth along the way is what grading each prefix from scratch says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dayjob.agent import Agent, Assignment, Step, Trajectory
from dayjob.agent.command import Command
from dayjob.agent.transcript_readers import claude_code
from dayjob.cli.run import run
from dayjob.report.export.atif import check
from dayjob.sandbox.sandbox import Sandbox
from dayjob.trial import score_line
from dayjob.trial.grade import WITHHELD
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.readiness import NotReady, check_ready
from dayjob.trial.run_folder import open_run, reopen_run
from dayjob.trial.score_rows import Point, assigned
from dayjob.trial.spec import SpecError, TrialSpec
from dayjob.trial.variants import found_folder, make_here
from dayjob.trial.variants.key import VariantKey
from tests.agent.test_worker import script, turn
from tests.env.conftest import EXAMPLE, Driver
from tests.env.conftest import driver as driver
from tests.trial.families import FAMILY, family
from tests.trial.offices import Tried, office, task, write

# Runs a script and stops it when it has changed something so many times.
PREFIX = """
import runpy, sys, requests
path, most, made = sys.argv[1], int(sys.argv[2]), 0
sys.argv = [path]
sys.path.insert(0, "/tmp/played")
send = requests.Session.send
def sent(self, request, **options):
    global made
    answer = send(self, request, **options)
    made += request.method == "PUT" or request.url.endswith("chat.postMessage")
    if made == most:
        sys.exit(0)
    return answer
requests.Session.send = sent
runpy.run_path(path, run_name="__main__")
"""
PUT = "curl -sf -u sam.reed:sam-first-day -T {} http://office.test:8092/remote.php/webdav/"


def tried(driver: Driver, folder: Path, path: Path, agent: str = "oracle", **options: Any) -> Tried:
    given: Agent | None = options.pop("given", None)
    options = {"world": str(office(folder)), "score_every": "step", **options}
    spec = TrialSpec(str(path), agent, str(folder / "out"), **options)
    return Tried(driver.run(driver.workshop.run(spec, given)), folder / "out")


def line(trial: Tried) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(trial.text("score-line.json"))["points"]
    return found


def results(trial: Tried) -> list[int | None]:
    return [point.get("result") for point in line(trial)]


def steps_told(trial: Tried) -> list[int | None]:
    return [point["step"] for point in line(trial)]


def played(driver: Driver, script: Path, most: int) -> list[dict[str, Any]]:
    """What the beginning of a script is worth, done in a company and a sandbox of its own."""

    async def main() -> list[dict[str, Any]]:
        async with driver.env(EXAMPLE, clock="running") as env:
            await env.reset()
            await env.write_file("/tmp/prefix.py", PREFIX)
            for one in (EXAMPLE / "solution.py", script):
                await env.write_file(f"/tmp/played/{one.name}", one.read_text("utf-8"))
            done = await env.exec(f"python_default /tmp/prefix.py /tmp/played/{script.name} {most}")
            assert done.ok, done.output
            marks = await env.grade()
            return [{"total": row.total, "result": row.result, "reason": row.reason} for row in marks.checkpoints]

    return driver.run(main())


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("oracle", [5, 7, 8, 8]),
        ("mutant:counts-cancelled", [4, 5, 6, 6]),
        ("mutant:forgets-credit-notes", [4, 5, 6, 6]),
        ("mutant:only-talks", [3, 4, 4]),
        ("mutant:ticks-the-checklist", [5, 4, 6, 7, 7]),
    ],
)
def test_the_line_of_the_examples_mutants_is_what_each_prefix_is_worth_from_scratch(
    driver: Driver, tmp_path: Path, agent: str, expected: list[int]
) -> None:
    trial = tried(driver, tmp_path, EXAMPLE, agent, world=None)
    points = line(trial)
    assert results(trial) == expected
    played_script = EXAMPLE / "solution.py" if agent == "oracle" else EXAMPLE / "mutants" / f"{agent[7:]}.py"
    for number, point in enumerate(points[:-1], 1):
        assert point["checkpoints"] == played(driver, played_script, number), number
    assert points[-1]["checkpoints"] == trial.outcome.checkpoints
    assert trial.outcome.score_line["best"] == max(expected)
    assert (trial.outcome.score_line["points"], trial.outcome.score_line["failed"]) == (len(expected), 0)
    assert [point["at"] for point in points] == sorted(point["at"] for point in points)


def test_nothing_of_it_is_to_be_seen_in_the_company_that_is_worked_in(driver: Driver, tmp_path: Path) -> None:
    """The same requests, the same changes, by the same roles: with the line and without it."""
    seen = []
    for every in ("step", None):
        (folder := tmp_path / str(every)).mkdir()
        trial = tried(driver, folder, EXAMPLE, world=None, score_every=every)
        rows = [json.loads(row) for row in trial.text("journal.jsonl").splitlines()]
        assert trial.outcome.label is Label.RESOLVED, trial.outcome.reason
        kept = ("kind", "phase", "role", "service", "account", "method", "path", "status", "table", "op")
        seen.append([{name: row[name] for name in kept if name in row} for row in rows])
    assert seen[0] == seen[1]
    assert any(row["role"] == "examinee" and row["kind"] == "change" for row in seen[0])


def test_a_workers_steps_are_each_graded_and_told_in_its_trajectory(driver: Driver, tmp_path: Path) -> None:
    model = script(
        tmp_path,
        turn(1, "shell", command="ls"),
        turn(2, "shell", command="echo shipshape > answer.txt"),
        turn(3, "shell", command="cat answer.txt"),
        turn(4, "shell", command="echo wrong > answer.txt"),
        turn(5, "finish", summary="done"),
    )
    folders = [tmp_path / name for name in ("step", "change", "2")]
    for folder in folders:
        folder.mkdir()
    path = task(tmp_path)
    every, changed, second = (
        tried(driver, folder, path, "worker", model=model, score_every=folder.name) for folder in folders
    )
    assert (results(every), steps_told(every)) == ([0, 2, 2, 0, 0], [3, 4, 5, 6, 7])
    assert (results(changed), steps_told(changed)) == ([2, 0, 0], [4, 6, 7])
    assert (results(second), steps_told(second)) == ([2, 0, 0], [4, 6, 7])
    assert every.outcome.label is Label.FAILED
    assert every.outcome.score_line["best"] == 2
    document = json.loads(every.text("trajectory.json"))
    assert list(check(document)) == []
    told = {step["step_id"]: step["extra"]["score_line"] for step in document["steps"] if "extra" in step}
    assert {number: [point["result"] for point in points] for number, points in told.items()} == {
        3: [0], 4: [2], 5: [2], 6: [0], 7: [0]
    }  # fmt: skip
    assert told[4][0]["checkpoints"] == [2]
    assert every.outcome.notes == []


def test_a_program_is_graded_whenever_it_asks_its_model_again(driver: Driver, tmp_path: Path) -> None:
    """What it does before its first question is known by its requests, and from then on by its questions alone."""
    program = f"""
        import json, os, subprocess, urllib.request
        def ask():
            body = json.dumps({{"model": "any", "messages": [{{"role": "user", "content": "next"}}]}}).encode()
            headers = {{"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}}
            where = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
            urllib.request.urlopen(urllib.request.Request(where, body, headers)).read()
        def put(name):
            subprocess.run("echo x > /tmp/{{0}}; {PUT.format("/tmp/{0}")}".format(name), shell=True, check=True)
        put("before")
        ask()
        put("one")
        put("two")
        open("/workspace/answer.txt", "w").write("shipshape")
        ask()
        open("/workspace/answer.txt", "w").write("no longer")
        ask()
        """
    path = task(tmp_path, Dockerfile="FROM dayjob/task-base:1\nCOPY agent.py /opt/agent.py\n")
    write(path, {"agent.py": program})
    write(tmp_path, {"model.yml": "format: 1\nrules:\n- say: go on\n"})
    model = f"script:{tmp_path / 'model.yml'}"
    trial = tried(driver, tmp_path, path, "command:python3 /opt/agent.py", model=model)
    assert trial.outcome.stopped == "command ended with 0", trial.text("trajectory.json")
    assert results(trial) == [0, 2, 0, 0]
    assert set(steps_told(trial)) == {2}
    assert trial.outcome.resources["models"]["examinee"]["calls"] == 3


def test_points_follow_the_steps_that_an_agents_own_record_tells_while_it_works(driver: Driver, tmp_path: Path) -> None:
    """One answer is two of its steps, so that answers could not be counted."""
    program = """
        import json, os, urllib.request
        def ask():
            body = json.dumps({"model": "any", "messages": [{"role": "user", "content": "next"}]}).encode()
            headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
            where = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
            urllib.request.urlopen(urllib.request.Request(where, body, headers)).read()
        def say(*words):
            for one in words:
                message = {"content": [{"type": "text", "text": one}]}
                print(json.dumps({"type": "assistant", "message": message}), flush=True)
        def answer(text):
            open("/workspace/answer.txt", "w").write(text)
        ask(); say("I look.", "I write."); answer("half")
        ask(); say("Better."); answer("shipshape")
        ask(); say("Done.")
        """
    path = task(tmp_path, Dockerfile="FROM dayjob/task-base:1\nCOPY agent.py /opt/agent.py\n")
    write(path, {"agent.py": program})
    write(tmp_path, {"model.yml": "format: 1\nrules:\n- say: go on\n"})
    agent = Command("python3 /opt/agent.py", name="talker", reader=claude_code)
    model = f"script:{tmp_path / 'model.yml'}"
    trial = tried(driver, tmp_path, path, "talker", model=model, given=agent)
    document = json.loads(trial.text("trajectory.json"))
    assert [step["message"] for step in document["steps"]][1:] == ["I look.", "I write.", "Better.", "Done."]
    assert (results(trial), steps_told(trial)) == ([0, 2, 2], [3, 4, 5])


class Stepper(Agent):
    """An agent of this process that asks no model and says where its steps end."""

    name = "stepper"

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        for text in ("half", "shipshape", "spoilt"):
            await sandbox.put(text.encode(), "/workspace/answer.txt")
            await sandbox.exec("echo x > /tmp/x; " + PUT.format("/tmp/x"))
            trajectory.steps.append(Step("agent", text))
            await assignment.stepped()


def test_an_agent_of_this_process_says_where_its_steps_end(driver: Driver, tmp_path: Path) -> None:
    trial = tried(driver, tmp_path, task(tmp_path), "stepper", given=Stepper())
    # The first request is known before the first step is told of; from then on, steps alone count.
    assert (results(trial), steps_told(trial)) == ([0, 0, 2, 0, 0], [None, 1, 2, 3, 3])


BREAKS = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    def grade_checkpoints(trajectory=""):
        answer = Path("/workspace/answer.txt").read_text().strip()
        if answer == "half":
            raise RuntimeError("the answer is " + answer)
        return Result([Checkpoint(2, 2 * int(answer == "shipshape"))])
    """


def test_a_grading_that_fails_costs_a_note_and_nothing_else(driver: Driver, tmp_path: Path) -> None:
    model = script(
        tmp_path,
        turn(1, "shell", command="echo half > answer.txt"),
        turn(2, "shell", command="echo shipshape > answer.txt"),
        turn(3, "finish", summary="done"),
    )
    trial = tried(driver, tmp_path, task(tmp_path, evaluator__py=BREAKS), "worker", model=model)
    assert trial.outcome.label is Label.RESOLVED
    assert results(trial) == [None, 2, 2]
    assert "no result" in line(trial)[0]["failed"]
    (note,) = trial.outcome.notes
    assert note.startswith("score line: 1 of 2 gradings failed: the evaluator ended with 1 and no result")
    assert trial.outcome.score_line["failed"] == 1


JUDGING = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Points, Result

    @grader
    def grade_answer():
        answer = Path("/workspace/answer.txt")
        return Points(2 * answer.exists(), "there is an answer" if answer.exists() else "there is none")

    @grader
    def grade_tone():
        return judge("the answer is polite", "Yes. The grader should answer yes.")

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, grade_answer()), Checkpoint(1, grade_tone())])
    """


def test_checks_that_ask_a_model_are_left_out_unless_asked_for(driver: Driver, tmp_path: Path) -> None:
    model = script(tmp_path, turn(1, "shell", command="echo x > answer.txt"), turn(2, "finish", summary="done"))
    (judging := tmp_path / "judging").mkdir()
    yes: dict[str, Any] = {"case": "${case}", "verdict": "yes", "reason": "it is"}
    yes["quotes"] = [{"number": 1, "speaker": "", "text": "The grader should answer"}]
    judge = script(judging, {"when": {"anywhere": r"case(?: number)?:? (?P<case>\w+)"}, "json": yes})
    rubric = "# Checkpoints\n\nThis task has 3 points in total.\n\n## Checkpoint 1 (2 pts)\n\nA.\n\n"
    path = task(tmp_path, evaluator__py=JUDGING, checkpoints__md=f"{rubric}## Checkpoint 2 (1 pt)\n\nB.\n")
    asked: list[int] = []
    for judged in (False, True):
        (folder := tmp_path / str(judged)).mkdir()
        trial = tried(driver, folder, path, "worker", model=model, judge_model=judge, score_judge=judged)
        assert trial.outcome.label is Label.RESOLVED, (trial.outcome.reason, trial.outcome.checkpoints)
        along, last = line(trial)
        assert last["checkpoints"][1]["result"] == 1
        asked.append(trial.outcome.resources.get("score_line", {}).get("judge", {}).get("calls", 0))
        if judged:
            assert along["checkpoints"][1]["result"] == 1
            assert trial.outcome.notes == []
        else:
            assert along["checkpoints"][0] == {"total": 2, "result": 2, "reason": "there is an answer"}
            assert along["checkpoints"][1]["result"] is None
            told = "score line: checks that ask a model are left out (grade_tone); --score-judge makes them"
            assert trial.outcome.notes == [told]
        assert len(trial.outcome.judged) == 1
    assert asked[0] == 0
    assert asked[1] > 0


def test_what_listens_in_the_sandbox_hears_nothing_of_it(driver: Driver, tmp_path: Path) -> None:
    checks = """
        import requests
        from common import *
        from scoring import Checkpoint, Result

        @grader
        def grade_server():
            return 2 * int(requests.get("http://127.0.0.1:8000/answer.txt", timeout=5).ok)

        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(2, grade_server())])
        """
    serve = "cd /workspace; echo x > answer.txt; python3 -m http.server 8000 > /workspace/heard 2>&1 & sleep 1"
    model = script(
        tmp_path,
        turn(1, "shell", command=serve),
        turn(2, "shell", command="cat /workspace/heard"),
        turn(3, "finish", summary="done"),
    )
    trial = tried(driver, tmp_path, task(tmp_path, evaluator__py=checks), "worker", model=model)
    assert trial.outcome.label is Label.RESOLVED, (trial.outcome.reason, trial.outcome.checkpoints)
    assert results(trial) == [0, 0, 2]
    document = json.loads(trial.text("trajectory.json"))
    heard = document["steps"][3]["observation"]["results"][0]["content"]
    assert "GET" not in heard
    (note,) = trial.outcome.notes
    assert "what listened on port 8000 was not reached along the way" in note


def test_more_changes_than_can_be_graded_are_told_and_hold_nobody_up(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_line, "MOST_WAITING", 2)
    again = f"""
        import os
        open("/workspace/answer.txt", "w").write("shipshape")
        for number in range(30):
            os.system(f"echo {{number}} > /tmp/x; {PUT.format("/tmp/x")}")
        """
    trial = tried(driver, tmp_path, task(tmp_path, solution__py=again))
    assert trial.outcome.label is Label.RESOLVED
    graded = results(trial)
    assert graded == [2] * len(graded)
    (note,) = trial.outcome.notes
    assert f"score line: {31 - len(graded)} steps were not graded" in note


def test_a_line_that_cannot_be_copied_costs_a_note(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(score_line, "copy_work", full)  # can fail: what the line makes of it is the claim
    model = script(tmp_path, turn(1, "shell", command="echo shipshape > answer.txt"), turn(2, "finish", summary="done"))
    trial = tried(driver, tmp_path, task(tmp_path), "worker", model=model)
    assert trial.outcome.label is Label.RESOLVED
    assert results(trial) == [2]
    assert "a copy could not be made: OSError" in trial.outcome.notes[0]


def test_without_it_nothing_is_kept_of_a_line(driver: Driver, tmp_path: Path) -> None:
    trial = tried(driver, tmp_path, task(tmp_path), score_every=None)
    assert trial.outcome.score_line == {}
    assert not (trial.folder / "score-line.json").exists()
    assert "score_line" not in trial.text("trajectory.json")


def test_a_run_goes_on_with_the_line_it_was_begun_with(tmp_path: Path) -> None:
    spec = TrialSpec(str(task(tmp_path)), "oracle", str(tmp_path / "run" / "one"), score_every="3", score_judge=True)
    with open_run(tmp_path / "run", [spec]):
        pass
    with reopen_run(tmp_path / "run") as opened:
        assert opened.specs == (spec,)
    assert TrialSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("said", ["0", "-1", "steps", "1.5", ""])
def test_what_is_no_step_to_grade_after_is_refused(said: str) -> None:
    with pytest.raises(SpecError, match="is no step to grade after"):
        TrialSpec("task", "oracle", "out", score_every=said).check_score_every()


@pytest.mark.parametrize(
    ("told", "answered", "steps", "count", "expected"),
    [
        ([2, 2], [1, 2], [3, 5], 2, [3, 5]),  # a step for each answer: counted
        ([3, 5], [1, 4], [3, 5], 4, [3, 5]),  # more answers than steps: as its record told
        ([4], [0], [2, 3], 0, [3]),
        ([None], [0], [2], 0, [None]),
        ([2, 7], [1, 2], [], 2, [None, None]),  # its record cannot be read any more
        ([7], [3], [2], 5, [2]),
    ],
)
def test_points_are_told_of_the_steps_they_followed(
    told: list[int | None], answered: list[int], steps: list[int], count: int, expected: list[int | None]
) -> None:
    points = [Point(0.0, "", step, calls) for step, calls in zip(told, answered, strict=True)]
    assigned(points, steps, count)
    assert [point.step for point in points] == expected


def test_an_outcome_from_before_there_were_lines_is_read() -> None:
    facts = json.loads(Outcome("a", "oracle", 1, Label.RESOLVED).to_json())
    del facts["score_line"]
    assert Outcome.from_json(json.dumps(facts)).score_line == {}


@pytest.mark.parametrize("breaks", [False, True])
def test_the_line_of_a_private_variant_tells_marks_and_no_word(
    driver: Driver, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, breaks: bool
) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(cache))
    ending = "            return Result([Checkpoint(2, grade_answer())])"
    early = 'if not Path("/workspace/over").exists(): raise RuntimeError(f"asked was {NUMBER}")'
    checks = FAMILY["evaluator.py"].replace(ending, f"            {early if breaks else 'pass'}\n{ending}")
    assert checks != FAMILY["evaluator.py"]
    folder, key = family(tmp_path, evaluator__py=checks), VariantKey(b"k" * 32)
    model = script(
        tmp_path,
        turn(1, "shell", command="cut -d' ' -f1 shelf.txt > answer.txt"),
        turn(2, "shell", command="touch over"),
        turn(3, "finish", summary="done"),
    )
    spec = TrialSpec(
        str(folder), "worker", str(tmp_path / "out"), model=model, score_every="step", variant=4,
        variant_set=key.fingerprint,
    )  # fmt: skip
    make_here([spec], key)
    made = found_folder(spec)
    assert made is not None
    number = (made / "shelf.txt").read_text("utf-8").split()[0]
    trial = Tried(driver.run(driver.workshop.run(spec)), tmp_path / "out")
    assert trial.outcome.label is Label.RESOLVED, trial.outcome.reason
    assert results(trial) == [None if breaks else 2, 2, 2]
    for name in ("score-line.json", "outcome.json", "trajectory.json"):
        assert number not in trial.text(name)
    points = line(trial)
    if breaks:
        assert points[0]["failed"] == WITHHELD
    assert all("reason" not in row for point in points for row in point.get("checkpoints", []))


def test_a_line_in_containers_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    spec = TrialSpec(str(task(tmp_path)), "oracle", str(tmp_path / "out"), sandbox="docker", score_every="step")
    with pytest.raises(NotReady, match="cannot be copied while somebody works in it, so --score-every cannot be had"):
        check_ready([spec])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--score-every", "often"), "'often' is no step to grade after"),
        (("--score-judge",), "add --score-every"),
        (("--score-every", "step", "--sandbox", "docker"), "use the embedded sandbox"),
    ],
)
def test_a_run_with_a_line_that_cannot_be_is_refused_in_a_sentence(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = CliRunner().invoke(run, [str(task(tmp_path)), "-o", str(tmp_path / "run"), *options])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert not (tmp_path / "run").exists()
