"""On a machine with other people nothing a trial, a build or a company leaves can be read or changed by them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob import owned
from dayjob.company.state import open_kept
from dayjob.company.world import build_snapshot
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.trial.run_folder import open_run
from dayjob.whole_files import write_whole
from tests.trial.offices import attempt, office, task

SOMEBODY = 54_321

WALK = """
import json, os, sys
found = []
for path in json.load(sys.stdin):
    for what in ("read", "list", "write", "make"):
        try:
            if what == "read":
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            elif what == "list":
                os.listdir(path)
            elif what == "write":
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            else:
                os.mkdir(path + "/planted")
        except OSError:
            continue
        found.append((what, path))
print(json.dumps(found))
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else to look")


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that everybody may look into, unlike pytest's own."""
    place = Path(tempfile.mkdtemp(prefix="private-test-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def reached(place: Path) -> list[list[str]]:
    """What somebody else can read, list, write or make of everything below."""
    paths = [os.path.join(at, name) for at, folders, files in os.walk(place) for name in (*folders, *files)]
    assert paths
    done = subprocess.run(
        ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups", "/usr/bin/python3", "-c", WALK],
        input=json.dumps(paths), capture_output=True, text=True, check=True, cwd="/",
    )  # fmt: skip
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_what_a_build_and_a_trial_leave_is_nobody_elses_to_read_or_write(
    open_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (open_place / "tmp").mkdir(mode=0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(open_place / "tmp"))
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)  # what is only there for a while counts too
    run = "RUN mkdir -p /opt/x && chmod 777 /opt/x && date > /opt/x/y\n"
    path = task(tmp_path, Dockerfile=f"FROM dayjob/task-base:1\n{run}")
    tried = attempt(open_place / "cache", tmp_path, path)
    monkeypatch.undo()
    assert tried.outcome.label == "resolved", tried.outcome.reason
    shutil.move(tried.folder, open_place / "trial")
    kinds = {part.name for part in (open_place / "cache").iterdir()} | {part.name for part in open_place.iterdir()}
    assert {"layers", "snapshots", "trial", "cache", "tmp"} <= kinds
    assert reached(open_place) == [["read", str(open_place / "tmp")], ["list", str(open_place / "tmp")]]
    modes = {one.name: one.stat().st_mode & 0o777 for one in (open_place / "trial").iterdir()}
    assert modes.pop("logs") == 0o700
    assert set(modes.values()) == {0o600}
    assert {"journal.jsonl", "trajectory.json", "outcome.json", "kept.tar.gz", "workspace.tar.gz"} <= modes.keys()


def test_a_run_and_a_kept_company_are_private_too(open_place: Path, tmp_path: Path) -> None:
    with open_run(open_place / "run", []):
        pass
    snapshot = build_snapshot(office(tmp_path), cache=tmp_path / "cache")
    open_kept(snapshot, open_place / "state").close()
    assert reached(open_place) == []


def test_a_cache_of_an_earlier_version_is_closed_when_it_is_opened(open_place: Path, tmp_path: Path) -> None:
    for name in ("cache/layers/old/files/tmp", "cache/snapshots/old", "run"):
        (open_place / name).mkdir(parents=True)
    (open_place / "cache/layers/old/files/tmp").chmod(0o1777)
    (open_place / "cache/snapshots/old/secret").write_text("x")
    assert reached(open_place)
    LayerStore(open_place / "cache", of_this_user())
    build_snapshot(office(tmp_path), cache=open_place / "cache")
    with open_run(open_place / "run", []):
        pass
    assert {path for _, path in reached(open_place)} == {str(open_place / "cache")}


def test_a_folder_for_everybody_or_of_somebody_else_is_not_closed(open_place: Path) -> None:
    (open_place / "shared").mkdir()
    (open_place / "shared").chmod(0o1777)
    (open_place / "theirs").mkdir(mode=0o755)
    os.chown(open_place / "theirs", SOMEBODY, SOMEBODY)
    for name, mode in (("shared", 0o1777), ("theirs", 0o755)):
        assert owned.private(open_place / name).stat().st_mode & 0o7777 == mode
    assert owned.private_cache(open_place / "shared", "layers").stat().st_mode & 0o777 == 0o700
    assert (open_place / "shared").stat().st_mode & 0o7777 == 0o1777


def test_a_file_written_whole_is_its_users_own_unless_it_is_made_to_be_shown(tmp_path: Path) -> None:
    write_whole(tmp_path / "outcome.json", b"{}")
    write_whole(tmp_path / "report.html", b"<p>", mode=0o644)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("outcome.json", "report.html")] == [0o600, 0o644]
