"""Runs in the virtual machine of `tools.cgroup2_vm`: every test of control groups, as root and as an ordinary user.

The ordinary user gets a group as systemd delegates one: the folder and the files that move processes and enable
controllers are theirs, and their session is a group in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dayjob.sandbox.cgroups import available

TOP = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpu")
SOMEBODY = 1000
TESTS = (
    "tests/sandbox/test_cgroup2.py",
    "tests/sandbox/test_cgroups.py",
    "tests/sandbox/embedded/test_limits.py",
    "tests/sandbox/embedded/test_removing.py",
    "tests/trial/test_cgroup2.py",
)


def main() -> int:
    found = available()
    if not found or found.version != 2:
        print(f"error: this machine does not run control groups of version 2 alone: {found.reason or found.version}")
        return 2
    print(f"== root, kernel {os.uname().release}, controllers {(TOP / 'cgroup.controllers').read_text().strip()}")
    as_root = _test([], None, Path("/tmp/root"))
    print("== an ordinary user with a delegated group")
    somebody = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
    as_somebody = _test(somebody, delegated_session(SOMEBODY), Path("/tmp/somebody"))
    _say_what_is_left()
    return as_root or as_somebody


def delegated_session(uid: int) -> Path:
    """A group whose processes may make groups beside their own, as `systemd-run --user --scope` gives one."""
    top = TOP / "delegated"
    session = top / "session"
    for group in (top, session):
        parent = group.parent
        (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
        group.mkdir()
        for path in (group, *(group / f"cgroup.{name}" for name in ("procs", "threads", "subtree_control"))):
            os.chown(path, uid, uid)
    return session


def _test(become: list[str], session: Path | None, home: Path) -> int:
    home.mkdir()
    os.chown(home, SOMEBODY if become else 0, SOMEBODY if become else 0)
    pytest = [sys.executable, "-m", "pytest", "-s", "-v", "-x", "--color=no", "-p", "no:cacheprovider", *TESTS]

    def join() -> None:
        if session is not None:
            (session / "cgroup.procs").write_text("0")

    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    # There is no way to packages in here: rooms stand on the machine's own system.
    environment["DAYJOB_BASES"] = str(home / "bases")
    return subprocess.run([*become, *pytest], env=environment, preexec_fn=join).returncode


def _say_what_is_left() -> None:
    """Every group of ours that is still there. The folder that rooms are made in stays, empty."""
    for path in sorted(path for path in TOP.rglob("dayjob*") if path.is_dir()):
        inside = (path / "cgroup.procs").read_text().split()
        below = sum(one.is_dir() for one in path.iterdir())
        print(f"left: {path.relative_to(TOP)}, {len(inside)} processes, {below} groups")


if __name__ == "__main__":
    sys.exit(main())
