"""What a colleague knows and does in one task: their sheet, one entry of colleagues.yml, typed.

Facts and who may hear them when; steps of the conversation and what leads to them; when they cannot; what they may do;
how they take things. Both minds are made from it, and so is the audit afterwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

Words = tuple[str, ...]
_PATTERN = 2
_SHORT = 160
_MOST = 2000
"""Of a longer text a pattern that RE2 does not take sees so many letters."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What a message is asked or shown by: words that all begin words of it, in any order, or a pattern."""

    words: Words = ()
    pattern: re.Pattern[str] | None = None

    @property
    def weight(self) -> int:
        """How much it says: a pattern as much as two words."""
        return len(self.words) if self.pattern is None else _PATTERN

    def found_in(self, text: str) -> bool:
        if self.pattern is not None:
            return found_quickly(self.pattern, text)
        said = words_of(text)
        return all(any(one.startswith(word) for one in said) for word in self.words)


@lru_cache(maxsize=1024)
def words_of(text: str) -> Words:
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def found_quickly(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a pattern is in what somebody wrote, in time that grows with the text and no faster.

    Two wildcards are enough for a message that costs minutes. So a long text is searched by RE2, or only its
    beginning where a pattern looks around, which RE2 does not.
    """
    if len(text) <= _SHORT:
        return pattern.search(text) is not None
    quick = _of_re2(pattern.pattern)
    if quick is not None:
        return quick.search(text.encode("utf-8", "replace").decode()) is not None
    return pattern.search(text[:_MOST]) is not None


@lru_cache(4096)
def _of_re2(pattern: str) -> Any:
    """The same pattern for RE2; None for one that it does not take."""
    import re2  # type: ignore[import-untyped]  # it has no types of its own; late, as short texts go without it

    options = re2.Options()
    options.log_errors, options.case_sensitive, options.dot_nl = False, False, True
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


def any_in(cues: tuple[Cue, ...], text: str) -> bool:
    return any(cue.found_in(text) for cue in cues)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the colleague knows."""

    id: str
    says: Words
    """The messages that tell it, in their own words."""
    again: Words = ()
    """The same in other words, one for each further time."""
    asked: tuple[Cue, ...] = ()
    yes_to: tuple[Cue, ...] = ()
    """Questions to which it is a yes."""
    no_to: tuple[Cue, ...] = ()
    """Questions to which it is a no."""
    why: str = ""
    tell: str = "asked"
    """`asked`, `after:STEP` or `never`."""
    first: bool = False
    """Told when the matter is raised at all."""
    follows: Words = ()
    """Facts it can be worked out from: told once those have been, and when it is asked for itself."""
    opinion: bool = False
    place: str = ""
    """`direct`: in direct messages only."""
    to: Words = ()
    """Who may hear it, by username; empty is everybody."""

    @property
    def text(self) -> str:
        return " ".join(self.says)


@dataclass(frozen=True, slots=True)
class Need:
    """What must have been shown before a step is reached."""

    id: str
    shown: tuple[Cue, ...]
    ask: Words
    """How the colleague asks for it."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A point that the conversation reaches once."""

    id: str
    needs: tuple[Need, ...] = ()
    """All of them, in one message or several."""
    heard: tuple[Cue, ...] = ()
    """Or one of these, said as being so."""
    after: Words = ()
    says: Words = ()
    tells: Words = ()
    does: Words = ()


@dataclass(frozen=True, slots=True)
class Busy:
    """When they cannot: days and hours, and the fact that says why."""

    days: Words
    """Dates (2026-03-12) or weekdays (thu)."""
    start: int
    """Minutes of the day."""
    end: int
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something they may do under their own account."""

    id: str
    act: str
    facts: Mapping[str, Any]
    asked: tuple[Cue, ...] = ()
    when: str = "asked"
    """`asked`, `after:STEP` (when it is asked for and the step is reached), or `at:STEP` (by themselves, then)."""
    says: str = ""


@dataclass(frozen=True, slots=True)
class ColleagueSheet:
    """One colleague's part in a task."""

    facts: Mapping[str, Fact]
    matter: tuple[Cue, ...] = ()
    """What the matter is spoken of by."""
    steps: tuple[Step, ...] = ()
    busy: tuple[Busy, ...] = ()
    may: tuple[Deed, ...] = ()
    wants: str = ""
    conduct: str = ""
    reacts: Mapping[str, Words] = field(default_factory=dict)
    """Their words here for: greeting, thanks, done, early, not_yet, unknown, decline, cannot, channel, noted."""
    refers: tuple[tuple[tuple[Cue, ...], str], ...] = ()
    """Questions for somebody else, and for whom."""
    only_direct: bool = False
    """In a channel they say no more than that it belongs into a direct message."""


REACTS = (
    "greeting",
    "thanks",
    "done",
    "early",
    "not_yet",
    "unknown",
    "decline",
    "cannot",
    "channel",
    "noted",
    "small_talk",
)
KEYS = ("matter", "facts", "steps", "busy", "may", "wants", "conduct", "reacts", "refers", "only_direct")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class SheetReader:
    """Reads one entry; what is wrong goes to `wrong(where, sentence)`."""

    def __init__(self, wrong: Any) -> None:
        self._wrong = wrong

    def sheet(self, entry: Mapping[str, Any]) -> ColleagueSheet:
        facts = {id: self._fact(id, one) for id, one in entry.get("facts", {}).items()}
        steps = tuple(self._step(id, one or {}) for id, one in entry.get("steps", {}).items())
        may = tuple(self._deed(id, one) for id, one in entry.get("may", {}).items())
        busy = tuple(b for at, one in enumerate(entry.get("busy", ())) if (b := self._busy(at, one)) is not None)
        self._agree(facts, steps, may, busy)
        return ColleagueSheet(
            facts,
            self._cues(entry.get("matter", ()), ("matter",)),
            steps,
            busy,
            may,
            entry.get("wants", ""),
            entry.get("conduct", ""),
            {name: _texts(said) for name, said in entry.get("reacts", {}).items()},
            tuple(
                (self._cues(one["asked"], ("refers", str(at))), one["to"])
                for at, one in enumerate(entry.get("refers", ()))
            ),
            bool(entry.get("only_direct", False)),
        )

    def _fact(self, id: str, found: Mapping[str, Any] | str) -> Fact:
        if isinstance(found, str):
            found = {"says": found}
        where = ("facts", id)
        return Fact(
            id,
            _texts(found["says"]),
            _texts(found.get("again", ())),
            self._cues(found.get("asked", ()), (*where, "asked")),
            self._cues(found.get("yes_to", ()), (*where, "yes_to")),
            self._cues(found.get("no_to", ()), (*where, "no_to")),
            found.get("why", ""),
            found.get("tell", "asked"),
            bool(found.get("first", False)),
            _texts(found.get("follows", ())),
            bool(found.get("opinion", False)),
            found.get("place", ""),
            _texts(found.get("to", ())),
        )

    def _step(self, id: str, found: Mapping[str, Any]) -> Step:
        where = ("steps", id)
        needs = tuple(
            Need(name, self._cues(one["shown"], (*where, "needs", name)), _texts(one["ask"]), one.get("why", ""))
            for name, one in found.get("needs", {}).items()
        )
        heard = self._cues(found.get("heard", ()), (*where, "heard"))
        if not needs and not heard:
            self._wrong(where, "nothing leads to this step; give it 'needs' or 'heard'")
        after, says, tells, does = (_texts(found.get(name, ())) for name in ("after", "says", "tells", "does"))
        return Step(id, needs, heard, after, says, tells, does)

    def _busy(self, at: int, found: Mapping[str, Any]) -> Busy | None:
        days = tuple(str(one).strip().casefold()[:10] for one in _texts(found["days"]))
        days = tuple(one if one[0].isdigit() else one[:3] for one in days)
        start, end = _minutes(found.get("from", "00:00")), _minutes(found.get("to", "24:00"))
        where = ("busy", str(at))
        if start is None or end is None or start >= end:
            self._wrong(where, "its hours are none; write from: '14:00' and to: '16:00'")
            return None
        for day in days:
            if day not in _DAYS and re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) is None:
                self._wrong(where, f"'{day}' is no day; write a weekday or a date such as 2026-03-12")
                return None
        return Busy(days, start, end, found.get("fact", ""))

    def _deed(self, id: str, found: Mapping[str, Any]) -> Deed:
        (act, facts), *more = found["act"].items()
        if more:
            self._wrong(("may", id, "act"), "it does more than one thing; write one act each")
        return Deed(
            id, act, facts, self._cues(found.get("asked", ()), ("may", id, "asked")), found.get("when", "asked"),
            found.get("says", ""),
        )  # fmt: skip

    def _cues(self, found: Any, where: Words) -> tuple[Cue, ...]:
        cues = []
        for text in _texts(found):
            if len(text) > 2 and text.startswith("/") and text.endswith("/"):
                try:
                    cues.append(Cue((), re.compile(text[1:-1], re.IGNORECASE | re.DOTALL)))
                except re.error as error:
                    self._wrong(where, f"'{text}' is not a pattern: {error}")
            elif said := words_of(text):
                cues.append(Cue(said))
            else:
                self._wrong(where, f"'{text}' has no words")
        return tuple(cues)

    def _agree(
        self, facts: Mapping[str, Fact], steps: tuple[Step, ...], may: tuple[Deed, ...], busy: tuple[Busy, ...]
    ) -> None:
        """Whatever names a fact, a step or a deed names one that is there."""
        known = {step.id for step in steps}
        deeds = {deed.id for deed in may}
        for fact in facts.values():
            if fact.tell not in ("asked", "never"):
                self._known(("facts", fact.id, "tell"), "step", fact.tell.removeprefix("after:"), known)
            for one in fact.follows:
                self._known(("facts", fact.id, "follows"), "fact", one, facts)
        for step in steps:
            for one in step.after:
                self._known(("steps", step.id, "after"), "step", one, known)
            for one in step.tells:
                self._known(("steps", step.id, "tells"), "fact", one, facts)
            for one in step.does:
                self._known(("steps", step.id, "does"), "deed", one, deeds)
        for at, one_busy in enumerate(busy):
            if one_busy.fact:
                self._known(("busy", str(at), "fact"), "fact", one_busy.fact, facts)
        for deed in may:
            if deed.when != "asked":
                self._known(("may", deed.id, "when"), "step", deed.when.partition(":")[2], known)

    def _known(self, where: Words, kind: str, name: str, known: Any) -> None:
        if name not in known:
            self._wrong(where, f"there is no {kind} '{name}'; there are: {', '.join(sorted(known)) or 'none'}")


def standing_fact(id: str, says: str, again: str, asked: tuple[str, ...]) -> Fact:
    """What somebody knows in every task."""
    cues = tuple(Cue(words_of(one)) for one in asked)
    return Fact(id, (says,), (again,) if again else (), cues)


def _texts(found: Any) -> Words:
    return (found,) if isinstance(found, str) else tuple(str(one) for one in found)


def _minutes(text: Any) -> int | None:
    if isinstance(text, int):  # YAML reads 14:00 as minutes of sixty
        return text
    found = re.fullmatch(r"(\d{1,2}):(\d{2})", str(text))
    return int(found[1]) * 60 + int(found[2]) if found and int(found[1]) <= 24 and int(found[2]) < 60 else None
