"""What calls cost, and the edge at which a budget is spent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.llm.budget import Budget, Tokens, Usage
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.prices import Price, Prices
from dayjob.llm.rate_limits import Limits
from dayjob.llm.run_limits import Desk, RunSpent, Spent, run_fault

PRICES = Prices("2026-01-01", {"known": Price(2.0, 10.0)})


def is_spent(budget: Budget, usage: Usage) -> str:
    """What the budget says is spent; empty when there is something left."""
    lead = "The budget of trial x is spent: "
    try:
        budget.check(usage, "trial x")
    except ModelFault as fault:
        label, sentence = fault.label, fault.sentence
    else:
        return ""
    assert label is Label.BUDGET_SPENT
    assert sentence.startswith(lead)
    return sentence.removeprefix(lead)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_budget_of_calls_is_spent_by_exactly_so_many(limit: int, calls: int) -> None:
    assert bool(is_spent(Budget(calls=limit), Usage(calls=calls))) == (calls >= limit)


@given(st.integers(0, 100), st.integers(0, 60), st.integers(0, 60))
def test_a_budget_of_tokens_is_spent_by_exactly_so_many_of_both_kinds(limit: int, prompt: int, answer: int) -> None:
    usage = Usage(prompt_tokens=prompt, completion_tokens=answer)
    assert bool(is_spent(Budget(tokens=limit), usage)) == (prompt + answer >= limit)


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_budget_of_money_is_spent_by_exactly_so_much(limit: int, cost: int) -> None:
    assert bool(is_spent(Budget(usd=limit / 8), Usage(cost_usd=cost / 8))) == (cost >= limit)


@pytest.mark.parametrize(
    ("budget", "usage", "said"),
    [
        (Budget(), Usage(10**9, 10**9, 0, 10**9, 3, None), ""),
        (Budget(calls=2), Usage(calls=2), "2 of 2 calls."),
        (Budget(tokens=9), Usage(prompt_tokens=4, completion_tokens=6), "10 of 9 tokens."),
        (Budget(usd=0.5), Usage(cost_usd=0.75), "$0.7500 of $0.5000."),
        # Unknown is not zero: what cannot be counted any more cannot be kept to.
        (Budget(tokens=9), Usage(unmetered=1), "its tokens can no longer be counted"),
        (Budget(usd=9), Usage(cost_usd=None), "its cost can no longer be counted"),
        (Budget(calls=9), Usage(unmetered=1, cost_usd=None), ""),
        (Budget(tokens=9), Usage(cost_usd=None), ""),
    ],
)
def test_a_budget_says_what_is_spent(budget: Budget, usage: Usage, said: str) -> None:
    found = is_spent(budget, usage)
    assert found.startswith(said)
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("model", "tokens", "cost", "after"),
    [
        ("known", Tokens(1000, 100, 10, 5), 0.003, Usage(0, 1001, 10, 101, 0, 1.003)),
        ("unknown", Tokens(1000, 100), None, Usage(0, 1001, 0, 101, 0, None)),
        ("known", None, None, Usage(0, 1, 0, 1, 1, None)),
    ],
)
def test_an_answer_is_counted_as_far_as_it_is_known(
    model: str, tokens: Tokens | None, cost: float | None, after: Usage
) -> None:
    usage = Usage(prompt_tokens=1, completion_tokens=1, cost_usd=1.0)
    assert usage.add(model, tokens, PRICES) == (None if cost is None else pytest.approx(cost))
    assert usage == after


def test_what_was_unknown_once_stays_unknown() -> None:
    usage = Usage()
    usage.add("unknown", Tokens(1, 1), PRICES)
    assert usage.add("known", Tokens(1_000_000, 0), PRICES) == 2.0
    assert usage.cost_usd is None
    assert usage.as_dict()["cost_usd"] is None


def test_what_was_used_is_told_by_name_and_to_a_millionth_of_a_dollar() -> None:
    assert Usage(1, 2, 3, 4, 5, 0.12345678).as_dict() == {
        "calls": 1,
        "prompt_tokens": 2,
        "cached_tokens": 3,
        "completion_tokens": 4,
        "unmetered_calls": 5,
        "cost_usd": 0.123457,
    }


@pytest.mark.parametrize(
    ("price", "tokens", "dollars"),
    [
        (Price(2, 10), Tokens(1000, 100), 2000 + 1000),
        (Price(2, 10), Tokens(1000, 100, cached=400, cache_writes=100), 2000 + 1000),
        (Price(2, 10, cached_input=1), Tokens(1000, 100, cached=400), 1200 + 400 + 1000),
        (Price(2, 10, cache_write=3), Tokens(1000, 100, cache_writes=400), 1200 + 1200 + 1000),
        (Price(2, 10, cached_input=0), Tokens(1000, 0, cached=1000), 0),
        (Price(2, 10, long_above=1000, long_input=2, long_output=3), Tokens(1000, 100), 2000 + 1000),
        (Price(2, 10, long_above=1000, long_input=2, long_output=3), Tokens(1001, 100), 4004 + 3000),
    ],
)
def test_a_price_counts_each_kind_of_token(price: Price, tokens: Tokens, dollars: float) -> None:
    assert price.of(tokens) == pytest.approx(dollars / 1_000_000)


# -- a run's budget ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "allowed"),
    [(Budget(calls=3), 3), (Budget(tokens=20), 2), (Budget(tokens=21), 3), (Budget(usd=0.5), 2), (Budget(), 9)],
)
def test_a_run_stops_at_its_budget(budget: Budget, allowed: int) -> None:
    async def main() -> int:
        desk, done = Desk(budget), 0
        for _ in range(9):
            if desk.exhausted is not None:
                with pytest.raises(RunSpent, match="dayjob resume"):
                    await desk.call()
                break
            await desk.call()
            desk.spent(Limits("p"), Spent(10, 0.25))
            done += 1
        return done

    assert asyncio.run(main()) == allowed


SHARES = [
    (Budget(calls=10, tokens=100, usd=1.0), 4, Budget(2, 25, 0.25)),
    (Budget(calls=3, tokens=3), 4, Budget(1, 1, None)),
    (Budget(), 4, Budget()),
    (Budget(calls=10), 0, Budget(10)),
]


@pytest.mark.parametrize(("whole", "trials", "share"), SHARES)
def test_an_equal_share_is_the_whole_over_the_trials_and_never_nothing(
    whole: Budget, trials: int, share: Budget
) -> None:
    assert Desk(whole, trials=trials).share == share


@pytest.mark.parametrize(
    ("role", "usage", "had_its_share"),
    [
        ("examinee", Usage(calls=2), True),
        ("examinee", Usage(calls=1), False),
        ("examinee", Usage(prompt_tokens=25), True),
        ("examinee", Usage(prompt_tokens=24), False),
        ("examinee", Usage(cost_usd=0.25), True),
        ("examinee", Usage(cost_usd=0.24), False),
        ("examinee", Usage(cost_usd=None), False),
        ("npc", Usage(calls=99, prompt_tokens=99, cost_usd=9.0), False),
        ("judge", Usage(calls=99, prompt_tokens=99, cost_usd=9.0), False),
    ],
)
def test_only_an_examinee_that_had_its_share_ends_as_with_a_budget_of_its_own(
    role: str, usage: Usage, had_its_share: bool
) -> None:
    fault = run_fault(RunSpent("spent", Budget(2, 25, 0.25)), role, usage)
    assert fault.label is (Label.BUDGET_SPENT if had_its_share else Label.RUN_BUDGET_SPENT)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 2, "calls": 1, "tokens": 1, "usd": 1}', '{"format": 1, "calls": 1, "tokens": 1}']
)
def test_what_was_spent_is_not_forgotten_because_its_file_is_torn(text: str, tmp_path: Path) -> None:
    file = tmp_path / "spent.json"
    file.write_text(text)
    with pytest.raises(OSError, match="does not say what the run has spent"):
        Desk(Budget(), file)


def test_who_goes_on_with_a_run_goes_on_from_what_was_spent(tmp_path: Path) -> None:
    desk = Desk(Budget(), tmp_path / "spent.json")
    asyncio.run(desk.call())
    desk.spent(Limits("p"), Spent(7, 0.125))
    again = Desk(Budget(), tmp_path / "spent.json").usage
    assert (again.calls, again.tokens, again.cost_usd) == (1, 7, 0.125)
