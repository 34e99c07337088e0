"""What a run holds does not grow with the trials it has done."""

from __future__ import annotations

import asyncio
import gc
import json
import urllib.parse
from collections import Counter
from pathlib import Path

import pytest

from dayjob.trial.local_driver import Ended, Event, Stop, work_through
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worklist import Worklist
from tests.trial.offices import office, task

# What is kept of every trial grows from each of these to the next by at least as many; what fills up once does not.
AFTER = (8, 16, 24)
SCENARIO = json.dumps({"Mara Lind": {"script": [{"on": {"topic": "word"}, "reply": "shipshape"}]}})
PLAIN = """
    from scoring import Checkpoint, Result
    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 0)])
    """


def held() -> Counter[str]:
    urllib.parse.clear_cache()  # type: ignore[attr-defined]  # not in its stubs; bounded, and every address is another
    gc.collect()
    return Counter(str(type(one)) for one in gc.get_objects())


def test_a_loop_that_has_done_many_trials_holds_what_it_held_after_a_few(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(cache))
    company = {"dependencies__yml": "- rocketchat\n- owncloud\n", "scenarios__json": SCENARIO}
    path, world = task(tmp_path, evaluator__py=PLAIN, **company), str(office(tmp_path))
    ended = 0
    counts: dict[int, Counter[str]] = {}

    def tell(event: Event) -> None:
        nonlocal ended
        if isinstance(event, Ended):
            assert event.outcome.label is Label.FAILED, event.outcome.reason
            ended += 1
            if ended in AFTER:
                counts[ended] = held()

    specs = [
        TrialSpec(str(path), "nop", str(tmp_path / "run" / str(number)), world=world, attempt=number)
        for number in range(AFTER[-1] + 1)
    ]
    asyncio.run(work_through(Worklist(specs), parallel=1, tell=tell, stop=Stop(), processes=1))
    few, some, many = (counts[number] for number in AFTER)
    step = AFTER[1] - AFTER[0]
    kept = {name for name in many if some[name] - few[name] >= step and many[name] - some[name] >= step}
    assert kept == set(), "something is kept of every trial"
