"""The run's budget and a provider's limits hold over all worker processes, and `resume` goes on from what was spent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.budget import Budget, Usage
from dayjob.llm.faults import Label
from dayjob.llm.rate_limits import Limits
from dayjob.llm.run_limits import Desk, RunSpent, Spent, run_fault
from dayjob.trial.leases import LeasedTurns, Leases
from tests.trial.test_trouble import WORKER, Place, Provider, labels, outcomes

HERE = Limits("here", concurrency=2)


def joined(desk: Desk) -> tuple[LeasedTurns, Leases]:
    """A worker and its driver, each line carried as JSON between them."""
    worker = LeasedTurns(lambda event: leases.hear(json.loads(json.dumps(event))))
    leases = Leases(desk, lambda answer: worker.hear(json.loads(json.dumps(answer))))
    return worker, leases


def test_no_more_calls_at_once_over_all_workers_than_the_provider_may_have() -> None:
    async def main() -> None:
        workers = [joined(desk)[0] for desk in [Desk()] for _ in range(3)]
        inside = most = 0

        async def call(worker: LeasedTurns) -> None:
            nonlocal inside, most
            await worker.enter(HERE)
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1
            worker.leave(HERE)

        await asyncio.gather(*(call(worker) for worker in workers for _ in range(20)))
        assert most == 2

    asyncio.run(main())


def test_a_worker_that_goes_away_gives_its_turns_back() -> None:
    async def main() -> None:
        desk = Desk()
        (lost, leases), (other, _) = joined(desk), joined(desk)
        await lost.enter(HERE)
        await lost.enter(HERE)
        waiting = asyncio.ensure_future(lost.enter(HERE))
        third = asyncio.ensure_future(other.enter(HERE))
        await asyncio.sleep(0)
        assert not third.done()
        leases.close()
        await third
        waiting.cancel()

    asyncio.run(main())


@pytest.mark.parametrize("given", [False, True])
def test_a_caller_that_goes_away_leaves_no_turn_behind(given: bool) -> None:
    async def main() -> None:
        desk = Desk()
        worker, _ = joined(desk)
        one = Limits("here", concurrency=1)
        if not given:
            await worker.enter(one)
        going = asyncio.ensure_future(worker.enter(one))
        await asyncio.sleep(0)
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        if not given:
            worker.leave(one)
        async with asyncio.timeout(5):
            await worker.enter(one)

    asyncio.run(main())


def test_what_was_spent_is_on_the_disk_and_is_gone_on_from(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "spent.json"
        worker, _ = joined(Desk(Budget(tokens=100), file))
        await worker.call()
        worker.spent(HERE, Spent(60, 0.5))
        again, _ = joined(Desk(Budget(tokens=100), file))
        await again.call()
        again.spent(HERE, Spent(60, 0.5))
        with pytest.raises(RunSpent, match="120 of 100 tokens"):
            await again.call()
        assert json.loads(file.read_text()) == {"format": 1, "calls": 2, "tokens": 120, "usd": 1.0}

    asyncio.run(main())


def test_a_file_that_does_not_say_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "spent.json").write_text('{"format": 1}')
    with pytest.raises(OSError, match="does not say what the run has spent"):
        Desk(file=tmp_path / "spent.json")


@pytest.mark.parametrize(("used", "label"), [(30, Label.BUDGET_SPENT), (10, Label.RUN_BUDGET_SPENT)])
def test_who_spent_its_share_of_the_run_has_had_it_and_the_others_are_not_judged(used: int, label: Label) -> None:
    refusal = RunSpent("The budget of the run is spent.", Desk(Budget(tokens=100), trials=4).share)
    assert run_fault(refusal, "examinee", Usage(completion_tokens=used)).label is label
    assert run_fault(refusal, "judge", Usage(completion_tokens=used)).label is Label.RUN_BUDGET_SPENT


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Place:
    return Place(tmp_path, cache)


def test_a_run_of_several_processes_keeps_its_budget_and_resume_goes_on_from_it(place: Place) -> None:
    place.task("asks")
    slow: list[dict[str, Any]] = [{**rule, "delay": 0.05} for rule in WORKER]
    provider = Provider(place.folder, slow)
    settings = place.folder / "dayjob.toml"
    bare = settings.read_text()
    settings.write_text(f"[llm.budget.run]\ncalls = 3\n{bare}")
    options = ["-k", "4", "-n", "2", "--processes", "2", "--retries", "0", "-a", "worker", "-m", "here/any", "--json"]
    try:
        done = place.do(place.begin(*options))
        assert done.returncode == 1, done.stderr
        spent = json.loads((place.run / "spent.json").read_text())
        assert spent["calls"] == 3
        assert "No more trials are begun" in done.stderr
        found = labels(place.run)
        assert 1 <= found["resolved"] <= 2, "each takes two calls; who had its share is graded on what it left"
        assert set(found) <= {"resolved", "cancelled"}, "nobody is judged by the end of somebody else's money"
        resolved = found["resolved"]
        again = place.do(place.resume("--json"))
        assert json.loads((place.run / "spent.json").read_text())["calls"] == 3, "resume does not begin at nothing"
        assert labels(place.run)["resolved"] == resolved
        assert "budget of the run is spent" in again.stdout
        settings.write_text(bare)
        assert place.do(place.resume("--json")).returncode == 0
        assert labels(place.run) == {"resolved": 4}
        assert json.loads((place.run / "spent.json").read_text())["calls"] >= 3 + 2 * (4 - resolved)
        assert all(one["resources"]["models"] for one in outcomes(place.run).values())
    finally:
        provider.stop()


def test_a_provider_s_limit_holds_over_all_processes(place: Place) -> None:
    place.task("asks")
    provider = Provider(place.folder, [{**rule, "delay": 0.2} for rule in WORKER])
    settings = place.folder / "dayjob.toml"
    settings.write_text(settings.read_text() + "concurrency = 1\n")
    try:
        options = ["-k", "3", "-n", "3", "--processes", "3", "-a", "worker", "-m", "here/any", "--seconds", "30"]
        assert place.do(place.begin(*options)).returncode == 0
    finally:
        provider.stop()
    calls = []
    for path in place.run.glob("*/models.jsonl"):
        calls += [json.loads(line) for line in path.read_text().splitlines()]
    assert len(calls) == 6
    # One at a time: together they took as long as one after the other.
    assert max(call["seconds"] for call in calls) > 0.4
    assert any(one["waited_for_model"] > 0.2 for one in outcomes(place.run).values())
