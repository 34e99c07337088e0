"""What task texts name in words alone: people to write to, issues by title, board projects, things to get rid of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dayjob.importing.checkout import clean
from dayjob.importing.making import MAKES, quotes, sentences

_NAME = r"[A-Z][\w'’-]+(?:[ ](?:(?:van|von|de|der|den|del|di|da|la|bin)[ ]){0,2}[A-Z][\w'’-]+){1,2}"
_TO = (
    r"(?i:ask|message|messaging|contact|tell|inform|notify|email|ping|dm|invite|remind|consult|talk(?:ing)? to|"
    r"speak(?:ing)? (?:to|with)|chat(?:ting)? with|reach(?:ing)? out to|reply(?:ing)? to|respond(?:ing)? to|"
    r"report(?:ing)? to|sen[dt](?:ing)? (?:[\w'’-]+ ){0,6}?to|assign(?:ed|ing)? (?:[\w'’-]+ ){0,4}?to|check with)"
)
_PEOPLE = re.compile(
    rf"\b{_TO}(?::)?\s+(?:(?:[a-z][\w'’-]*|HR|CTO|CEO|CFO|QA|AI)\s+){{0,5}}({_NAME}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s+or\s+){_NAME})*)"
)
_NOBODY = re.compile(
    r"(?:^|\s)(?:Team|Department|Channel|Rocket|Chat|Rocket\.?Chat|Git[Ll]ab|Plane|Own[Cc]loud|Next[Cc]loud|Documents?|Human|"
    r"Resources|HR|Manager|Engineer|Director|Company|Office|Folder|Sheet|Excel|Google|Python|Project|Task|Issue|Report|"
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|June|July|August|September|October|"
    r"November|December|The|This|That|Please|Then|If|When|Direct|Messages?|Group|Members?|Everyone|All)(?:\s|$)"
)

_NOUN = r"(?:issues?|tasks?|work items?|items?|tickets?|cards?|bugs?|stor(?:y|ies))"
_BEFORE_TITLE = re.compile(
    rf"\b{_NOUN}\s*(?:(?:titled|called|named|with (?:the )?(?:title|name)|the|a|of|following|below|these|are|is|on|"
    r"plane|gitlab|in|number|#\d+)\b\s*|[:,(\-–]\s*)*$",
    re.I,
)
_AFTER_TITLE = re.compile(rf"^\s*{_NOUN}\b", re.I)
_AND = re.compile(r"\s*(?:,|and|or|&|, ?and|, ?or)?\s*")
_NO_TITLE = re.compile(r"https?:|^[/#@]|^\d+$|\.\w{2,4}$")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|[a-z][.)])\s+")
_BOARD = re.compile(r"\bplane\b|:8091\b", re.I)
_FORGE = re.compile(r"gitlab|:8929\b", re.I)

_RUN = r"[A-Z][\w.&-]*(?:[ ][A-Z][\w.&-]*)*"
_PROJECT_BEFORE = re.compile(r"\b(?:project|board)\s+(?:(?:named|called|titled)\s+)?$", re.I)
_PROJECT_AFTER = re.compile(r"^\s*(?:project|board)\b(?!['’])", re.I)
_PROJECT_PLAIN = re.compile(
    rf"\b(?i:the|our|your|in|on|of|under|for|to)\s+({_RUN})\s+(?i:project)\b|\b(?i:project)\s+(?i:named\s+|called\s+)?({_RUN})"
)
_NOT_BOARDS = {"plane", "gitlab", "the", "this", "our", "your", "rocketchat", "owncloud", "name", "id", "url", "new"}

_EMPTY_VERB = r"(?:clos|delet|remov|archiv|clear|resolv|cancel|merg|get rid)\w*"
_EMPTIED = {
    "merge requests": r"(?:merge|pull)[ -]requests?|prs?|mrs?",
    "issues": r"issues?",
    "projects": r"projects?|repos?|repositor(?:y|ies)",
    "channels": r"channels?",
    "branches": r"branch(?:es)?",
    "milestones": r"milestones?",
    "items": r"items?|tasks?|tickets?",
}
_EMPTY = {
    what: re.compile(
        rf"\b{_EMPTY_VERB}\b[^.\n]{{0,15}}?\b(?:all|every|each|any)\b(?:\s+[\w'’-]+){{0,5}}?\s+(?:{noun})\b", re.I
    )
    for what, noun in _EMPTIED.items()
}


_TAKES_OFF = re.compile(r"\b(?:remov|delet|clear|drop|strip|take off|taking off)\w*\b", re.I)
_LABEL = re.compile(r"\w[\w .:/-]{0,49}")


_MILESTONE_BEFORE = re.compile(r"\bmilestones?\s+(?:(?:named|called|titled|to|is|as)\s+)?$", re.I)
_MILESTONE_AFTER = re.compile(r"^\s*milestones?\b", re.I)
_CYCLE = re.compile(r"\b(sprint|cycle)\s+(\d{1,3})\b", re.I)


@dataclass(frozen=True, slots=True)
class Title:
    """An issue of the forge or an item of the board by its title, and whether the examinee makes it."""

    service: str
    words: str
    made: bool


def people_in(text: str) -> list[str]:
    """Whom a text has its reader write to, by full name."""
    found: dict[str, None] = {}
    for sentence in sentences(re.sub(r"\*\*|__", "", text)):
        for match in _PEOPLE.finditer(sentence):
            for name in re.split(r",\s*(?:and\s+)?|\s+(?:and|or)\s+", match[1]):
                if not _NOBODY.search(name):
                    found[clean(re.sub(r"['’]s$", "", name))] = None
    return list(found)


def _in_context(text: str) -> Iterator[tuple[str, str]]:
    """Every sentence with what it is said under: an item of a list belongs to the line that begins the list."""
    begins = ""
    for sentence in sentences(text):
        if _LIST_ITEM.match(sentence) and not sentence.rstrip().endswith(":"):
            yield begins, sentence
            continue
        begins = sentence if sentence.rstrip().endswith(":") else ""
        yield "", sentence


def titles_in(text: str, services: frozenset[str]) -> list[Title]:
    """Titles in quotes that stand beside a word for an issue. `services`: what the task is about."""
    found: dict[Title, None] = {}
    for begins, sentence in _in_context(text):
        chain, behind = 0, -1  # where the first of several titles in a row begins, and where the last one ended
        for words, start, end in quotes(sentence):
            chain = chain if behind >= 0 and _AND.fullmatch(sentence[behind:start]) else start
            behind, before = end, sentence[:chain]
            item = _LIST_ITEM.match(sentence)
            listed = bool(begins) and item is not None and not before[item.end() :].strip(" \"'`“")
            is_title = (
                _BEFORE_TITLE.search(before)
                or _AFTER_TITLE.search(sentence[end:])
                or (listed and re.search(rf"\b{_NOUN}\b", begins, re.I))
            )
            if not is_title or _NO_TITLE.search(words) or not 3 <= len(words) <= 200:
                continue
            context = f"{begins} {sentence}"
            spoken = {name for name, said in (("board", _BOARD), ("forge", _FORGE)) if said.search(context)} & services
            if len(where := spoken or services) == 1:
                found[Title(min(where), clean(words), bool(MAKES["item"].search(context)))] = None
    return list(found)


def labels_taken_off(text: str) -> list[str]:
    """Labels that a text has taken off issues: before, they must have been there."""
    found: dict[str, None] = {}
    for sentence in sentences(text):
        for words, start, end in quotes(sentence):
            beside = re.match(r"\s*labels?\b", sentence[end:], re.I) or re.search(
                r"\blabels?\s*$", sentence[:start], re.I
            )
            if beside and _TAKES_OFF.search(sentence[:start]) and _LABEL.fullmatch(words):
                found[clean(words)] = None
    return list(found)


def milestones_in(text: str) -> dict[str, bool]:
    """Milestones by their titles, in quotes, and whether some words have them made."""
    found: dict[str, bool] = {}
    for sentence in sentences(text):
        behind = 0  # a sentence may close one and make the next
        for words, start, end in quotes(sentence):
            beside = _MILESTONE_BEFORE.search(sentence[:start]) or _MILESTONE_AFTER.search(sentence[end:])
            if beside and "://" not in words and len(words) <= 200:
                made = MAKES["milestone"].search(sentence[behind : max(start, end + 11)]) is not None
                found[clean(words)] = found.get(clean(words), False) or made
            behind = end
    return found


def cycles_in(text: str) -> list[str]:
    """Cycles by their numbers, as boards call them: `sprint 1` is `Sprint 1`."""
    return list(dict.fromkeys(f"{kind.capitalize()} {number}" for kind, number in _CYCLE.findall(text)))


def boards_in(text: str, also_forge: bool) -> list[tuple[str, bool]]:
    """Projects of the board by name, and whether they are made. `also_forge`: only where the board is spoken of."""
    found: dict[tuple[str, bool], None] = {}
    for sentence in sentences(text):
        if also_forge and (not _BOARD.search(sentence) or _FORGE.search(sentence)):
            continue
        names = [
            words
            for words, start, end in quotes(sentence)
            if _PROJECT_BEFORE.search(sentence[:start]) or _PROJECT_AFTER.search(sentence[end:])
        ]
        if _BOARD.search(sentence):
            names += [one or other for one, other in _PROJECT_PLAIN.findall(sentence)]
        for name in names:
            name = clean(name).rstrip(".,;:")
            if 1 < len(name) <= 80 and "://" not in name and not {*name.lower().split()} & _NOT_BOARDS:
                found[name, bool(MAKES["board"].search(sentence))] = None
    return list(found)


def emptied_by(text: str, name: str, services: frozenset[str]) -> list[str]:
    """What a task wants none left of, by its text or by its own name (`close-all-prs`)."""
    said = [*sentences(text), name.replace("-", " ").replace("_", " ")]
    found = [what for what, pattern in _EMPTY.items() if any(pattern.search(one) for one in said)]
    if "forge" not in services:  # the board's issues are items
        found = ["items" if what == "issues" else what for what in found]
    return list(dict.fromkeys(found))
