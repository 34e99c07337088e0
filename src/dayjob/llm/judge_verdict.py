"""What a judge says: quotes that are bound to their speaker, then the reason, then yes or no.

A reply is a vote only when it is exactly one JSON object about this very case. A yes rests on passages that stand word
for word in the utterance they name, by the speaker they name; of a no, only such passages are kept.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from dayjob.llm.judge_case import SCHEMA, JudgeRequest, unseen
from dayjob.llm.reply_text import unfenced

_MOST_PLACES = 10_000
"""Where a passage is looked for in one text, so that a very long one costs no more than its reading."""
_MOST_MARKS = 30
"""Marks over one letter that are compared: Unicode's own bound for texts in streams."""


class Unquoted(ValueError):
    """A yes without the words that it rests on."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of the evidence: the number of the utterance, who said it, and the words."""

    number: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Vote:
    """One reading of the evidence."""

    verdict: bool
    reason: str
    quotes: tuple[Quote, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": "yes" if self.verdict else "no"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What most votes say about a question; `reason` and `quotes` are the first such vote's."""

    question: str
    votes: tuple[Vote, ...]
    model: str
    cached: bool = False

    @property
    def verdict(self) -> bool:
        return sum(one.verdict for one in self.votes) * 2 > len(self.votes)

    @property
    def reason(self) -> str:
        return self._first.reason

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return self._first.quotes

    @property
    def _first(self) -> Vote:
        return next(one for one in self.votes if one.verdict is self.verdict)

    @property
    def agreement(self) -> str:
        """How many votes say so: `2 of 3`."""
        return f"{sum(one.verdict is self.verdict for one in self.votes)} of {len(self.votes)}"

    def again(self) -> Verdict:
        """The same, for whoever asks once more."""
        return replace(self, cached=True)

    def as_dict(self) -> dict[str, Any]:
        """As `/v1/judge` answers it."""
        return {
            **self._first.as_dict(),
            "agreement": self.agreement,
            "votes": [one.as_dict() for one in self.votes],
            "model": self.model,
            "cached": self.cached,
        }


def parse_verdict(text: Any, case: str, asked: JudgeRequest) -> Vote:
    """A vote, if the text is exactly one; ValueError says what it is instead."""
    found = _object(text)
    if not isinstance(found, dict) or set(found) != set(SCHEMA["required"]):
        raise ValueError(f"its reply has other keys than {', '.join(SCHEMA['required'])}")
    if found["case"] != case:
        raise ValueError(f"its reply is about case {str(found['case'])[:40]!r}, not {case}")
    if found["verdict"] not in ("yes", "no"):
        raise ValueError(f"its verdict is {str(found['verdict'])[:40]!r}, neither yes nor no")
    if not isinstance(found["reason"], str) or not isinstance(found["quotes"], list):
        raise ValueError("its reason is not text, or its quotes are no list")
    quotes = [_quote(one) for one in found["quotes"]]
    if found["verdict"] == "no":
        kept = [_bound(one, asked) for one in quotes if not _wrong(one, asked)]
        return Vote(False, found["reason"], tuple(kept))
    if asked.has_text:
        _must_support(quotes, asked)
        quotes = [_bound(one, asked) for one in quotes]
    return Vote(True, found["reason"], tuple(quotes))


def _object(text: Any) -> Any:
    bare = unfenced(text)
    if bare is None:
        raise ValueError("its reply has no text")
    try:
        return json.loads(bare, object_pairs_hook=_single)
    except RecursionError as error:
        raise ValueError("its reply is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"its reply is not one JSON object but {text[:160]!r} ({error})") from error


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in it twice")
    return found


def _quote(found: Any) -> Quote:
    if not isinstance(found, dict) or set(found) != {"number", "speaker", "text"}:
        raise ValueError("a quote has other keys than number, speaker, text")
    number, speaker, text = found["number"], found["speaker"], found["text"]
    if isinstance(number, str) and re.fullmatch(r"[0-9]{1,9}", number):
        number = int(number)
    if type(number) is not int or not isinstance(speaker, str) or not isinstance(text, str):
        raise ValueError("a quote's number is no whole number, or its speaker or text is no text")
    return Quote(number, speaker, text)


def _must_support(quotes: list[Quote], asked: JudgeRequest) -> None:
    """Every quote of a yes is what it says it is, and one is by the speaker whose words count."""
    for one in quotes:
        if wrong := _wrong(one, asked):
            raise Unquoted(f"it says yes and {wrong}")
    if asked.of and not any(one.speaker == asked.of for one in quotes):
        raise Unquoted(f"it says yes and quotes nothing that {asked.of} said")
    if not quotes and not asked.images:
        raise Unquoted("it says yes and quotes nothing")


def _wrong(one: Quote, asked: JudgeRequest) -> str:
    """What is wrong with a quote; empty when it stands where it says, by whom it says."""
    if not 1 <= one.number <= len(asked.evidence):
        return f"quotes number {one.number}, and the evidence has {len(asked.evidence)}"
    source = asked.evidence[one.number - 1]
    if source.speaker and source.speaker != one.speaker:
        return f"quotes number {one.number} as words of {one.speaker[:40]!r}, and they are {source.speaker}'s"
    if not _stands_in(one.text, source.text):
        return f"quotes what is not in number {one.number}: {one.text[:80]!r}"
    return ""


def _bound(one: Quote, asked: JudgeRequest) -> Quote:
    """The quote with the speaker that the evidence has, where a plain text has none."""
    return replace(one, speaker=asked.evidence[one.number - 1].speaker)


def _stands_in(passage: str, text: str) -> bool:
    """Whether a passage is in the text, in whole words; one with an ellipsis, whether its parts are, in that order."""
    seen = _plain_source(text)
    parts = [part for one in re.split(r"\.{3,}|…", passage) if _says_something(part := _plain(one))]
    at = 0
    for part in parts:
        at = _after(part, seen, at)
        if at < 0:
            return False
    return bool(parts)


def _after(part: str, seen: str, at: int) -> int:
    """Where the text goes on after the part; -1 when it is not there as whole words."""
    for _ in range(_MOST_PLACES):
        if (start := seen.find(part, at)) < 0:
            break
        end = start + len(part)
        if not _one_word(seen[start - 1 : start], part[0]) and not _one_word(part[-1], seen[end : end + 1]):
            return end
        at = start + 1
    return -1


def _one_word(left: str, right: str) -> bool:
    """Whether the two signs belong to one word, in scripts that write words apart."""
    return all(sign and (sign.isdigit() or sign.upper() != sign.lower()) for sign in (left, right))


def _says_something(part: str) -> bool:
    """Letters, figures or symbols: a full stop is in every text."""
    return any(unicodedata.category(sign)[0] in "LNS" for sign in part)


@lru_cache(maxsize=4)
def _plain_source(text: str) -> str:
    """Of an utterance, which may be long and be quoted often."""
    return _plain(text)


def _plain(text: str) -> str:
    """For comparing passages: without the quoting marks, escapes, spaces and letter shapes a model may alter."""
    # Evidence may be anything: a run of backslashes is looked at once, from its beginning, and of a run of marks over
    # one letter, which are put in an order at the cost of the square of their number, the first are enough.
    text = re.sub(r"(?<!\\)\\+u[0-9a-fA-F]{4}", "", text)
    text = re.sub(r"(?<!\\)\\+[nrt]", " ", text).replace("\\", "")
    text = text.translate({ord(sign): None for sign in set(text) if not sign.isspace() and unseen(sign)})
    if marks := "".join(re.escape(sign) for sign in set(text) if unicodedata.combining(sign)):
        text = re.sub(rf"([{marks}]{{{_MOST_MARKS}}})[{marks}]+", r"\1", text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = folded.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-"})
    return " ".join(folded.split())
