"""What travels to a node and back: the same bytes at either end, each parcel once, and evidence whole or not at all."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.task.family import is_family
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.ray_transfer import PIECE, Arriving, Packer, evidence_pieces, pack_trial, receive
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import VariantKey, make_here
from tests.trial.families import family


class Cluster:
    """Where parcels wait for the nodes: what was put there, and how often each was fetched."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.fetched: list[int] = []

    def store(self, content: bytes) -> int:
        self.kept.append(content)
        return len(self.kept) - 1

    def fetch(self, reference: int) -> bytes:
        self.fetched.append(reference)
        return self.kept[reference]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks/water"
    (folder / "references").mkdir(parents=True)
    (folder / "task.md").write_text("Water the ferns.\n")
    (folder / "references/run.sh").write_text("true\n")
    (folder / "references/run.sh").chmod(0o700)
    return folder


def files(folder: Path) -> dict[str, str]:
    return {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*") if one.is_file()}


def test_a_folder_is_packed_once_a_run_and_fetched_once_a_node(task: Path, tmp_path: Path) -> None:
    cluster = Cluster()
    packer = Packer(cluster.store)
    parcel = packer.pack(task)
    assert packer.pack(task) is parcel
    assert len(cluster.kept) == 1
    first, second = (receive(parcel, tmp_path / "node", cluster.fetch) for _ in range(2))
    assert first == second
    assert cluster.fetched == [0]
    assert first.name == "water"
    assert files(first) == files(task)
    assert (first / "references/run.sh").stat().st_mode & 0o777 == 0o744
    receive(parcel, tmp_path / "another", cluster.fetch)
    assert cluster.fetched == [0, 0]


def test_a_parcel_is_known_by_what_it_holds(task: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[]")
    before = [Packer(Cluster().store).pack(path).key for path in (task, script)]
    assert [Packer(Cluster().store).pack(path).key for path in (task, script)] == before
    script.write_text("[1]")
    (task / "task.md").write_text("Water nothing.\n")
    after = [Packer(Cluster().store).pack(path).key for path in (task, script)]
    assert not set(before) & set(after)


def evidence(folder: Path, task: str) -> Iterator[bytes]:
    """The pieces of a trial's folder on a node, larger than one piece."""
    (folder / "logs").mkdir(parents=True)
    (folder / "logs/grade.log").write_text("well\n")
    (folder / "noise").write_bytes(os.urandom(2 * PIECE))
    outcome = Outcome("water", "oracle", 1, Label.RESOLVED, made_of={"task": task})
    (folder / "outcome.json").write_text(outcome.to_json())
    return evidence_pieces(folder, {task: "/driver/water"}, "node-7")


def test_evidence_comes_home_whole_in_the_drivers_words_and_replaces_what_was_there(tmp_path: Path) -> None:
    spec = TrialSpec("/driver/water", "oracle", str(tmp_path / "run/water.1"))
    for again in (False, True):
        with Arriving(spec) as arriving:
            for piece in evidence(tmp_path / f"node{again}", "/node/parcels/water"):
                assert 0 < len(piece) <= PIECE
                arriving.add(piece)
            arriving.settle()
        home = Path(spec.out)
        outcome = Outcome.from_json((home / "outcome.json").read_text())
        assert (outcome.made_of["task"], outcome.made_of["node"]) == ("/driver/water", "node-7")
        assert (home / "logs/grade.log").read_text() == "well\n"
        assert (home / "noise").read_bytes() == (tmp_path / f"node{again}/noise").read_bytes()
        assert (home / "spec.json").read_text() == spec.to_json()
        assert not list(home.parent.glob(".arriving-*"))


def test_evidence_that_does_not_come_whole_leaves_nothing(tmp_path: Path) -> None:
    spec = TrialSpec("/driver/water", "oracle", str(tmp_path / "run/water.1"))
    with Arriving(spec) as arriving:
        for piece in itertools.islice(evidence(tmp_path / "node", "/node/water"), 1):
            arriving.add(piece)
    assert list((tmp_path / "run").iterdir()) == []


def test_a_variant_that_was_made_here_travels_made_and_another_as_its_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path / "cache"))
    folder, cluster, key = family(tmp_path), Cluster(), VariantKey(b"k" * 32)
    private = TrialSpec(str(folder), "nop", str(tmp_path / "out"), variant=4, variant_set=key.fingerprint)
    public = TrialSpec(str(folder), "nop", str(tmp_path / "out"), variant=4)
    make_here([private], key)
    places = []
    for spec in (private, public):
        packed = pack_trial(spec, {}, Packer(cluster.store))
        assert packed.called["task"] == str(folder)
        places.append(receive(packed.parcels["task"], tmp_path / "node", cluster.fetch))
    assert [place.name for place in places] == ["shelf", "shelf"]
    assert [is_family(place) for place in places] == [False, True]
    assert not any(b"k" * 32 in content for content in cluster.kept)
