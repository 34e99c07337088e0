"""A company that people keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.company.state import StateError, open_kept
from dayjob.company.world import Snapshot
from tests.company.serving import WORLDS, snapshot_of


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


def test_a_kept_company_goes_on_where_it_stopped(snapshot: Snapshot, tmp_path: Path) -> None:
    company = open_kept(snapshot, tmp_path / "state")
    blob = company.blobs.put(b"a file of ours")
    with company.service("chat").transaction() as db:
        db.execute("CREATE TABLE mark (x)")
    stopped = company.clock.now()
    company.close()

    again = open_kept(snapshot, tmp_path / "state")
    assert again.database("chat").execute("SELECT count(*) FROM mark").fetchone() == (0,)
    assert again.blobs.path(blob.hash).read_bytes() == b"a file of ours"
    assert again.clock.now() >= stopped
    assert again.ids.seed != company.ids.seed
    again.reset()
    assert again.ready("chat")
    assert again.database("chat").execute("SELECT count(*) FROM sqlite_master WHERE name = 'mark'").fetchone() == (0,)
    again.close()


def test_two_processes_cannot_serve_one_state(snapshot: Snapshot, tmp_path: Path) -> None:
    first = open_kept(snapshot, tmp_path / "state")
    with pytest.raises(StateError, match="Another process"):
        open_kept(snapshot, tmp_path / "state")
    first.close()
    open_kept(snapshot, tmp_path / "state").close()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "snapshot": 3, "began": 0}', "\x00"])
def test_a_damaged_state_is_refused_and_kept(snapshot: Snapshot, tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(StateError, match="damaged"):
        open_kept(snapshot, tmp_path)
    assert (tmp_path / "state.json").read_text() == text


def test_a_newer_state_a_lost_snapshot_and_a_stranger_folder_are_refused(snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"format": 9, "snapshot": "x", "began": 0}')
    with pytest.raises(StateError, match="format 9"):
        open_kept(snapshot, tmp_path)
    (tmp_path / "state.json").write_text('{"format": 1, "snapshot": "gone", "began": 0}')
    with pytest.raises(StateError, match="another version of the world"):
        open_kept(snapshot, tmp_path)
    (tmp_path / "state.json").unlink()
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StateError, match=r"thesis\.txt"):
        open_kept(snapshot, tmp_path)
    with pytest.raises(StateError, match="cannot hold"):
        open_kept(snapshot, tmp_path / "thesis.txt")
