"""Five hundred dialogues, written by people who had seen task.md alone: what a fair colleague does, colleagues do."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tools.conversations import Verdict, all_verdicts, dialogues

# Raised as colleagues get better: docs/testing.md has the table.
RIGHT = 0.98


@pytest.fixture(scope="module")
def played() -> list[list[Verdict]]:
    return asyncio.run(all_verdicts(held_out=False))


def test_there_are_dialogues_for_every_task_with_colleagues() -> None:
    tasks = Counter(one["task"] for one in dialogues())
    assert len(tasks) == 15
    assert min(tasks.values()) >= 20
    assert sum(tasks.values()) >= 500


def test_most_turns_are_answered_as_a_fair_colleague_would(played: list[list[Verdict]]) -> None:
    every = [verdict for one in played for verdict in one]
    wrong = [f"{one.dialogue}.{one.number}: {one.said} -> {one.wrong}" for one in every if one.wrong]
    assert len(wrong) <= (1 - RIGHT) * len(every), "\n".join(wrong)


def test_nothing_locked_is_told(played: list[list[Verdict]]) -> None:
    assert [(one.dialogue, one.number, one.told_locked) for each in played for one in each if one.told_locked] == []


def test_no_sentence_is_said_twice_in_a_conversation(played: list[list[Verdict]]) -> None:
    assert [(one.dialogue, one.number, one.repeated) for each in played for one in each if one.repeated] == []


def test_no_plain_question_about_an_open_fact_is_left_unanswered(played: list[list[Verdict]]) -> None:
    assert [(one.dialogue, one.number, one.said) for each in played for one in each if one.unanswered] == []
