"""What a colleague's words hold of a fact: whether they tell it, are at odds with it, give it away, or were made up.

Lexical and deterministic: figures, the words that carry meaning, names. Where it cannot be sure it finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dayjob.npc.figures import Figure, among, at_odds, figures
from dayjob.npc.plain_questions import Question, sentences_of, share_in, telling_words, words_of
from dayjob.task.colleague_sheet import ColleagueSheet, Fact

_TOLD = 0.6
"""So many of a fact's telling words are in what tells it."""
_GIVEN_AWAY = 0.85
_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|exactly|right|correct|that(?:'s| is) (?:right|correct|so)|indeed|of course)\b", re.IGNORECASE
)
_REFERS = re.compile(
    r"\b(?:ask|contact|talk to|write to|speak to|try|better placed|should know|would know|one for)\b", re.IGNORECASE
)
_KNOWS_NOT = re.compile(
    r"\b(?:i (?:do not|don't|would not|wouldn't|honestly do not|really do not) know|no idea|not sure|"
    r"cannot (?:tell|say)|can't (?:tell|say)|i (?:would have to|could only) guess|not that i know|beats me|"
    r"you know as much as i do)\b",
    re.IGNORECASE,
)
_COMMON_NAMES = frozenset(
    re.findall(
        r"\S+",
        "i i'm i'll i've i'd ok okay january february march april may june july august september october november "
        "december monday tuesday wednesday thursday friday saturday sunday english german french dutch europe european "
        "eur euro euros pdf csv url api id ui mr ci vat ceo cto hr it utc cet gmt git gitlab",
    )
)


@dataclass(slots=True)
class Known:
    """What a colleague can have from somewhere: texts, with their figures and words."""

    figures: set[Figure] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, *texts: str) -> None:
        for text in texts:
            self.figures |= figures(text)
            self.words.update(words_of(text))

    def has(self, one: Figure) -> bool:
        if among(one, self.figures):
            return True
        # A count may be said of something that was written without one.
        return one.kind == "count" and one.value.split(".")[0] in self.words


def texts_of(fact: Fact) -> tuple[str, ...]:
    """Every way in which a fact is told."""
    return (fact.text, *fact.again)


def knows_not(text: str) -> bool:
    return _KNOWS_NOT.search(text.replace("’", "'")) is not None


def tells(fact: Fact, said: str, claimed: bool, question: str = "") -> bool:
    """Whether some words tell a fact; `claimed`: the mind says that they do, which they must not belie."""
    if not said.strip():
        return False
    spoken, there = figures(said), telling_words(said)
    for text in texts_of(fact):
        wanted = [one for one in figures(text) if one.telling]
        words = telling_words(text)
        if words and share_in(words, there) >= _TOLD and all(among(one, spoken) for one in wanted):
            return True
    if not claimed:
        return False
    needed = [one for one in figures(fact.text) if one.telling]
    # What was asked with the right figures may be told by a yes.
    return not needed or any(among(one, spoken | figures(question)) for one in needed)


def contradicts(fact: Fact, said: str, question: Question | None, elsewhere: Known) -> str:
    """What in these words disagrees with a fact; empty when nothing does.

    `question` is what asked for this fact and for no other: a yes to its figures tells them.
    """
    meant, spoken = figures(fact.text), figures(said)
    asked = figures(question.text) if question is not None else frozenset()
    if not any(among(one, meant) for one in spoken if one.telling):
        wrong = at_odds([one for one in spoken if not elsewhere.has(one)], meant)
        if wrong is not None and not among(wrong, asked):
            return wrong.value
    odd = at_odds(asked, meant)
    if odd is not None and question is not None and question.yes_no and _YES.match(said):
        return "" if any(among(one, spoken) for one in meant) else f"yes to {odd.value}"
    return ""


def names_another(fact: Fact, said: str, people: Mapping[str, str]) -> str:
    """The person who is named in the place of a fact's own; `people` are full names by what they are called."""
    own = people_in(fact.text, people)
    named = people_in(said, people)
    if not own or not named or own & named or _REFERS.search(said):
        return ""
    return ", ".join(sorted(named))


def people_in(text: str, people: Mapping[str, str]) -> set[str]:
    spoken = " ".join(words_of(text))
    return {full for called, full in people.items() if re.search(rf"\b{re.escape(called)}\b", spoken)}


def made_up(said: str, known: Known, people: frozenset[str]) -> list[tuple[str, str]]:
    """Figures and names that come from nowhere, each with the sentence that says it."""
    found = []
    for sentence in sentences_of(said):
        for one in sorted(figures(sentence), key=lambda one: (one.kind, one.value)):
            if one.telling and not known.has(one):
                found.append((one.value, sentence))
        for name in _names_in(sentence):
            parts = words_of(name)
            if not all(part in known.words or part in people or part in _COMMON_NAMES for part in parts):
                found.append((name, sentence))
    return found


def _names_in(sentence: str) -> list[str]:
    """Words with a capital where a sentence does not begin: a quote, a colon or a bracket begins one too."""
    found = re.finditer(r"(?<=[a-z0-9,;)] )(?:[A-Z][\w'-]*[a-z][\w'-]*)(?: [A-Z][\w'-]*[a-z][\w'-]*)*", sentence)
    return [one[0].removesuffix("'s") for one in found]


def gives_away(fact: Fact, said: str, open_to_all: Known) -> str:
    """What of a fact that is not open these words tell; empty when they tell nothing that is its own."""
    own = [one for one in figures(fact.text) if one.telling and not open_to_all.has(one)]
    if shown := [one for one in own if among(one, figures(said))]:
        return shown[0].value
    words = telling_words(fact.text)
    secret = {one for one in words if one not in open_to_all.words}
    if len(words) < 5 or len(secret) < 2:
        return ""
    spoken = telling_words(said)
    whole = share_in(words, spoken) >= _GIVEN_AWAY and share_in(secret, spoken) >= _GIVEN_AWAY
    return fact.text if whole else ""


def sheet_words(sheet: ColleagueSheet) -> list[str]:
    """What of a sheet is nobody's secret: how its owner asks, reacts and gives reasons."""
    found = [one for step in sheet.steps for one in (*step.says, *(text for need in step.needs for text in need.ask))]
    found += [need.why for step in sheet.steps for need in step.needs]
    found += [one for said in sheet.reacts.values() for one in said]
    found += [deed.says for deed in sheet.may]
    return [one for one in found if one]


def as_compared(text: str) -> list[str]:
    """The sentences of a message as they are compared word by word; one of a word or two is none."""
    flat = (" ".join(words_of(one)) for one in sentences_of(text))
    return [one for one in flat if one.count(" ") > 1]


_PROMISE = re.compile(
    r"\b(?:i(?:'ll| will| shall|'m going to| am going to)|let me|consider it)\b(?P<rest>[^.!?\n]*)", re.IGNORECASE
)
_NEVER = re.compile(r"^\s*(?:not|never|n't|have to|leave|let you|be able)\b", re.IGNORECASE)


def promises_in(said: str) -> list[str]:
    """What somebody says they will do."""
    return [one["rest"] for one in _PROMISE.finditer(said.replace("’", "'")) if not _NEVER.match(one["rest"])]


def stems(words: Iterable[str]) -> set[str]:
    return {one[:5] for one in words}
