"""What counts as running the examinee's files in the evaluator's own room: the rule, and the watch over it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dayjob.grading.own_room import RUNNERS, SHELLS, is_run, program_of

_RUNNING = (
    "python python_default pypy node deno bun ruby perl php java go cargo make cmake npm npx yarn pnpm pytest py.test "
    "tox nox pip pipx poetry uv gradle gradlew mvn dotnet rscript julia lua tclsh ipython jupyter flask uvicorn "
    "gunicorn coverage"
)
RUNNING = _RUNNING.split()
BEFORE_OTHERS = ["env", "timeout", "nohup", "xargs", "sudo", "nice", "exec", "time"]


def is_theirs(word: str) -> bool:
    return word.startswith("/workspace")


def runs(command: str, in_folder: bool) -> bool:
    """A command line whose words are separated by single spaces; `~` stands for a space within a word."""
    words = [word.replace("~", " ") for word in command.split(" ")] if command else []
    return is_run(words, in_folder, is_theirs)


def test_the_programs_that_run_files_are_these() -> None:
    assert sorted(RUNNERS) == sorted(RUNNING)
    assert sorted(SHELLS) == ["bash", "dash", "ksh", "sh", "zsh"]


@pytest.mark.parametrize("program", RUNNING)
def test_a_runner_runs_what_it_is_given_and_what_lies_in_its_folder(program: str) -> None:
    assert runs(f"{program} /workspace/a", in_folder=False)
    assert runs(f"/usr/bin/{program} -x thing", in_folder=True)
    assert not runs(f"{program} /utils/a", in_folder=False)


@pytest.mark.parametrize("first", BEFORE_OTHERS)
def test_what_stands_before_another_program_is_looked_through(first: str) -> None:
    assert runs(f"{first} -x 5 python3 /workspace/a.py", in_folder=False)
    assert runs(f"{first} A=1 sh -c python3~/workspace/a.py", in_folder=False)
    assert runs(f"{first} 5 /workspace/a.out", in_folder=False)
    assert runs(f"{first} make", in_folder=True)
    assert not runs(f"{first} cat /etc/passwd", in_folder=True)
    assert not runs(f"{first}", in_folder=True)


@pytest.mark.parametrize(
    ("command", "outside", "inside"),
    [
        # nothing, and plain readers
        ("", False, False),
        ("cat /workspace/a.txt", False, False),
        ("diff /workspace/a /utils/b", False, False),
        # a program of theirs
        ("/workspace/run", True, True),
        ("./run", False, True),
        ("run", False, False),
        # runners, with a version, a folder, capitals
        ("python3.11 -m http.server", False, True),
        ("/usr/bin/python3 /workspace/a.py", True, True),
        ("Rscript /workspace/a.r", True, True),
        ("make -C /workspace", True, True),
        # Python that takes nothing from its folder
        ("python3 -I -c pass", False, False),
        ("python3 -P -m unittest", False, False),
        ("python3 -sIB /utils/a.py", False, False),
        ("python3 -I /workspace/a.py", True, True),
        ("python3 -i -p", False, True),
        ("python3 I", False, True),
        ("python3 --IP", False, True),
        ("node -I", False, True),
        ("pypy -P", False, True),
        # shells: files, and texts
        ("sh /workspace/a.sh", True, True),
        ("bash a.sh", False, True),
        ("bash -x", False, False),
        ("bash", False, False),
        ("sh -c /workspace/run", True, True),
        ("bash -ec ./run", False, True),
        ("bash -C a.sh", False, True),
        ("sh -c true /workspace/run", False, False),
        ("sh -c true make", False, False),
        ("sh -x -c make", False, True),
        ("bash -c true -c /workspace/run", False, False),
        # a shell's text: every command of it, and the folder that it changes to
        ("sh -c cd~/workspace/app~&&~make", True, True),
        ("sh -c cd~/utils~&&~make", False, False),
        ("sh -c cd~/workspace;cd~/;make", False, False),
        ("sh -c cd~/~/workspace;make", True, True),
        ("sh -c true;/workspace/run", True, True),
        ("sh -c true|python3~/workspace/a.py", True, True),
        ("sh -c (make)", False, True),
        ("sh -c echo~`/workspace/run`", True, True),
        ("sh -c true\n/workspace/run", True, True),
        ("sh -c A=1~B=2~/workspace/run", True, True),
        ("sh -c A=1", False, False),
        ("sh -c '/workspace/run'", True, True),
        ('sh -c "/workspace/run"', True, True),
        ("sh -c echo~/workspace/run", False, False),
        ("sh -c ", False, False),
    ],
)
def test_whether_a_command_runs_files_of_theirs(command: str, outside: bool, inside: bool) -> None:
    assert (runs(command, False), runs(command, True)) == (outside, inside)


@pytest.mark.parametrize(
    ("word", "program"),
    [
        ("python3", "python"),
        ("/usr/bin/python3.11", "python"),
        ("py.test", "py.test"),
        ("Rscript", "rscript"),
        ("7z", "7z"),
        ("ls", "ls"),
    ],
)
def test_a_programs_name_is_without_folder_and_version(word: str, program: str) -> None:
    assert program_of(word) == program


WATCHED = """
import json, os, subprocess, sys
sys.path.insert(0, {source!r})
from dayjob.grading.own_room import watch
theirs, seen = sys.argv[1:]
watch(seen, [theirs])

def noted():
    return [json.loads(line) for line in open(seen)] if os.path.exists(seen) else []

steps = {{}}
for name, step in {{
    "elsewhere": lambda: (exec(compile("1", theirs + "-not/a.py", "exec")), os.system("true")),
    "not absolute": lambda: exec(compile("1", theirs.lstrip("/") + "/a.py", "exec")),
    "executed": lambda: exec(compile("1", theirs + "/a.py", "exec")),
    "again": lambda: exec(compile("1", theirs + "/a.py", "exec")),
    "roundabout": lambda: exec(compile("1", theirs + "/../" + os.path.basename(theirs) + "/b.py", "exec")),
    "the folder": lambda: exec(compile("1", theirs, "exec")),
    "a list": lambda: subprocess.run([theirs + "/run"]),
    "bytes": lambda: subprocess.run([os.fsencode(theirs + "/run2")]),
    "a text": lambda: subprocess.run("true; " + theirs + "/run", shell=True),
    "in a folder": lambda: subprocess.run(["./run"], cwd=theirs),
    "in a folder in bytes": lambda: subprocess.run(["make", "-v"], cwd=os.fsencode(theirs), stdout=-3),
    "system": lambda: os.system(theirs + "/run"),
    "spawned": lambda: os.spawnv(os.P_WAIT, theirs + "/run", [theirs + "/run3"]),
    "posix": lambda: os.waitpid(os.posix_spawn(theirs + "/run", [theirs + "/run4"], {{}}), 0),
    "changed": lambda: (os.chdir(theirs), subprocess.run(["./run"])),
}}.items():
    before = len(noted())
    step()
    steps[name] = noted()[before:]
import ctypes
before = len(noted())
ctypes.CDLL("libc.so.6")
steps["another library"] = noted()[before:]
try:
    ctypes.CDLL(theirs + "/lib.so")
except OSError:
    steps["loaded"] = noted()[-1:]
for number in range(40):
    exec(compile("1", theirs + "/many" + str(number) + ".py", "exec"))
steps["all"] = len(noted())
print(json.dumps(steps))
"""


def test_the_watch_notes_what_of_their_folders_is_run_once_each_and_not_without_end(tmp_path: Path) -> None:
    theirs, seen = tmp_path / "theirs", tmp_path / "seen"
    theirs.mkdir()
    for name in ("run", "run2"):
        (theirs / name).write_text("#!/bin/sh\n")
        (theirs / name).chmod(0o755)
    source = str(Path(sys.modules[is_run.__module__].__file__ or "").parents[2])
    done = subprocess.run(
        [sys.executable, "-I", "-c", WATCHED.format(source=source), str(theirs), str(seen)],
        capture_output=True, text=True, timeout=60, check=True, cwd="/",
    )  # fmt: skip
    steps = json.loads(done.stdout)

    def ran(name: str) -> list[str]:
        return [f"the evaluator ran {theirs}{name} in its own room"]

    def started(word: str) -> list[str]:
        return [f"the evaluator started {word} on the examinee's files in its own room"]

    assert steps == {
        "elsewhere": [],
        "not absolute": [],
        "executed": ran("/a.py"),
        "again": [],
        "roundabout": ran(f"/../{theirs.name}/b.py"),
        "the folder": ran(""),
        "a list": started(f"{theirs}/run"),
        "bytes": started(f"{theirs}/run2"),
        "a text": started("/bin/sh"),
        "in a folder": started("./run"),
        "in a folder in bytes": started("make"),
        "system": started("sh"),
        "spawned": started(f"{theirs}/run3"),
        "posix": started(f"{theirs}/run4"),
        "changed": [],
        "another library": [],
        "loaded": [f"the evaluator loaded {theirs}/lib.so in its own room"],
        "all": 21,  # twenty of one process, and the one that its child spawned
    }


def test_the_watch_sees_a_program_that_takes_the_evaluators_place(tmp_path: Path) -> None:
    script = tmp_path / "run"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    source = str(Path(sys.modules[is_run.__module__].__file__ or "").parents[2])
    program = (
        f"import os, sys; sys.path.insert(0, {source!r})\nfrom dayjob.grading.own_room import watch\n"
        f"watch({str(tmp_path / 'seen')!r}, [{str(tmp_path)!r}])\nos.execv({str(script)!r}, [{str(script)!r}])\n"
    )
    subprocess.run([sys.executable, "-I", "-c", program], check=True, timeout=60)
    assert json.loads((tmp_path / "seen").read_text()).startswith(f"the evaluator started {os.fspath(script)}")
