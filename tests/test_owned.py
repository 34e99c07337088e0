"""What a killed process left is known by its name: what is whose, and what is nobody's any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dayjob import owned


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_living_process_keeps_its_folders() -> None:
    mine = owned.folder("test")
    assert owned.abandoned_folders() == []
    assert owned.sweep_folders() == []
    assert mine.is_dir()


def test_a_killed_process_leaves_folders_that_the_next_sweep_removes(temporary: Path) -> None:
    program = "from dayjob import owned; print(owned.folder('test'), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as host:
        assert host.stdout is not None
        left = Path(host.stdout.readline().strip())
        (left / "deep").mkdir()
        assert owned.abandoned_folders() == []
        host.send_signal(signal.SIGKILL)
        host.wait()
        assert owned.abandoned_folders() == [left]
        (said,) = owned.sweep_folders()
    assert str(left) in said
    assert str(host.pid) in said
    assert not left.exists()


def changed(place: int, value: str) -> str:
    """Our own mark, in one respect somebody else's."""
    parts = owned.mark().split(".")
    parts[place] = value
    return ".".join(parts)


def test_a_reused_pid_is_not_the_owner() -> None:
    assert not owned.is_gone(owned.mark())
    assert owned.is_gone(changed(3, "1"))


def test_another_containers_processes_are_not_judged() -> None:
    assert not owned.is_gone(changed(1, "abc"))


def test_what_is_older_than_the_machines_start_is_nobodys_unless_it_may_be_another_machines() -> None:
    other = changed(0, "00c0ffee")
    assert owned.is_gone(other)
    assert not owned.is_gone(other, other_boots=False)


def test_links_files_and_unmarked_folders_are_left_alone(temporary: Path) -> None:
    gone = changed(3, "1")
    target = temporary / "of-somebody"
    target.mkdir()
    (temporary / f"dayjob-trial-{gone}-link").symlink_to(target)
    (temporary / f"dayjob-trial-{gone}-file").write_text("")
    (temporary / "dayjob-trial-whatever").mkdir()
    (temporary / f"other-trial-{gone}-x").mkdir()
    assert owned.abandoned_folders() == []
    assert target.is_dir()
