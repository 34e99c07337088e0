"""What was pushed, as git shows it: the difference of a branch against what it was, or against where it began.

git reads objects that an examinee made. So it runs as a program of its own with little time and memory, on a repository
of ours that has nothing of theirs but objects: no setting, hook, filter or reference.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from dayjob.report.viewer.deliverables import Deliverable, put_objects

MOST_LINES = 1500
_SECONDS = 10
# A shell sets the limits and becomes git: this process has threads, so nothing of Python's may run in between.
_LIMITED = ("sh", "-c", f'ulimit -t {_SECONDS} && ulimit -v {1024 * 1024} && exec "$@"', "sh")
_LARGEST_PRINTED = 1024 * 1024
_QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
_SETTINGS = ("core.bigFileThreshold=1m", "core.fsmonitor=false", "core.attributesFile=/dev/null")


def branch_lines(folder: Path, snapshot: Path | None, branch: Deliverable) -> tuple[list[str], str]:
    """Lines of the difference, and why there are none or not all."""
    if not branch.new:
        return [], "The branch was deleted."
    store = snapshot / "git" / f"{branch.project}.git" if snapshot is not None else None
    with tempfile.TemporaryDirectory(prefix="dayjob-view-") as made:
        place = Path(made)
        (place / "objects" / "info").mkdir(parents=True)
        (place / "refs").mkdir()
        (place / "HEAD").write_text("ref: refs/heads/main\n")
        if store is not None and store.is_dir():
            (place / "objects" / "info" / "alternates").write_text(f"{store / 'objects'}\n")
        put_objects(folder, branch.project, place / "objects")
        base = branch.old or _began(place, store, branch.new)
        if not base:
            return [], "What it was before is not on this machine: the snapshot of its world is gone from the cache."
        said = _git(
            place, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--stat", "--patch", base, branch.new
        )
    if said is None:
        return [], "git could not read what was pushed within its time and memory."
    lines = said.splitlines()
    if not lines:
        return [], "It has no change of files."
    cut = f"{len(lines) - MOST_LINES:,} more lines are not shown." if len(lines) > MOST_LINES else ""
    return lines[:MOST_LINES], cut


def _began(place: Path, store: Path | None, commit: str) -> str:
    """Where a new branch left the default one."""
    if store is None or not store.is_dir():
        return ""
    main = (_git(store, "rev-parse", "--verify", "--end-of-options", "HEAD") or "").strip()
    return (_git(place, "merge-base", main, commit) or "").strip() if main else ""


def _git(place: Path, *words: str) -> str | None:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = [*_LIMITED, "git", f"--git-dir={place}", *settings, *words]
    env = {**_QUIET, "PATH": os.environ.get("PATH", os.defpath)}
    try:
        with subprocess.Popen(
            command, env=env, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as git:
            assert git.stdout is not None
            said = git.stdout.read(_LARGEST_PRINTED)
            whole = len(said) < _LARGEST_PRINTED
            if not whole:
                git.kill()  # enough is known
            return said.decode("utf-8", "replace") if git.wait(_SECONDS) == 0 or not whole else None
    except (OSError, subprocess.TimeoutExpired):
        return None
