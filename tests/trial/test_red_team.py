"""Examinees that cheat: each does its worst from inside, and gains no point and sees no secret.

Every attack runs as the examinee's own program (in place of a solution) on a task whose answer it does not know.
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import TASK, Tried, attempt, task

SECRETS = ("shipshape", "grade_answer", "seldom-said-hint", "This task has 2 points")


def attack(cache: Path, folder: Path, program: str, **files: str) -> Tried:
    scenarios = json.dumps({"Mara Lind": {"extra_info": "", "strategy_hint": "seldom-said-hint"}})
    given = {"dependencies__yml": "- rocketchat\n- owncloud\n", "scenarios__json": scenarios, **files}
    path = task(folder, solution__py=program, **given)
    return attempt(cache, folder, path)


def said(tried: Tried) -> str:
    """What the attacker printed."""
    steps = json.loads(tried.text("trajectory.json"))["steps"]
    return str(steps[0]["observation"]["results"][0]["content"])


def test_searching_every_file_and_process_finds_no_secret(cache: Path, tmp_path: Path) -> None:
    program = """
        import glob, os
        def show(path):
            try:
                print(path, open(path, "rb").read(2_000_000).decode("utf-8", "replace"))
            except OSError:
                pass
        for top in ("/workspace", "/utils", "/npc", "/instruction", "/etc", "/root", "/home", "/tmp", "/var", "/opt",
                    "/run", "/srv", "/mnt", "/dev/shm", "/usr/local/bin"):
            for folder, _, files in os.walk(top):
                for name in files:
                    show(os.path.join(folder, name))
        for name in ("environ", "cmdline", "mountinfo", "maps"):
            for path in glob.glob("/proc/[0-9]*/" + name):
                show(path)
        for pid in glob.glob("/proc/[0-9]*"):
            for path in glob.glob(pid + "/fd/*") + [pid + "/cwd", pid + "/root", pid + "/exe"]:
                try:
                    print(path, os.readlink(path))
                except OSError:
                    pass
        """
    tried = attack(
        cache, tmp_path, program, pre_init__py="print('set up')\n", **{"mutants/expected.toml": "format = 1\n"}
    )
    assert tried.outcome.label is Label.FAILED
    text = said(tried)
    assert "Write the word that the office uses" in text  # it did look, and found what it may
    for secret in SECRETS:
        assert secret not in text
    assert "password-in-the-world" not in text
    assert str(tmp_path) not in text


def test_what_a_dockerfile_copied_for_the_grader_is_withheld_until_grading(cache: Path, tmp_path: Path) -> None:
    program = """
        import os, subprocess
        look = "cat /answers/* /workspace/task/* /workspace/task/*/*; ls -R /answers /workspace/task"
        print(subprocess.run(look, shell=True, capture_output=True, text=True).stdout)
        """
    evaluator = TASK["evaluator.py"].replace("REFERENCE.read_text()", 'Path("/answers/answer.txt").read_text()')
    dockerfile = "FROM dayjob/task-base:1\nCOPY references/ /answers/\nCOPY . /workspace/task\n"
    tried = attack(cache, tmp_path, program, Dockerfile=dockerfile, evaluator__py=evaluator)
    assert tried.outcome.label is Label.FAILED
    assert "FileNotFoundError: [Errno 2] No such file or directory: '/workspace/answer.txt'" in tried.log("grade")
    for secret in SECRETS:
        assert secret not in said(tried)
    assert "Write the word that the office uses" in said(tried)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            """
            import glob, os
            evil = "import os, sys\\nprint('owned')\\nos._exit(0)\\n"
            places = ["/workspace/requests.py", "/workspace/scoring.py", "/workspace/common.py", "/workspace/json.py",
                      "/workspace/sitecustomize.py", "/tmp/requests.py", "/root/.pythonrc.py", "/root/.bashrc",
                      "/root/.local/lib/python3.11/site-packages/usercustomize.py"]
            for folder in glob.glob("/usr/local/lib/python3*/dist-packages"):
                places += [f"{folder}/sitecustomize.py", f"{folder}/requests/__init__.py", f"{folder}/evil.py"]
                open(f"{folder}/evil.pth", "w").write("import evil\\n")
            for place in places:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                open(place, "w").write(evil)
            path = "/root/.local/lib/python3.11/site-packages/x.pth"
            open(path, "w").write("import os; print('owned'); os._exit(0)\\n")
            """,
            id="python modules",
        ),
        pytest.param(
            """
            import os
            evil = "#!/bin/sh\\necho owned\\n"
            for name in ("python_default", "python3", "python", "sh", "env", "cat"):
                place = f"/usr/local/bin/{name}"
                if os.path.lexists(place):
                    os.unlink(place)
                open(place, "w").write(evil)
                os.chmod(place, 0o755)
            for place in ("/usr/bin/python3", "/bin/sh", "/usr/bin/env"):
                try:
                    os.unlink(place)
                    open(place, "w").write(evil)
                except OSError as error:
                    print(error)
            """,
            id="programs",
        ),
        pytest.param(
            """
            import subprocess
            code = 'int printf(const char*,...); __attribute__((constructor)) void go(void) { printf("owned\\\\n"); }'
            subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", "/tmp/evil.so"], input=code, text=True)
            open("/etc/ld.so.preload", "w").write("/tmp/evil.so\\n")
            for place in ("/etc/environment", "/etc/profile", "/root/.profile"):
                open(place, "a").write("LD_PRELOAD=/tmp/evil.so\\nexport LD_PRELOAD PATH=/tmp PYTHONPATH=/tmp\\n")
            """,
            id="the loader",
        ),
        pytest.param(
            """
            import json, os
            full = json.dumps({"checkpoints": [{"total": 2, "result": 2}], "final_score": {"total": 2, "result": 2}})
            for folder in ("/workspace", "/utils", "/tmp", "/root", "/", "/tmp/verdict-aaaa", "/utils/verdict-aaaa"):
                os.makedirs(folder, exist_ok=True)
                for name in ("result.json", "results.json", "outcome.json", "eval.json", "reward.txt"):
                    open(f"{folder}/{name}", "w").write(full)
            """,
            id="result files",
        ),
        pytest.param(
            """
            import os, subprocess
            evil = "from scoring import Checkpoint, Result\\n"
            evil += "def grade_checkpoints(t=''):\\n    return Result([Checkpoint(2, 2)])\\n"
            loop = f'''
            import os
            while True:
                for name in ("evaluator.py", "common.py", "scoring.py", "dayjob/scoring.py"):
                    place = "/utils/" + name
                    try:
                        os.makedirs(os.path.dirname(place), exist_ok=True)
                        open(place, "w").write({evil!r})
                    except OSError:
                        pass
            '''.replace("\\n            ", "\\n")
            subprocess.Popen(["python3", "-c", loop], start_new_session=True)
            """,
            id="the evaluator, between the steps",
        ),
        pytest.param(
            """
            import os, subprocess
            kill = "while :; do for i in $(seq 2 400); do [ $i = $$ ] || kill -9 $i 2>/dev/null; done; sleep 0.01; done"
            subprocess.Popen(["sh", "-c", "sleep 0.3; " + kill], start_new_session=True)
            """,
            id="every process it can name",
        ),
        pytest.param('import os\nos.symlink("/utils/references/answer.txt", "/workspace/answer.txt")\n', id="a link"),
        pytest.param(
            """
            import os
            os.makedirs("/workspace/a/b")
            os.symlink("/usr", "/workspace/a/b/c")
            os.symlink("a/b/c/../utils/references/answer.txt", "/workspace/answer.txt")
            """,
            id="a sly link",
        ),
        pytest.param(
            """
            import os, shutil
            os.chdir("/")
            shutil.rmtree("/workspace")
            os.symlink("/utils/references", "/workspace")
            """,
            id="a link in place of the workspace",
        ),
        pytest.param('import os\nos.mkfifo("/workspace/answer.txt")\n', id="a pipe nobody writes to"),
        pytest.param('import os\nos.mkdir("/workspace/answer.txt")\n', id="a folder in place of a file"),
        pytest.param(
            """
            import os
            for _ in range(3000):
                os.mkdir("d")
                os.chdir("d")
            """,
            id="folders without end",
        ),
        pytest.param(
            """
            import os
            for number in range(2000):
                open(b"/workspace/\\xff\\n" + str(number).encode(), "w").close()
            """,
            id="names that are no text",
        ),
    ],
)
def test_tampering_gains_nothing(cache: Path, tmp_path: Path, program: str) -> None:
    tried = attack(cache, tmp_path, program)
    assert (tried.outcome.label, tried.outcome.result) == (Label.FAILED, 0), tried.outcome.reason
    assert json.loads(tried.text("trajectory.json"))["steps"][0]["extra"]["exit_code"] == 0, said(tried)
    assert "owned" not in tried.log("grade")


def test_a_link_in_place_of_the_workspace_shows_nothing_of_the_host(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "of-the-host").write_text("secret of the host")
    program = f"""
        import os, shutil
        os.makedirs("{tmp_path}")
        shutil.rmtree("/workspace")
        os.symlink("/tmp", "/workspace")
        """
    evaluator = f"""
        import os, subprocess
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            print(os.listdir("/workspace"), subprocess.run(["cat", "{tmp_path}/of-the-host"], capture_output=True))
            return Result([Checkpoint(1, 0)])
        """
    tried = attack(cache, tmp_path, program, evaluator__py=evaluator)
    assert tried.outcome.label is Label.FAILED
    assert "[] CompletedProcess" in tried.log("grade")
    assert "secret of the host" not in tried.log("grade")


WAIT_FOR_THE_END = """
    import os, sys, time, requests
    waiting, ready = os.pipe()
    if os.fork():
        os.read(waiting, 1)
        sys.exit(0)
    os.setsid()
    sam = ("sam.reed", "sam-first-day")
    url = "http://office.test:8092/remote.php/webdav/late.txt"
    def put():
        try:
            return requests.put(url, data=b"late", auth=sam, timeout=1).status_code
        except requests.RequestException:
            return 0
    assert put() in (201, 204)
    requests.delete(url, auth=sam)
    # One connection is opened while that is allowed, and used when it no longer is.
    session = requests.Session()
    session.auth = sam
    session.get(url)
    os.write(ready, b"!")
    for _ in range(100000):
        try:
            requests.get("http://office.test:8092/status.php", timeout=1)
        except requests.RequestException:
            break
        time.sleep(0.01)
    open("/workspace/over", "w").write("work is over")
    for _ in range(200):
        put()
        try:
            session.put(url, data=b"late", timeout=1)
        except requests.RequestException:
            pass
        for port in (8092, 2999):
            import socket
            try:
                fake = socket.socket()
                fake.bind(("0.0.0.0", port))
                fake.listen()
                open("/workspace/bound", "w").write(str(port))
            except OSError:
                pass
        time.sleep(0.01)
    """


def test_what_goes_on_after_the_end_changes_nothing(cache: Path, tmp_path: Path) -> None:
    evaluator = """
        import time
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_late():
            time.sleep(1.5)
            found = check_file_in_owncloud_directory("late.txt", "")
            login = ("sam.reed", "sam-first-day")
            sams = requests.get(OWNCLOUD_URL + "/remote.php/webdav/late.txt", auth=login).status_code
            print("found", found, sams)
            return found or sams == 200
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_late()))])
        """
    tried = attack(cache, tmp_path, dedent(WAIT_FOR_THE_END), evaluator__py=evaluator)
    assert tried.outcome.label is Label.FAILED
    assert "found False 404" in tried.log("grade")
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert [row["status"] for row in rows if row.get("method") == "PUT"] == [201]  # once, while it was allowed
    assert not [row for row in rows if row["phase"] == "grade" and row["role"] == "examinee"]


def test_settings_left_in_any_home_are_not_the_graders(cache: Path, tmp_path: Path) -> None:
    program = """
        import os
        for home in ("/tmp", "/root", "/workspace", "/home", "/"):
            os.makedirs(f"{home}/.local/lib/python3.11/site-packages", exist_ok=True)
            open(f"{home}/.local/lib/python3.11/site-packages/usercustomize.py", "w").write("print('owned')")
            open(f"{home}/.gitconfig", "w").write("[alias]\\n\\tversion2 = !echo owned\\n")
            open(f"{home}/.bashrc", "w").write("echo owned")
        """
    evaluator = """
        import subprocess
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            for command in (["python3", "-c", "print('ran')"], ["git", "version2"], ["bash", "-c", "echo ran"]):
                done = subprocess.run(command, capture_output=True, text=True)
                print(done.stdout, done.stderr)
            return Result([Checkpoint(1, 0)])
        """
    tried = attack(cache, tmp_path, program, evaluator__py=evaluator)
    assert tried.outcome.label is Label.FAILED
    assert tried.log("grade").count("ran") == 2
    assert "owned" not in tried.log("grade")


def test_the_control_token_cannot_be_guessed_or_gone_around(cache: Path, tmp_path: Path) -> None:
    program = """
        import requests
        base = "http://office.test:2999/api/"
        tokens = ["", "None", "null", "admin", "dayjob", "0", "*", "../", "a" * 32, "\\x00"]
        for path in ("journal", "changes", "accessed?service=drive&path=/", "snapshot"):
            for token in tokens:
                try:
                    print(requests.get(base + path, headers={"X-Dayjob-Token": token}).status_code)
                except (requests.RequestException, ValueError):
                    print(403)
        for name in ("owncloud", "all", "rocketchat"):
            print(requests.post(base + "reset-" + name).status_code)
            print(requests.post(base + "reset-" + name, headers={"X-Dayjob-Token": "x"}).status_code)
        """
    tried = attack(cache, tmp_path, program)
    codes = set(said(tried).split())
    assert codes <= {"403", "404", "400"}
    assert "403" in codes


def test_the_worlds_own_passwords_are_of_no_use(cache: Path, tmp_path: Path) -> None:
    program = """
        import requests
        def chat(user, password):
            login = {"user": user, "password": password}
            return requests.post("http://office.test:3000/api/v1/login", json=login).status_code
        def get(url, **how):
            return requests.get("http://office.test:" + url, **how).status_code
        print(chat("office.admin", "password-in-the-world"), chat("sam.reed", "sam-first-day"))
        print(get("8092/remote.php/webdav/", auth=("office", "password-in-the-world")))
        print(get("8929/api/v4/user", headers={"PRIVATE-TOKEN": "token-in-the-world"}))
        print(get("8091/api/v1/workspaces/office/projects/", headers={"x-api-key": "plane_api_in_the_world"}))
        """
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_accounts():
            create_rocketchat_client()
            forge = requests.get(GITLAB_BASEURL + "/api/v4/user", headers=GITLAB_HEADERS).status_code
            print(forge, get_all_plane_projects(), check_file_in_owncloud_directory("plan.txt", "Notes"))
            return forge == 200
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_accounts()))])
        """
    everything = "- rocketchat\n- gitlab\n- plane\n- owncloud\n"
    tried = attack(cache, tmp_path, program, evaluator__py=evaluator, dependencies__yml=everything)
    assert said(tried) == "401 200\n401\n401\n403\n"
    assert tried.outcome.label is Label.RESOLVED, tried.log("grade")  # the grader's own secrets work
    assert "200 [] True" in tried.log("grade")


def test_a_service_the_task_does_not_name_is_not_there(cache: Path, tmp_path: Path) -> None:
    program = "import socket\nprint(socket.socket().connect_ex(('office.test', 3000)))\n"
    assert said(attempt(cache, tmp_path, task(tmp_path, solution__py=program))) == "111\n"
