"""dayjob installed for all users, in the system's own Python, with tasks, a world and a key in /usr/share.

A room that has no system of its own shows the host's /usr. An examinee, root's or an ordinary user's, searches
everything it can see and finds none of it. The installation is real, in a mount namespace of its own, so that the
machine is not changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from dayjob.sandbox.embedded.base import PYTHON
from tests.trial.offices import TASK, WORLD, write

DIST_PACKAGES = "/usr/lib/python3/dist-packages"


def _fits() -> bool:
    asked = [PYTHON, "-c", "import sys; print(sys.version_info[:2])"]
    said = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return Path(DIST_PACKAGES).is_dir() and said == str(sys.version_info[:2])


# All that is installed, and where: what the machine has in /usr besides needs no search.
INSTALLED = [DIST_PACKAGES, *(f"/usr/share/{name}" for name in ("suite", "offices", "dayjob", "doc/dayjob"))]
ROOT = Path(__file__).parents[2]
SOMEBODY = 54_321
ANSWER = "# and the answer\n"
KEY = "a-key-for-the-provider-of-models\n"

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not _fits(),
    reason="only root can install for all users, into a Debian whose Python is the version of these tests' packages",
)

# Run by the examinee, and on the host where things are installed. `WANTED` is {size: [digests]}: nothing secret itself.
SEARCH = """
import hashlib, itertools, json, os, subprocess
found, seen = [], 0
for folder, below, names in itertools.chain.from_iterable(map(os.walk, TOPS)):
    if folder == "/":
        below[:] = [name for name in below if name not in ("proc", "sys", "dev")]
    for name in names:
        path = os.path.join(folder, name)
        try:
            size = os.stat(path).st_size
            seen += 1
            if str(size) in WANTED and hashlib.sha256(open(path, "rb").read()).hexdigest() in WANTED[str(size)]:
                found.append(path)
        except OSError:
            pass
asked = "import dayjob.company"
said = subprocess.run(["/usr/bin/python3", "-c", asked], capture_output=True, text=True).stderr
packages = subprocess.run(["/usr/bin/python3", "-m", "pip", "list"], capture_output=True, text=True)
said = said.strip().splitlines()[-1:]
print(json.dumps({"found": found, "seen": seen, "imported": said, "pip": packages.returncode}))
"""

# Changes /usr for this namespace alone; then the search looks through it, and a trial runs as root and as somebody
# else. Arguments: a scratch folder, the wheel, the packages that the installed program needs, what goes to /usr/share,
# somebody's uid, the search (a file), a trial.
INSTALL = """
set -eu
scratch=$1 wheel=$2 packages=$3 share=$4 somebody=$5 search=$6 trial=$7
mount --make-rprivate /
mount -t tmpfs -o mode=0755 scratch "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/packages" "$scratch/home"
chmod 1777 "$scratch/home"
mount --bind "$packages" "$scratch/packages"
mount -t overlay usr -o "lowerdir=/usr,upperdir=$scratch/upper,workdir=$scratch/work" /usr
DEB_PYTHON_INSTALL_LAYOUT=deb /usr/bin/python3 -m pip install -q --break-system-packages --root-user-action=ignore \
    --no-deps --no-index --prefix=/usr "$wheel"
cp -r "$share"/. /usr/share/
chmod -R a+rX /usr/share/suite /usr/share/offices /usr/share/dayjob /usr/share/doc/dayjob
/usr/bin/python3 "$search"
/usr/bin/python3 -c "$trial" "$scratch/packages"
setpriv --reuid="$somebody" --regid="$somebody" --clear-groups /usr/bin/python3 -c "$trial" "$scratch/packages"
"""

TRIAL = """
import json, os, subprocess, sys, tempfile
sys.path.append(sys.argv[1])
os.environ["DAYJOB_CACHE"] = tempfile.mkdtemp()
os.environ["DAYJOB_ROOT"] = "host"
import dayjob
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial
out = tempfile.mkdtemp()
spec = TrialSpec(task="/usr/share/suite/small-task", agent="oracle", out=out, world="/usr/share/offices/office")
outcome = run_trial(spec)
said = json.load(open(out + "/trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
line = [sys.executable, "-m", "dayjob", "run", "example", "--json", "-o", tempfile.mkdtemp()]
named = subprocess.run(line, env={**os.environ, "PYTHONPATH": sys.argv[1]}, capture_output=True, text=True)
facts = {"dayjob": dayjob.__file__, "label": outcome.label.value, "reason": outcome.reason, "said": said}
print(json.dumps({**facts, "named": named.stdout + named.stderr}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (made,) = folder.glob("dayjob-*.whl")
    return made


def shared(folder: Path, wheel: Path) -> Path:
    """What goes to /usr/share: a suite of two tasks, a world, a key. A task's solution searches for all of it."""
    world = write(folder / "offices" / "office", WORLD)
    other = write(folder / "suite" / "other-task", {**TASK, "evaluator.py": "# another way to grade\n"})
    key = write(folder / "dayjob", {"provider.key": KEY})
    notes = write(folder / "doc" / "dayjob", {"examples.md": "how a task of ours is graded\n"})
    parts = {name: text for name, text in TASK.items() if name != "solution.py"}
    task = write(folder / "suite" / "small-task", parts)
    secrets = [
        path.read_bytes() for top in (world, other, key, notes, task) for path in top.rglob("*") if path.is_file()
    ]
    open_to_all = {(task / name).read_bytes() for name in ("task.md", "Dockerfile", "dependencies.yml")}
    with zipfile.ZipFile(wheel) as packed:
        secrets += [packed.read(name) for name in packed.namelist() if "/licenses/" not in name]
    wanted: dict[str, list[str]] = {}
    for data in {data for data in secrets if len(data) > 8} - open_to_all:
        wanted.setdefault(str(len(data)), []).append(hashlib.sha256(data).hexdigest())
    write(task, {"solution.py": f"TOPS, WANTED = ['/'], {wanted!r}\n{SEARCH}{ANSWER}{TASK['solution.py']}"})
    return folder


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[dict[str, Any]]:
    """What was found on the host, and what came of the two trials."""
    scratch = Path(tempfile.mkdtemp(prefix="dayjob-installed-"))
    scratch.chmod(0o755)  # every user is to reach it
    share = shared(tmp_path_factory.mktemp("share"), wheel)
    search = (share / "suite" / "small-task" / "solution.py").read_text("utf-8").partition(ANSWER)[0]
    search = search.replace("TOPS, WANTED = ['/'], ", f"TOPS, WANTED = {INSTALLED!r}, ")
    (program := tmp_path_factory.mktemp("search") / "search.py").write_text(search, "utf-8")
    arguments = [scratch, wheel, Path(click.__file__).parents[1], share, SOMEBODY, program, TRIAL]
    try:
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", INSTALL, "sh", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd="/",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": f"{scratch}/home", "TMPDIR": f"{scratch}/home"},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        yield dict(zip(("host", "root", "somebody"), map(json.loads, done.stdout.splitlines()), strict=True))
    finally:
        scratch.rmdir()  # what was in it was in the other namespace


def test_the_search_finds_everything_on_the_host(tried: dict[str, Any]) -> None:
    for place in (
        f"{DIST_PACKAGES}/dayjob/_data/worlds/larkspur/world.toml",
        f"{DIST_PACKAGES}/dayjob/_data/tasks/example/evaluator.py",
        f"{DIST_PACKAGES}/dayjob/grading/common.py",
        "/usr/share/suite/small-task/evaluator.py",
        "/usr/share/suite/other-task/evaluator.py",
        "/usr/share/offices/office/world.toml",
        "/usr/share/dayjob/provider.key",
        "/usr/share/doc/dayjob/examples.md",
    ):
        assert place in tried["host"]["found"]


@pytest.mark.parametrize("user", ["root", "somebody"])
def test_an_examinee_finds_nothing_of_an_installation_for_all_users(tried: dict[str, Any], user: str) -> None:
    trial = tried[user]
    assert trial["dayjob"] == f"{DIST_PACKAGES}/dayjob/__init__.py"
    assert trial["label"] == "resolved", trial  # graders do not need what rooms do not show
    said = json.loads(trial["said"].splitlines()[0])
    assert said["seen"] > 1000
    assert said["found"] == []
    assert said["imported"] == ["ModuleNotFoundError: No module named 'dayjob.company'"]
    assert said["pip"] == 0


@pytest.mark.parametrize("user", ["root", "somebody"])
def test_tasks_that_come_with_dayjob_are_run_by_name(tried: dict[str, Any], user: str) -> None:
    said = tried[user]["named"]
    ended = [json.loads(line) for line in said.splitlines() if line.startswith('{"event": "outcome"')]
    assert [(one["task"], one["label"]) for one in ended] == [("example", "resolved")], said
