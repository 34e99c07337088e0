"""What a workbench gives an evaluator: files brought and collected, several commands, a server; and what it notes."""

from __future__ import annotations

import json
from pathlib import Path

from dayjob.trial.outcome import Label
from tests.trial.offices import Tried, attempt, task
from tests.trial.test_red_team import sandbox

__all__ = ["sandbox"]  # a fixture

BEFORE = """
import os, subprocess, tempfile
from pathlib import Path
from common import *
from scoring import Checkpoint, Result
"""
AFTER = """
def grade_checkpoints(trajectory=""):
    return Result([Checkpoint(1, int(one())) for name, one in sorted(globals().items()) if name.startswith("grade_")
                   and name != "grade_checkpoints"])
"""


def graded(cache: Path, folder: Path, evaluator: str, sandbox: str = "embedded", **files: str) -> Tried:
    path = task(folder, evaluator__py=BEFORE + evaluator + AFTER, **files)
    return attempt(cache, folder, path, sandbox=sandbox)


SOLUTION = """
import os
os.makedirs("/workspace/app")
open("/workspace/app/app.py", "w").write('''
import pathlib, sys
print("args", sys.argv[1:])
for name in sys.argv[1:]:
    print(pathlib.Path(name).read_text())
pathlib.Path("made.txt").write_text("made by the app")
pathlib.Path("folder").mkdir(exist_ok=True)
pathlib.Path("folder/inner.bin").write_bytes(bytes(range(256)))
''')
open("/workspace/app/server.py", "w").write('''
import http.server, sys
http.server.HTTPServer(("127.0.0.1", 8123), http.server.SimpleHTTPRequestHandler).serve_forever()
''')
"""

HANDS_OVER = r"""
@grader
def grade_collect():
    done = run_as_examinee(["python3", "app.py"], cwd="/workspace/app", collect=["made.txt", "folder", "missing"])
    assert done.returncode == 0, done.stderr
    assert done.files["/workspace/app/made.txt"] == b"made by the app"
    assert done.files["/workspace/app/folder/inner.bin"] == bytes(range(256))
    assert done.left_out == ["/workspace/app/missing"], done.left_out
    return not os.path.exists("/workspace/app/made.txt")

@grader
def grade_each_command_has_its_own():
    run_as_examinee(["python3", "app.py"], cwd="/workspace/app")
    return run_as_examinee("ls made.txt", cwd="/workspace/app").returncode != 0

@grader
def grade_bring():
    Path("/utils/given.txt").write_text("from the grader")
    assert "from the grader" not in run_as_examinee("cat /utils/given.txt").stdout
    done = run_as_examinee("cat /utils/given.txt; ls /utils", bring=["/utils/given.txt"])
    return done.stdout == "from the grader" + "given.txt\n"

@grader
def grade_own_folders_come_by_themselves():
    folder = Path(tempfile.mkdtemp())
    (folder / "in.txt").write_text("in the folder")
    (folder / "again.txt").hardlink_to(folder / "in.txt")
    other = Path(tempfile.mkdtemp(), "data.txt")
    other.write_text("named on the command line")
    Path(other.parent, "answers.txt").write_text("not named")
    done = run_as_examinee(["cat", "in.txt", "again.txt", str(other)], cwd=folder)
    beside = run_as_examinee(["cat", "../in.txt"], cwd=make(folder / "inner"))
    unnamed = run_as_examinee(f"ls {other.parent}", cwd=folder)
    nothing = run_as_examinee(["ls", str(other.parent.parent)])
    assert beside.stdout == "in the folder" and unnamed.stdout == "" and nothing.stdout == ""
    return done.stdout == "in the folder" * 2 + "named on the command line"

def make(folder):
    folder.mkdir()
    return folder

@grader
def grade_own_files_among_the_examinees():
    Path("/workspace/app/hidden_test.py").write_text("import app\nprint('tested')\n")
    seen = run_as_examinee("ls", cwd="/workspace/app").stdout.split()
    elsewhere = run_as_examinee("ls /workspace/app", cwd="/").stdout.split()
    done = run_as_examinee(["python3", "hidden_test.py"], cwd="/workspace/app")
    return "tested" in done.stdout and "hidden_test.py" in seen and "hidden_test.py" not in elsewhere

@grader
def grade_stdin_env_and_exit():
    done = run_as_examinee("cat; echo $WORD >&2; exit 7", stdin="typed", env={"WORD": "w"})
    assert (done.stdout, done.stderr, done.returncode) == ("typed", "w\n", 7), done
    return run_as_examinee(["cat"], stdin=b"\xff\x00").stdout == "\ufffd\x00"

@grader
def grade_kept():
    with workbench() as bench:
        bench.run("echo one > /tmp/kept")
        bench.bring("/utils/evaluator.py")
        again = bench.run("cat /tmp/kept; grep -c grade_kept /utils/evaluator.py")
    return again.stdout.split()[0] == "one" and again.returncode == 0

@grader
def grade_server():
    with workbench() as bench:
        bench.start(["python3", "server.py"], cwd="/workspace/app")
        address = bench.url(8123)
        page = requests.get(address + "/app.py", timeout=30).text
        raw = bench.connect(8123)
        raw.sendall(b"GET /app.py HTTP/1.0\r\n\r\n")
        head = raw.makefile("rb").readline()
    try:
        requests.get(address, timeout=5)
    except requests.RequestException:
        return "pathlib" in page and b"200" in head
    return False

@grader
def grade_nothing_listens():
    with workbench() as bench:
        try:
            bench.url(8123, within=0.2)
        except TimeoutError:
            return True

@grader
def grade_empty_files_are_brought():
    folder = Path(tempfile.mkdtemp())
    Path(folder, "package").mkdir()
    Path(folder, "package", "__init__.py").touch()
    Path(folder, "package", "part.py").write_text("print('part')")
    return run_as_examinee(["python3", "-m", "package.part"], cwd=str(folder)).stdout == "part\n"

@grader
def grade_no_such_program():
    return run_as_examinee(["no-such-program"]).returncode in (126, 127)

@grader
def grade_no_such_folder():
    return run_as_examinee("true", cwd="/workspace/none").returncode != 0
"""


def test_what_an_evaluator_needs_is_handed_over(cache: Path, tmp_path: Path, sandbox: str) -> None:
    found = graded(cache, tmp_path, HANDS_OVER, sandbox, solution__py=SOLUTION)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]
    assert found.outcome.faults == []
    assert not [note for note in found.outcome.notes if "own room" in note]


READ_ONLY = r"""
@grader
def grade_read_only():
    written = []
    for place in ("/etc/hosts", "/etc/ld.so.preload", "/usr/local/bin/git", "/usr/bin/x", "/opt/x", "/x", "/lib/x",
                  "/run/x", "/var/x", "/usr/local/lib/x", "/npc/x", "/instruction/x"):
        try:
            with open(place, "a") as file:
                written.append(place)
        except OSError:
            pass
    print("WRITTEN", written)
    return not written

@grader
def grade_own_places():
    for place in ("/utils", "/var/tmp", "/workspace", "/tmp", "/root", "/home", "/srv", "/mnt", tempfile.gettempdir()):
        Path(place, "of-the-grader").write_text("x")
    Path("/workspace/answer.txt").write_text("changed in my own view")
    return tempfile.gettempdir() == "/var/tmp"

@grader
def grade_powers():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print("CAPS", status["CapEff"], status["Seccomp"], status["NoNewPrivs"])
    return int(status["CapEff"], 16) & ~0b1110 == 0 and status["Seccomp"].strip() == "2"
"""


def test_an_evaluators_room_is_read_only_but_for_its_own_places(cache: Path, tmp_path: Path, sandbox: str) -> None:
    found = graded(
        cache, tmp_path, READ_ONLY, sandbox, Dockerfile="FROM dayjob/task-base:1\nCOPY references/ /answers/\n"
    )
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]


OWN_ROOM = r"""
@grader
def grade_app():
    subprocess.run(["python3", "/workspace/app/app.py"], capture_output=True)
    import sys
    sys.path.insert(0, "/workspace/app")
    import plain
    subprocess.run(["cat", "/workspace/app/app.py"], capture_output=True)
    return True
"""


def test_a_trial_says_when_its_evaluator_ran_the_examinees_files_beside_itself(cache: Path, tmp_path: Path) -> None:
    solution = SOLUTION + '\nopen("/workspace/app/plain.py", "w").write("x = 1")\n'
    found = graded(cache, tmp_path, OWN_ROOM, solution__py=solution)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]
    notes = [note for note in json.loads(found.text("outcome.json"))["notes"] if "own room" in note]
    assert notes == [
        "the evaluator started python3 on the examinee's files in its own room",
        "the evaluator ran /workspace/app/plain.py in its own room",
    ]


SWALLOWS = r"""
@grader
def grade_app():
    os.environ["DAYJOB_WORKBENCH_PORT"] = "9"
    try:
        return run_as_examinee("true").returncode == 0
    except Exception:
        return False
"""


def test_a_workbench_that_cannot_be_had_is_a_fault_and_no_zero(cache: Path, tmp_path: Path) -> None:
    found = graded(cache, tmp_path, SWALLOWS)
    assert (found.outcome.label, found.outcome.score) == (Label.UNGRADED, None)
    assert found.outcome.faults[0]["source"] == "sandbox"


HANGING = r"""
@grader
def grade_app():
    for _ in range(20):
        try:
            run_as_examinee("sleep 600", timeout=600)
        except subprocess.TimeoutExpired:
            pass
    return False

@grader
def grade_honest():
    return Path("/workspace/answer.txt").exists()
"""


def test_code_that_hangs_leaves_the_grader_time_for_the_rest(cache: Path, tmp_path: Path) -> None:
    found = graded(cache, tmp_path, HANGING, task__toml="format = 1\n[timeouts]\ngrade = 20\n")
    assert (found.outcome.label, found.outcome.result) == (Label.PARTIAL, 1), found.outcome.reason


NONSENSE = [b"", b"\x00", b"\xff" * 64, b"\x00\x00\x00\x02{}", b"\x00\x00\x00\x10[" + b"[" * 15]


def test_nonsense_at_the_workbenchs_door_harms_nobody(cache: Path, tmp_path: Path) -> None:
    evaluator = f"""
@grader
def grade_door():
    import socket
    for asked in {NONSENSE!r} * 20:
        with socket.create_connection(("127.0.0.1", int(os.environ["DAYJOB_WORKBENCH_PORT"]))) as sock:
            sock.sendall(asked)
            sock.shutdown(socket.SHUT_WR)
            assert sock.recv(100) == b""
    os.environ["DAYJOB_WORKBENCH_TOKEN"], kept = "guessed", os.environ["DAYJOB_WORKBENCH_TOKEN"]
    try:
        run_as_examinee("true")
    except NotIsolated:
        faults_module = __import__("dayjob.grading.faults").grading.faults
        faults_module.forget_faults()
    os.environ["DAYJOB_WORKBENCH_TOKEN"] = kept
    return run_as_examinee("true").returncode == 0
"""
    found = graded(cache, tmp_path, evaluator)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-3000:]
