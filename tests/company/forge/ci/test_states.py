"""How jobs go on: by stages, by `needs`, by what failed and what may."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company.forge.ci import states
from dayjob.company.forge.ci.states import Step, before, composed, dependants, moves


@pytest.mark.parametrize(
    ("jobs", "together"),
    [
        ([], None),
        ([("success", False), ("skipped", False)], "success"),
        ([("success", False), ("failed", False)], "failed"),
        ([("success", False), ("failed", True)], "success"),
        ([("created", False)], "created"),
        ([("created", False), ("pending", False)], "pending"),
        ([("success", False), ("created", False)], "running"),
        ([("running", False), ("failed", False)], "running"),
        ([("success", False), ("manual", False)], "manual"),
        ([("success", False), ("manual", True)], "success"),
        ([("manual", True)], "skipped"),
        ([("canceled", False), ("success", False)], "canceled"),
        ([("canceled", False), ("failed", False)], "failed"),
        ([("canceling", False), ("success", False)], "canceling"),
        ([("scheduled", False), ("success", False)], "scheduled"),
        ([("skipped", False), ("skipped", False)], "skipped"),
    ],
)
def test_the_state_of_a_pipeline_is_put_together_from_its_jobs(
    jobs: list[tuple[str, bool]], together: str | None
) -> None:
    assert composed(jobs) == together


def _after(steps: list[Step]) -> dict[str, str]:
    changed = moves(steps)
    return {step.name: changed.get(step.name, step.status) for step in steps}


def test_a_stage_waits_for_the_one_before_it() -> None:
    steps = [Step("a", 0, "created"), Step("b", 1, "created"), Step("c", 2, "created")]
    assert _after(steps) == {"a": "pending", "b": "created", "c": "created"}
    assert _after([replace(steps[0], status="success"), *steps[1:]])["b"] == "pending"
    assert _after([replace(steps[0], status="failed"), *steps[1:]]) == {"a": "failed", "b": "skipped", "c": "skipped"}


@pytest.mark.parametrize(
    ("when", "earlier", "now"),
    [
        ("on_success", "success", "pending"), ("on_success", "failed", "skipped"), ("on_failure", "failed", "pending"),
        ("on_failure", "success", "skipped"), ("always", "failed", "pending"), ("always", "success", "pending"),
        ("manual", "success", "manual"), ("manual", "failed", "skipped"), ("delayed", "success", "scheduled"),
        ("on_success", "running", "created"), ("always", "running", "created"), ("on_success", "manual", "created"),
        ("always", "canceled", "skipped"),
    ],
)  # fmt: skip
def test_when_says_whether_a_job_goes_on(when: str, earlier: str, now: str) -> None:
    assert _after([Step("first", 0, earlier), Step("job", 1, "created", when)])["job"] == now


def test_a_manual_job_that_may_fail_holds_nothing_up() -> None:
    waiting = Step("deploy", 0, "manual", "manual", allow_failure=True)
    assert _after([waiting, Step("after", 1, "created")])["after"] == "pending"
    assert _after([replace(waiting, allow_failure=False), Step("after", 1, "created")])["after"] == "created"


def test_needs_let_a_job_pass_its_stage_and_skip_it_with_what_it_needs() -> None:
    steps = [Step("a", 0, "success"), Step("slow", 0, "running"), Step("b", 1, "created", needs=("a",))]
    assert _after(steps)["b"] == "pending"
    skipped = [Step("a", 0, "skipped"), Step("b", 1, "created", needs=("a",)), Step("c", 1, "created", needs=())]
    assert _after(skipped) == {"a": "skipped", "b": "skipped", "c": "pending"}
    failed = [Step("a", 0, "failed", allow_failure=True), Step("b", 1, "created", needs=("a",))]
    assert _after(failed)["b"] == "pending"


def test_those_behind_a_job_are_found_by_stages_and_needs() -> None:
    steps = [Step("a", 0, "failed"), Step("b", 1, "skipped"), Step("c", 2, "skipped", needs=("b",)),
             Step("d", 2, "created", needs=())]  # fmt: skip
    assert dependants("a", steps) == {"b", "c"}


STATUSES = st.sampled_from(["success", "failed", "canceled", "skipped", "manual", "running", "pending", "created"])
WHENS = st.sampled_from(["on_success", "on_failure", "always", "manual", "delayed"])


@st.composite
def pipelines(draw: st.DrawFn) -> list[Step]:
    count = draw(st.integers(1, 7))
    steps: list[Step] = []
    for number in range(count):
        stage = draw(st.integers(0, 3))
        earlier = [one.name for one in steps if one.stage <= stage]
        needs = draw(st.none() | st.lists(st.sampled_from(earlier), unique=True).map(tuple)) if earlier else None
        steps.append(Step(f"j{number}", stage, "created", draw(WHENS), draw(st.booleans()), needs))
    return steps


@given(pipelines(), st.lists(st.sampled_from(["success", "failed"]), min_size=60, max_size=60))
@settings(max_examples=150, deadline=None)
def test_every_pipeline_comes_to_an_end_and_no_job_runs_before_what_it_waits_for(
    steps: list[Step], outcomes: list[str]
) -> None:
    now = {step.name: step for step in steps}
    ends = iter(outcomes)
    for _ in range(len(steps) * 3 + 1):
        for name, status in moves(list(now.values())).items():
            assert before(now[name], list(now.values())) in states.COMPLETED or status == "skipped"
            now[name] = replace(now[name], status=status)
        # Somebody presses every button, time passes, and runners end what they have.
        started = next((one for one in now.values() if one.status in ("pending", "manual", "scheduled")), None)
        if started is None:
            break
        now[started.name] = replace(started, status=next(ends))
    assert {one.status for one in now.values()} <= states.COMPLETED
    assert composed((one.status, one.allow_failure) for one in now.values()) in states.COMPLETED


@given(st.lists(st.tuples(STATUSES, st.booleans()), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_what_runs_keeps_a_pipeline_running_and_a_red_job_is_never_green(jobs: list[tuple[str, bool]]) -> None:
    found = composed(jobs)
    if any(status == "running" for status, _ in jobs):
        assert found == "running"
    if ("failed", False) in jobs:
        assert found not in ("success", "skipped", "canceled")
