"""Which trial comes next: tasks take turns, and what is tried again waits behind the others."""

from __future__ import annotations

import pytest

from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worklist import Worklist


def spec(name: str) -> TrialSpec:
    return TrialSpec(f"/tasks/{name[0]}", "agent", f"/out/{name}")


def order(work: Worklist) -> str:
    found = []
    while (one := work.next()) is not None:
        found.append(one.out.removeprefix("/out/"))
    return " ".join(found)


def failed(one: TrialSpec) -> Outcome:
    return Outcome(one.task, "agent", 1, Label.INFRA_ERROR)


def test_tasks_take_turns() -> None:
    work = Worklist(map(spec, ["a1", "a2", "a3", "b1", "c1", "c2"]))
    assert (work.total, len(work)) == (6, 6)
    assert order(work) == "a1 b1 c1 a2 c2 a3"
    assert (work.total, len(work)) == (6, 0)


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_each_trial_is_tried_again_as_often_as_it_may_be(retries: int) -> None:
    work = Worklist(map(spec, ["a1", "b1"]), retries)
    tried = 0
    while (one := work.next()) is not None:
        tried += 1
        work.again(one, failed(one))
    assert tried == 2 * (1 + retries)


def test_a_trial_that_is_tried_again_waits_behind_the_others() -> None:
    work = Worklist(map(spec, ["a1", "a2", "b1"]), retries=1)
    first = work.next()
    assert first is not None
    assert work.again(first, failed(first))
    assert order(work) == "b1 a2 a1"


def test_a_trial_may_be_put_back_after_the_last() -> None:
    work = Worklist([spec("a1")])
    one = work.next()
    assert one is not None
    work.put_back(one)
    assert order(work) == "a1"


def test_nothing_is_begun_after_all_was_dropped() -> None:
    work = Worklist(map(spec, ["a1", "b1"]))
    work.drop()
    assert len(work) == 0
    assert work.next() is None
