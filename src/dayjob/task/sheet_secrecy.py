"""What a sheet's own words give away too early, by the check that a model's words go through (`secrecy.Guard`).

What is said before a step must not have the figures and names of what waits for that step, follows from other facts or
is never told, unless something that is open then has them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dayjob.task.colleague_sheet import ColleagueSheet, Fact, Words
from dayjob.task.secrecy import Guard, Secrets


@dataclass(frozen=True, slots=True)
class TooEarly:
    """A text that gives something away, and what."""

    where: Words
    what: str


def given_away_in(sheet: ColleagueSheet, secrets: Secrets) -> Iterator[TooEarly]:
    """Everything in a sheet that says what must not be said, or not yet."""
    for fact in sheet.facts.values():
        if fact.tell != "never":
            for text in (*fact.says, *fact.again, fact.why):
                if Guard(secrets).given_away_by(text) is not None:
                    yield TooEarly(("facts", fact.id), "what must_not_reveal forbids")
    for where, text, reached in _words(sheet):
        guard = _guard(sheet, secrets, reached)
        if found := guard.particulars_in(text):
            yield TooEarly(where, f"'{min(found)}', which is not open then")
        elif guard.given_away_by(text) is not None:
            yield TooEarly(where, "what must_not_reveal forbids")


def _words(sheet: ColleagueSheet) -> Iterator[tuple[Words, str, frozenset[str]]]:
    """What is said beside the facts, and the steps that have been reached by then."""
    for kind, texts in sheet.reacts.items():
        for text in texts:
            yield ("reacts", kind), text, frozenset()
    for step in sheet.steps:
        before = _before(sheet, step.id)
        for need in step.needs:
            for text in (*need.ask, need.why):
                yield ("steps", step.id, "needs", need.id), text, before
        for text in step.says:
            yield ("steps", step.id), text, before | {step.id}
    for deed in sheet.may:
        named = deed.when.partition(":")[2]
        yield ("may", deed.id), deed.says, _before(sheet, named) | {named} if named else frozenset()


def _guard(sheet: ColleagueSheet, secrets: Secrets, reached: frozenset[str]) -> Guard:
    def is_open(fact: Fact) -> bool:
        way, _, step = fact.tell.partition(":")
        return way != "never" and not fact.follows and (not step or step in reached)

    every = list(sheet.facts.values())
    texts = [(is_open(one), " ".join((*one.says, *one.again, one.why))) for one in every]
    spoken = " ".join(" ".join(cue.words) for cue in sheet.matter)
    free = (spoken, *(to for _, to in sheet.refers), *(text for known, text in texts if known))
    return Guard(secrets, tuple(text for known, text in texts if not known), free)


def _before(sheet: ColleagueSheet, step: str) -> frozenset[str]:
    """The steps that must have been reached before this one."""
    found: set[str] = set()
    wanted = {step}
    while wanted:
        after = {one for each in sheet.steps if each.id in wanted for one in each.after} - found
        found |= after
        wanted = after
    return frozenset(found)
