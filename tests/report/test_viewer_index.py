"""The index follows the folders, and can be thrown away."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dayjob.report.viewer.app import kept_up_to_date
from dayjob.report.viewer.index import NAME, Index
from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_trial

Opener = Callable[..., Index]


@pytest.fixture
def opened() -> Iterator[Opener]:
    made: list[Index] = []

    def make(*folders: Path) -> Index:
        made.append(Index(folders))
        return made[-1]

    yield make
    for index in made:
        index.close()


def test_it_lists_trials_counts_runs_and_keeps_faults_apart(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path / "runs" / "one", "alpha", result=3)
    write_trial(tmp_path / "runs" / "one", "alpha", attempt=2, result=0)
    write_trial(tmp_path / "runs" / "one", "beta", label=Label.INIT_ERROR)
    write_trial(tmp_path / "runs" / "two", "alpha", ended=False)
    index = opened(tmp_path / "runs")
    assert index.refresh()
    one, two = index.runs()
    assert (one.run, one.trials, one.tasks, one.scored, one.resolved, one.faults, one.running) == (
        "runs~one", 3, 2, 2, 1, 1, 0,
    )  # fmt: skip
    assert (two.run, two.running, two.faults, two.score) == ("runs~two", 1, 0, None)
    cell = index.cells("runs~one", ["alpha"])["alpha", "worker"]
    assert (cell.trials, cell.resolved, cell.score, cell.name) == (2, 1, 0.5, "alpha.worker.1")
    assert [row.label for row in index.page("runs~one", 0, 10, label="init_error")[0]] == ["init_error"]


def test_a_second_look_at_the_same_folders_finds_nothing_new(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path, "alpha")
    index = opened(tmp_path)
    assert index.refresh()
    assert not index.refresh()


def test_it_follows_trials_that_end_change_and_go(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path / "run", "alpha", ended=False)
    index = opened(tmp_path / "run")
    index.refresh()
    before = index.version()
    shutil.rmtree(tmp_path / "run" / "alpha.worker.1")
    write_trial(tmp_path / "run", "alpha", result=3)
    index.refresh()
    row = index.trial("run", "alpha.worker.1")
    assert row is not None
    assert (row.state, row.label, row.steps) == ("ended", "resolved", 1)
    assert index.version() != before
    shutil.rmtree(tmp_path / "run" / "alpha.worker.1")
    index.refresh()
    assert index.runs() == []
    assert index.search("alpha", 0, 10) == ([], 0)


def test_an_earlier_attempt_kept_apart_is_not_a_trial(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path / "run", "alpha", result=0)
    write_trial(tmp_path / "run", "alpha", result=3)
    index = opened(tmp_path / "run")
    index.refresh()
    assert [row.label for row in index.page(None, 0, 10)[0]] == ["resolved"]


def test_what_was_said_done_and_changed_is_found(tmp_path: Path, opened: Opener) -> None:
    call = {"tool_call_id": "c", "function_name": "run", "arguments": {"command": "grep pelican notes.txt"}}
    write_trial(tmp_path, "alpha", document=trajectory([step(1, "agent", "Looking for herons", tool_calls=[call])]))
    write_trial(tmp_path, "beta", changes=[{"service": "drive", "words": "sam.reed removed /heron.txt"}])
    write_trial(tmp_path, "gamma", label=Label.INFRA_ERROR, reason='a "quoted" reason (with brackets) AND operators*')
    index = opened(tmp_path)
    index.refresh()

    def names(text: str) -> set[str]:
        found, count = index.search(text, 0, 10)
        assert count == len(found)
        return {row.task for row, _ in found}

    assert names("heron") == {"alpha", "beta"}
    assert names("pelican grep") == {"alpha"}
    assert names('"quoted" (with AND operators* -x') == set()
    assert names('"quoted" reason (with') == {"gamma"}
    assert names("") == set()


@pytest.mark.parametrize("damage", [b"not a database at all", b""])
def test_a_damaged_index_is_made_again(tmp_path: Path, opened: Opener, damage: bytes) -> None:
    write_trial(tmp_path, "alpha")
    index = Index([tmp_path])
    index.refresh()
    index.close()
    (tmp_path / NAME).write_bytes(damage)
    again = opened(tmp_path)
    again.refresh()
    assert again.runs()[0].trials == 1


def test_an_index_that_came_with_the_run_cannot_point_elsewhere(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path / "run", "alpha")
    index = Index([tmp_path / "run"])
    index.refresh()
    index._writer.execute("UPDATE trials SET folder = '/etc'")
    index._writer.commit()
    index.close()
    assert opened(tmp_path / "run").trial("run", "alpha.worker.1") is None


def test_the_viewer_goes_on_when_its_index_cannot_be_written(tmp_path: Path, opened: Opener) -> None:
    write_trial(tmp_path / "run", "alpha")
    index = opened(tmp_path / "run")
    index.refresh()

    async def watched() -> None:
        async with kept_up_to_date(index):
            await asyncio.to_thread(blocked.wait, 10)
            free.set()
            assert await asyncio.to_thread(listed.wait, 20)
            assert index.runs()[0].trials == 2

    blocked, free, listed = threading.Event(), threading.Event(), threading.Event()
    real = index.refresh

    def refresh() -> bool:
        if not free.is_set():
            blocked.set()
            raise OSError("No space left on device")
        changed = real()
        listed.set()
        return changed

    index.refresh = refresh  # type: ignore[method-assign]  # a full disk cannot be had here
    write_trial(tmp_path / "run", "beta")
    asyncio.run(asyncio.wait_for(watched(), 30))


def test_an_unreadable_outcome_is_a_fault_with_a_reason(tmp_path: Path, opened: Opener) -> None:
    trial = write_trial(tmp_path, "alpha")
    (trial / "outcome.json").write_text(json.dumps({"format": 99}))
    index = opened(tmp_path)
    index.refresh()
    (row,), _ = index.page(None, 0, 10)
    assert row.label == "infra_error"
    assert "format 1" in row.reason
