"""A grader that hangs, exits, floods, crashes or finds a service down gives a label and a log, never a silent zero."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import TASK, attempt, task

ONE_POINT = """
from common import *
from scoring import Checkpoint, Result

def grade_checkpoints(trajectory=""):
    {body}
    return Result([Checkpoint(1, 1)])
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import time; time.sleep(100)", "did not end within 1 s"),
        ("import os; os._exit(0)", "no result"),
        ("raise SystemExit(0)", "no result"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended with -11"),
        ("raise KeyError('gone')", "KeyError('gone')"),
        ("return 'full marks'", "must return a Result"),
        ("return Result([])", "without checkpoints"),
        ("import os; os.kill(os.getppid(), 9); import time; time.sleep(5)", "gave no verdict"),
    ],
)
def test_a_grader_that_gives_no_result_is_a_grader_error(cache: Path, tmp_path: Path, body: str, reason: str) -> None:
    limit = 1 if "within" in reason else 60
    toml = f"format = 1\n[timeouts]\ngrade = {limit}\n"
    path = task(tmp_path, evaluator__py=ONE_POINT.format(body=body), task__toml=toml)
    outcome = attempt(cache, tmp_path, path, "nop").outcome
    assert (outcome.label, outcome.score) == (Label.GRADER_ERROR, None)
    assert reason in outcome.reason


def test_a_grader_that_crashes_on_import_leaves_its_log(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, evaluator__py="raise OSError('not today')\n"), "nop")
    assert tried.outcome.label is Label.GRADER_ERROR
    assert "OSError('not today')" in tried.log("grade")


def test_a_grader_that_prints_without_end_is_still_heard(cache: Path, tmp_path: Path) -> None:
    body = "[print('x' * 1_000_000) for _ in range(60)]"
    tried = attempt(cache, tmp_path, task(tmp_path, evaluator__py=ONE_POINT.format(body=body)), "nop")
    assert tried.outcome.label is Label.RESOLVED
    assert len(tried.log("grade")) < 12_000_000
    assert "bytes of output were dropped" in tried.log("grade")


def test_a_service_that_is_down_while_grading_leaves_the_trial_ungraded(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_chat():
            return create_rocketchat_client() is not None
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_chat())), Checkpoint(1, 1)])
        """
    outcome = attempt(cache, tmp_path, task(tmp_path, evaluator__py=evaluator), "nop").outcome
    assert (outcome.label, outcome.score) == (Label.UNGRADED, None)
    assert outcome.faults[0]["source"] == "chat"


def test_grading_that_does_not_repeat_itself_is_a_grader_error(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        import random
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(10**9, random.randrange(10**9))])
        """
    outcome = attempt(cache, tmp_path, task(tmp_path, evaluator__py=evaluator), "nop", gradings=2).outcome
    assert outcome.label is Label.GRADER_ERROR
    assert "another result" in outcome.reason


def test_a_grader_sees_the_ports_of_what_was_left_running(cache: Path, tmp_path: Path) -> None:
    solution = """
        import subprocess, time, urllib.request
        open("/workspace/page.html", "w").write("made by the examinee")
        subprocess.Popen(["python3", "-m", "http.server", "8080"], cwd="/workspace", start_new_session=True)
        for _ in range(200):
            try:
                urllib.request.urlopen("http://localhost:8080/")
                break
            except OSError:
                time.sleep(0.02)
        """
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_server():
            return requests.get("http://localhost:8080/page.html", timeout=10).text == "made by the examinee"
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_server()))])
        """
    path = task(tmp_path, solution__py=solution, evaluator__py=evaluator)
    assert attempt(cache, tmp_path, path, gradings=2).outcome.label is Label.RESOLVED


def test_a_grader_can_ask_the_journal_and_the_changes(cache: Path, tmp_path: Path) -> None:
    solution = """
        import requests
        sam = ("sam.reed", "sam-first-day")
        url = "http://office.test:8092/remote.php/webdav/"
        requests.put(url + "mine.txt", data=b"x", auth=sam).raise_for_status()
        """
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_put():
            return accessed("owncloud", "/remote.php/webdav/mine.txt", method="PUT", by="sam.reed")
        @grader
        def grade_changes():
            found = changes("drive")
            print([change["words"] for change in found])
            return any("mine.txt" in change["words"] and change["by"] == "sam.reed" for change in found)
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_put())), Checkpoint(1, int(grade_changes()))])
        """
    path = task(tmp_path, solution__py=solution, evaluator__py=evaluator)
    assert attempt(cache, tmp_path, path).outcome.label is Label.RESOLVED
    assert attempt(cache, tmp_path, path, "nop").outcome.label is Label.FAILED


def test_an_examinees_program_is_run_where_it_sees_no_grader(cache: Path, tmp_path: Path) -> None:
    solution = '''
        open("/workspace/program.py", "w").write("""
        import os, socket
        print(sorted(os.listdir("/utils")), [name for name in os.listdir("/proc") if name.isdigit()])
        print(sorted(set(os.environ) - {"LC_CTYPE", "PWD"}), sorted(os.listdir("/proc/self/fd")))
        for port in (8092, 2999):
            print(socket.socket().connect_ex(("office.test", port)))
        print(open("/proc/self/status").read().split("CapEff:")[1].split()[0])
        """.replace("\\n        ", "\\n"))
        '''
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_program():
            done = run_as_examinee(["python3", "program.py"])
            print("SAID", done.stdout, done.stderr)
            return done.returncode == 0
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_program()))])
        """
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=solution, evaluator__py=evaluator))
    assert tried.outcome.label is Label.RESOLVED
    said = tried.log("grade").partition("SAID ")[2].splitlines()
    assert re.fullmatch(r"\[\] \['1', '\d+'\]", said[0]), said[0]
    pip = "'PIP_BREAK_SYSTEM_PACKAGES', 'PIP_DISABLE_PIP_VERSION_CHECK', 'PIP_ROOT_USER_ACTION'"
    assert said[1] == f"['GIT_PAGER', 'HOME', 'LANG', 'PATH', {pip}] ['0', '1', '2', '3']"
    assert said[2:4] == ["111", "111"]
    assert said[4] == "00000000a80405fb"  # what it had at work


def test_an_examinees_program_that_hangs_is_ended_with_its_children(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_program():
            try:
                run_as_examinee("sleep 55.5 & sleep 55.5", timeout=0.5)
            except subprocess.TimeoutExpired:
                left = subprocess.run(["pgrep", "-f", "55[.]5"], capture_output=True).stdout
                return left == b""
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_program()))])
        """
    assert attempt(cache, tmp_path, task(tmp_path, evaluator__py=evaluator), "nop").outcome.label is Label.RESOLVED


def test_a_library_the_examinee_changed_is_not_the_graders(cache: Path, tmp_path: Path) -> None:
    solution = TASK["solution.py"].replace("shipshape", "wrong") + (
        "import glob, os\n"
        "for folder in glob.glob('/usr/local/lib/python3*/dist-packages'):\n"
        "    for name in ('requests/__init__.py', 'sitecustomize.py', 'usercustomize.py'):\n"
        "        open(os.path.join(folder, name), 'w').write('raise SystemExit(\"owned\")')\n"
        "    open(os.path.join(folder, 'x.pth'), 'w').write('import os; os._exit(0)')\n"
    )
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=solution))
    assert tried.outcome.label is Label.FAILED
    assert "owned" not in tried.log("grade")
