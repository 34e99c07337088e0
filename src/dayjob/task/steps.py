"""Which lines of a task.md are steps: numbered orders to do something, one after the other.

A numbered list may as well hold columns, questions, people or what a document must contain. Those are no steps, and say
so: by the sentence that leads to the list, or because their lines do not begin with something to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s+(?P<item>\S.*)$")
_NAMED_STEP = re.compile(r"^\s*(?:#{1,6}\s*|[-*+]\s+|\d{1,2}[.)]\s+)?[*_]{0,2}step\s+\d+\b", re.IGNORECASE)
_BELOW_AN_ITEM = re.compile(r"^(?:\s+\S|\s*[-*+|]\s*\S)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FIRST_WORD = re.compile(r"[\s*_`\"'(\[]*(?P<word>[A-Za-z]+)(?P<after>\W?)")

_LEADS = re.compile(r":\W*$|\b(?:following|follows?|these|below)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SAYS_STEPS = re.compile(r"\b(?:steps?|procedure|instructions?|in (?:this|that|the following) order)\b", re.IGNORECASE)
_SAYS_THINGS = re.compile(
    r"\b(?:requirements?|criteri(?:a|on)|rules?|columns?|fields?|rows?|questions?|sections?|topics?|items?|entries|names?"
    r"|people|employees|colleagues|candidates|members|teams?|departments?|issues|tickets|bugs|tasks|titles?"
    r"|formats?|values?|options?|choices|categories|labels|metrics|features|endpoints|tables?|slides?"
    r"|information|details|facts|examples?|definitions?|contains?|contents?|includes?|including|consists?)\b",
    re.IGNORECASE,
)  # fmt: skip

# What somebody is told to do, or how one order follows another.
_ORDER_WORDS = """
    access add adjust analyse analyze append apply ask assign attach build calculate change check choose clean click
    clone close collect combine commit compare compile complete compute configure confirm connect contact convert copy
    count create cut delete deploy describe determine do download draft draw edit email enable enter evaluate execute
    export extract figure fill filter find finish fix fork format gather generate get give go group identify implement
    import insert inspect install invite join launch list load locate log login look make mark match merge message
    modify move navigate note notify obtain open order organise organize pick place post prepare press produce provide
    publish pull push put read record register remove rename repeat replace reply report request reset resolve restart
    return review rewrite round run save scroll search select send set share sign sort split start state stop store
    submit summarise summarize take tell test transfer translate type unzip update upload use validate verify view
    visit wait write
    after afterwards begin finally first last lastly next now once second then third
"""
_ORDERS = frozenset(_ORDER_WORDS.split())


def step_lines(text: str) -> list[int]:
    """The numbers of the lines that are steps."""
    return [number for number, item, lead in _items(text) if item is None or _is_order(item, lead)]


def _items(text: str) -> Iterator[tuple[int, str | None, str]]:
    """Each numbered line, what it says (None for one that calls itself a step), and the sentence that leads to it."""
    lead, fenced = "", False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced or not line.strip():
            continue
        elif _NAMED_STEP.match(line):
            yield number, None, lead
        elif found := _NUMBERED.match(line):
            yield number, found["item"], lead
        elif not _BELOW_AN_ITEM.match(line):
            lead = line


def _is_order(item: str, lead: str) -> bool:
    last = _SENTENCE_END.split(lead.rstrip())[-1]
    if _LEADS.search(last) and _SAYS_THINGS.search(last) and not _SAYS_STEPS.search(last):
        return False
    first = _FIRST_WORD.match(item)
    if first is None or first["after"] in (":", "=", "/", "_", "-") or item.rstrip(" *_").endswith("?"):
        return False
    return first["word"].lower() in _ORDERS
