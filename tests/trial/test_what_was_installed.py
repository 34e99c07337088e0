"""What an examinee installed into its system is there when graders look, and runs nowhere but in a workbench."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest

from dayjob.trial.outcome import Label, Outcome
from tests.trial.offices import Tried, attempt, office, task
from tests.trial.test_red_team import sandbox
from tests.trial.test_regrade import dayjob
from tests.trial.test_workbench import AFTER, BEFORE, graded

__all__ = ["sandbox"]  # a fixture

# A Debian package, a Python package and a setting, as an examinee installs them; and a program of the image's removed.
INSTALLS = r"""
import os, subprocess, zipfile
from pathlib import Path
build = Path("/tmp/greet")
(build / "DEBIAN").mkdir(parents=True)
(build / "DEBIAN/control").write_text(
    "Package: greet\nVersion: 1.2\nArchitecture: all\nMaintainer: Sam <sam@office.test>\nDescription: greets\n")
(build / "usr/bin").mkdir(parents=True)
(build / "usr/share/greet").mkdir(parents=True)
(build / "usr/share/greet/words").write_text("good day\n")
(build / "usr/bin/greet").write_text("#!/bin/sh\ncat /usr/share/greet/words; echo \"$@\"; cat\nexit 5\n")
(build / "usr/bin/greet").chmod(0o755)
(build / "etc").mkdir()
(build / "etc/greet.conf").write_text("loud = no\n")
subprocess.run(["dpkg-deb", "--build", str(build), "/tmp/greet.deb"], check=True)
subprocess.run(["dpkg", "-i", "/tmp/greet.deb"], check=True)
with zipfile.ZipFile("/tmp/courtesy-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("courtesy.py", "WORD = 'please'\n")
    wheel.writestr("courtesy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: courtesy\nVersion: 1.0\n")
    wheel.writestr("courtesy-1.0.dist-info/WHEEL",
                   "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("courtesy-1.0.dist-info/RECORD", "")
wheel = "/tmp/courtesy-1.0-py3-none-any.whl"
subprocess.run(["python3", "-m", "pip", "install", "--no-index", "--no-deps", wheel], check=True)
os.remove("/usr/bin/jq")
os.remove("/tmp/greet.deb")
"""

LOOKS = r"""
@grader
def grade_by_its_name():
    through = "greet to all | sed s/good/fine/"
    done = subprocess.run(through, input="typed\n", shell=True, capture_output=True, text=True)
    return done.stdout == "fine day\nto all\ntyped\n" and subprocess.run(["greet"]).returncode == 5

@grader
def grade_in_a_workbench():
    with workbench(installed=True) as bench:
        assert bench.run(["greet"]).stdout.startswith("good day")
        package = bench.run(["dpkg-query", "-W", "-f", "${Version} ${Status}", "greet"])
        assert package.stdout == "1.2 install ok installed", package
        assert bench.run(["python3", "-c", "import courtesy; assert courtesy.WORD == 'please'"]).returncode == 0
        assert bench.run("command -v jq").returncode == 127
        assert bench.files("/etc/greet.conf", "/usr/share/greet", "/etc/none") == {
            "/etc/greet.conf": b"loud = no\n", "/usr/share/greet/words": b"good day\n"}
        # The rest is the image's own.
        assert bench.run(["python3", "-c", "import json, ssl, sqlite3"]).returncode == 0
        assert bench.run("getent hosts office.test").stdout.split()[:1] == ["127.0.0.1"]
        return bench.run("ls -A /utils /.beside 2>/dev/null").stdout.split() == ["/utils:"]

@grader
def grade_its_files():
    return installed_files("/etc/greet.conf") == {"/etc/greet.conf": b"loud = no\n"}

@grader
def grade_the_evaluators_own_room_has_nothing_of_it():
    assert subprocess.run(["jq", "-n", "1"]).returncode == 0
    try:
        import courtesy
    except ImportError:
        return not os.path.exists("/usr/bin/greet") and not os.path.exists("/etc/greet.conf")
"""

WITHOUT_A_WAY_OUT = r"""
@grader
def grade_the_images_own_unless_asked():
    return run_as_examinee(["greet"]).returncode == 127 and run_as_examinee("jq -n 1").returncode == 0
"""

WITH_A_WAY_OUT = r"""
@grader
def grade_as_left_unless_asked():
    return run_as_examinee("greet").returncode == 5 and run_as_examinee("jq -n 1", installed=False).returncode == 0
"""


def test_graders_find_what_was_installed_and_so_do_those_who_grade_again(
    cache: Path, tmp_path: Path, sandbox: str
) -> None:
    evaluator = BEFORE + LOOKS + WITHOUT_A_WAY_OUT + AFTER
    path, run = task(tmp_path, evaluator__py=evaluator, solution__py=INSTALLS), tmp_path / "run"
    said = dayjob(cache, "run", str(path), "--world", str(office(tmp_path)), "-o", str(run), "--sandbox", sandbox)
    trial = _tried(run)
    assert trial.outcome.label is Label.RESOLVED, said.stdout + said.stderr + trial.log("grade")[-4000:]
    assert not [note for note in trial.outcome.notes if "own room" in note or "link" in note]
    (path / "evaluator.py").write_text(evaluator.replace("Checkpoint(1, int(", "Checkpoint(2, 2 * int("))
    said = dayjob(cache, "regrade", str(run))
    found = _tried(run).outcome
    assert (found.label, found.result) == (Label.RESOLVED, 10), said.stdout + said.stderr


def _tried(run: Path) -> Tried:
    folder = run / "small-task.oracle.1"
    return Tried(Outcome.from_json((folder / "outcome.json").read_text()), folder)


def test_an_examinee_that_could_install_is_run_with_its_system(cache: Path, tmp_path: Path) -> None:
    toml = 'format = 1\negress = ["packages.office.test"]\n'
    found = graded(cache, tmp_path, WITH_A_WAY_OUT, solution__py=INSTALLS, task__toml=toml)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]


# -- what an examinee can do with it --------------------------------------------------------------------------------

FORGED = r"""
import os, subprocess
from pathlib import Path
for name in ("git", "cat", "sha256sum", "python3", "python_default", "env", "sh"):
    place = Path("/usr/local/bin", name)
    place.unlink(missing_ok=True)
    place.write_text("#!/bin/dash\necho forged\n")
    place.chmod(0o755)
packages = Path("/usr/local/lib/python3.13/dist-packages")
packages.mkdir(parents=True, exist_ok=True)
(packages / "evil.pth").write_text("import os; os.system('echo owned > /workspace/owned')\n")
(packages / "requests.py").write_text("print('owned')\n")
subprocess.run(["git", "init", "-q", "/workspace/repo"], env={"PATH": "/usr/bin"})
Path("/workspace/answer.txt").write_text("wrong")
"""

HONEST = r"""
@grader
def grade_the_evaluators_programs_are_the_images():
    for name in ("git", "cat", "sha256sum", "python3", "python_default", "env"):
        said = subprocess.run([name, "--version"], capture_output=True, text=True)
        assert said.returncode == 0 and "forged" not in said.stdout, name
    assert "forged" not in subprocess.getoutput("echo x | sha256sum; cat /workspace/answer.txt; sh -c true; env true")
    return not os.path.exists("/workspace/owned")

@grader
def grade_git_is_the_images():
    said = subprocess.run(["git", "-C", "/workspace/repo", "status", "--short"], capture_output=True, text=True)
    return said.returncode == 0 and "forged" not in said.stdout

@grader
def grade_a_workbench_without_it():
    return "forged" not in run_as_examinee("sha256sum /workspace/answer.txt", installed=False).stdout
"""


def test_programs_put_before_the_images_are_nobodys_but_the_examinees(
    cache: Path, tmp_path: Path, sandbox: str
) -> None:
    found = graded(cache, tmp_path, HONEST, sandbox, solution__py=FORGED)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]
    assert "owned" not in found.log("grade")


BREAKS = {
    "a loader that is none": "Path('/tmp/x').write_text('no program'); Path('/tmp/x').chmod(0o755); "
    "os.rename('/tmp/x', os.path.realpath('/lib64/ld-linux-x86-64.so.2'))",
    "a shell that never says anything": "shell('#!/usr/bin/sleep 1000\\n')",
    "no system at all": "shutil.rmtree('/usr', ignore_errors=True); shutil.rmtree('/etc', ignore_errors=True)",
    "a system that is a link": "shutil.rmtree('/opt'); os.symlink('/proc/1/root', '/opt'); "
    "os.rename('/etc', '/etc.old'); os.symlink('/workspace', '/etc')",
    "a library in every program": "Path('/etc/ld.so.preload').write_text('/workspace/none.so\\n')",
}

BREAKING = r"""
import os, shutil
from pathlib import Path
def shell(text):
    Path("/tmp/sh").write_text(text)
    Path("/tmp/sh").chmod(0o755)
    os.rename("/tmp/sh", "/usr/bin/dash")
"""

STILL_GRADES = r"""
@grader
def grade_a_command_fails_at_most():
    for command in (["python3", "-c", "print(1)"], "echo hi"):
        try:
            done = run_as_examinee(command, installed=True, timeout=2)
            print("ENDED", done.returncode)
        except subprocess.TimeoutExpired:
            print("LATE")
    installed_files("/etc/passwd", "/opt")
    return True

@grader
def grade_without_it_all_is_well():
    return run_as_examinee(["python3", "-c", "print(1)"], installed=False).stdout == "1\n"
"""


@pytest.mark.parametrize("broken", BREAKS)
def test_a_system_that_was_broken_is_no_fault_of_ours(cache: Path, tmp_path: Path, broken: str) -> None:
    found = graded(cache, tmp_path, STILL_GRADES, solution__py=BREAKING + BREAKS[broken] + "\n")
    assert (found.outcome.label, found.outcome.faults) == (Label.RESOLVED, []), found.log("grade")[-4000:]


@pytest.mark.xdist_group("docker")
def test_nor_in_docker(cache: Path, tmp_path: Path, daemon: str) -> None:
    broken = BREAKING + BREAKS["a library in every program"] + "\n" + BREAKS["a shell that never says anything"] + "\n"
    found = graded(cache, tmp_path, STILL_GRADES, "docker", solution__py=broken)
    assert (found.outcome.label, found.outcome.faults) == (Label.RESOLVED, []), found.log("grade")[-4000:]


FIRST = r"""
import os
from pathlib import Path
Path("/tmp/sh").write_text("#!/usr/bin/python3\nimport os, sys\n"
                           "open('/workspace/first','a').write(f'{os.getpid()}\\n')\n"
                           "os.execv('/usr/bin/bash', ['bash', *sys.argv[1:]])\n")
Path("/tmp/sh").chmod(0o755)
os.rename("/tmp/sh", "/usr/bin/dash")
"""

NOT_FIRST = r"""
@grader
def grade_no_process_of_theirs_is_unfiltered():
    with workbench(installed=True) as bench:
        bench.run("true")
        seen = bench.run(["cat", "/workspace/first"]).stdout.split()
        filtered = bench.run(["grep", "Seccomp:", "/proc/self/status"]).stdout.split()
        first = bench.run(["cat", "/proc/1/comm"]).stdout.strip()
        print("SEEN", seen, filtered, first)
    return bool(seen) and "1" not in seen and filtered == ["Seccomp:", "2"]
"""


def test_a_workbenchs_first_process_is_never_the_examinees(cache: Path, tmp_path: Path) -> None:
    """It is outside the control groups and the filter."""
    found = graded(cache, tmp_path, NOT_FIRST, solution__py=FIRST)
    assert found.outcome.label is Label.RESOLVED, found.log("grade")[-4000:]


def test_a_trial_that_installs_nothing_keeps_nothing_of_the_system(cache: Path, tmp_path: Path, sandbox: str) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path), sandbox=sandbox)
    assert tried.outcome.label is Label.RESOLVED
    with tarfile.open(tried.folder / "kept.tar.gz") as tar:
        kept = json.load(tar.extractfile("kept.json"))  # type: ignore[arg-type]  # it is a file
        names = {re.sub("^frozen/([^/]*).*", r"\1", name) for name in tar.getnames() if name.startswith("frozen/")}
    assert kept["system"] == []
    assert not names & {"usr", "etc", "opt", "var"}


MANY = r"""
from pathlib import Path
for number in range(20_000):
    place = Path(f"/usr/local/bin/{number:05}-{'n' * 50}")
    place.touch()
    place.chmod(0o755)
"""

STARTS_PROGRAMS = r"""
@grader
def grade_programs_can_be_started():
    assert len([one for one in os.environ["PATH"].split(":") if one]) > 3
    return subprocess.run(["true"]).returncode == 0 and run_as_examinee(["true"], installed=True).returncode == 0
"""


def test_any_number_of_programs_leaves_the_grader_its_own(cache: Path, tmp_path: Path, sandbox: str) -> None:
    found = graded(cache, tmp_path, STARTS_PROGRAMS, sandbox, solution__py=MANY)
    assert (found.outcome.label, found.outcome.faults) == (Label.RESOLVED, []), found.outcome.reason
