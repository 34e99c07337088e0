"""The clock of work: it stands still while the provider keeps an examinee waiting, and for nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.waiting import State, Waits
from dayjob.trial.work_clock import WorkClock
from tests.trial.test_trouble import WORKER, Place, Provider, outcomes


async def working(clock: WorkClock, waits: Waits, state: State) -> None:
    async with clock.limited():
        waits.begin(state)
        await asyncio.sleep(30)


def test_the_time_is_up_when_nothing_was_waited_for() -> None:
    async def main() -> None:
        clock = WorkClock(0.05, Waits(), 100)
        with pytest.raises(TimeoutError):
            async with clock.limited():
                await asyncio.sleep(30)
        assert not clock.out_of_patience
        assert clock.waited == 0

    asyncio.run(main())


def test_it_stands_while_a_call_is_held_up_and_says_so() -> None:
    async def main() -> None:
        waits, told = Waits(), list[bool]()
        clock = WorkClock(0.2, waits, 100, told.append)
        async with clock.limited():
            call = waits.begin(State.HELD_UP)
            await asyncio.sleep(0.4)  # longer than there is
            assert clock.left() == pytest.approx(0.2, abs=0.1)
            call.now(State.ANSWERED)
            call.end()
        assert told == [True, False]
        assert clock.waited == pytest.approx(0.4, abs=0.1)

    asyncio.run(main())


def test_what_is_done_while_it_is_kept_still_takes_no_time_from_the_work() -> None:
    over = list[bool]()

    async def work(clock: WorkClock) -> None:
        async with clock.limited():
            with clock.still():
                await asyncio.sleep(0.4)  # longer than there is
            over.append(clock.left() <= 0)
            await asyncio.sleep(30)

    async def main() -> None:
        clock = WorkClock(0.2, Waits(), 100)
        with pytest.raises(TimeoutError):
            await work(clock)
        assert clock.held >= 0.4
        assert over == [False]

    asyncio.run(main())


def test_more_than_its_patience_of_being_held_up_is_the_end() -> None:
    async def main() -> None:
        waits = Waits()
        clock = WorkClock(30, waits, 0.1)
        with pytest.raises(TimeoutError):
            await working(clock, waits, State.HELD_UP)
        assert clock.out_of_patience

    asyncio.run(main())


def test_waiting_for_a_turn_stops_it_for_as_long_as_its_patience_and_is_no_fault() -> None:
    async def main() -> None:
        waits = Waits()
        clock = WorkClock(0.1, waits, 0.1)
        with pytest.raises(TimeoutError):
            await working(clock, waits, State.TURN)
        assert not clock.out_of_patience
        assert clock.waited == pytest.approx(0.1, abs=0.01)

    asyncio.run(main())


@pytest.mark.parametrize("answered", [True, False])
def test_at_the_end_a_call_without_an_answer_decides_whether_it_was_the_end(answered: bool) -> None:
    async def main() -> None:
        waits = Waits()
        clock = WorkClock(0.1, waits, 100)
        went_on = False
        try:
            async with clock.limited():
                call = waits.begin(State.ASKING)
                await asyncio.sleep(0.3)
                if answered:
                    call.now(State.ANSWERED)
                else:
                    call.attempt_failed()
                call.end()
                await asyncio.sleep(0.05)
                went_on = True
        except TimeoutError:
            pass
        assert went_on is not answered

    asyncio.run(main())


def test_calls_that_overlap_for_ever_do_not_put_off_the_end() -> None:
    async def main() -> None:
        waits = Waits()
        clock = WorkClock(0.2, waits, 100)
        rounds = 0
        try:
            async with clock.limited():
                call = waits.begin(State.ASKING)
                while rounds < 100:
                    rounds += 1
                    await asyncio.sleep(0.1)
                    following = waits.begin(State.ASKING)
                    await asyncio.sleep(0.01)
                    call.end()  # answered
                    call = following
        except TimeoutError:
            pass
        assert rounds < 10

    asyncio.run(main())


# -- whole trials against a provider in a process of its own --------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Place:
    return Place(tmp_path, cache)


def tried(place: Place, rules: list[dict[str, Any]], settings: str = "", seconds: str = "3") -> dict[str, Any]:
    place.task("asks")
    provider = Provider(place.folder, rules)
    file = place.folder / "dayjob.toml"
    limits = "retries = 5\nbackoff = 0.01\ntimeout = 4\npatience = 60\n"
    file.write_text(f"[llm]\n{settings}\n" + file.read_text().split("retries")[0] + limits)
    try:
        options = ["-a", "worker", "-m", "here/any", "--seconds", seconds, "--retries", "0", "--processes", "1"]
        done = subprocess.run(
            place.begin(*options), env=place.env, cwd=place.folder, capture_output=True, text=True, timeout=120
        )
        assert "Traceback" not in done.stderr, done.stderr
    finally:
        provider.stop()
    [outcome] = outcomes(place.run).values()
    return outcome


def test_a_provider_that_says_429_for_longer_than_there_is_time_costs_no_time(place: Place) -> None:
    storm = {"fault": {"status": 429, "retry_after": 4}, "once": True}
    outcome = tried(place, [storm, *WORKER])
    assert outcome["label"] == "resolved", outcome["reason"]
    assert outcome["waited_for_model"] >= 4
    assert outcome["timings"]["work"] >= 4


def test_a_provider_that_is_silent_for_longer_than_there_is_time_costs_no_time(place: Place) -> None:
    outcome = tried(place, [{"fault": "silence", "once": True}, *WORKER])
    assert outcome["label"] == "resolved", outcome["reason"]
    assert outcome["waited_for_model"] >= 4


def test_a_model_that_thinks_too_long_has_had_its_time(place: Place) -> None:
    outcome = tried(place, [{"say": "Hm.", "delay": 3.5, "once": True}, *WORKER])
    assert (outcome["label"], outcome["ended"]) == ("failed", "timeout")
    assert outcome["waited_for_model"] < 1
    assert outcome["stopped"].startswith("the examinee's time was up after 3 s")


def test_a_provider_that_keeps_it_waiting_beyond_its_patience_is_nobody_s_zero(place: Place) -> None:
    storm = {"fault": {"status": 429, "retry_after": 30}}
    outcome = tried(place, [storm], "patience = 1.5")
    assert outcome["label"] == "infra_error"
    assert "kept waiting by its model's provider for more than 1.5 s" in outcome["reason"]
    assert outcome["resources"]["models"]["examinee"]["calls"] == 1, "what was asked is told all the same"


def test_the_outcome_of_every_trial_says_why_the_agent_stopped(place: Place) -> None:
    assert tried(place, WORKER)["stopped"] == "the model called finish"
    assert os.listdir(place.run)
    place.run = place.folder / "second"
    outcome = tried(place, [{"say": "I would rather talk."}])
    assert (outcome["label"], outcome["stopped"]) == ("failed", "the model used no tool 3 times in a row")
    assert json.dumps(outcome["resources"]["models"]["examinee"])
