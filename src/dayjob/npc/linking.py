"""Questions that are whole only with what was said before: "is that right?", "and yours?", "2026, I meant"."""

from __future__ import annotations

import re
from dataclasses import replace

from dayjob.npc.understanding import Reading, Segment, understood

_IS_IT_SO = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|then|but|or|all)[\s,]+)*(?:(?:is|was|would|will) (?:that|this|it|all (?:that"
    r"|this)) (?:be )?(?:so|right"
    r"|correct|ok(?:ay)?|true|fine|alright|all right|good|possible|allowed|a problem|enough|the case|how it is)"
    r"|(?:do|would|don't"
    r"|can|could) you (?:agree|mind|think so|confirm(?: (?:it|that|this))?|see it (?:the same way|like that))"
    r"|you (?:agree|don't mind"
    r"|mind)|(?:any )?objections?|agreed?|correct|right|ok(?:ay)?|true|fine|yes|good|deal|does (?:that|this"
    r"|it) (?:work|make"
    r" sense|sound right|fit|suit you)|please|pretty please|(?:do|are|would|did|have|will|can|could) you|am i right"
    r"|did i get (?:it|that) right|sounds? (?:good|right|ok|fine)|(?:may"
    r"|can|shall|should) i(?: do"
    r" (?:it|that|so))?|isn't it|is it not)(?: (?:with|for|by) you| then| so far| like (?:that|this))?\W*$",
    re.IGNORECASE,
)
_IS_IT_TRUE = re.compile(r"\b(?:right|correct|true|so|the case|how it is)\b\W*$", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"^\W*(?:and|or) (?!(?:i|we|you|he|she|it|they|that|this|thanks?|so|then|is|are|will|have|has"
    r"|please)\b)[\w:.-]+(?: [\w:.-]+){0,3}\W*$",
    re.IGNORECASE,
)
_WHICH_IS_IT = re.compile(
    r"^\W*(?:so |and |now )?(?:which|what|who|where|when|how much|how many|how long)(?: one)? (?:is|are|was|were"
    r"|would|should) (?:it|that|this|they|those)"
    r"(?: be)?\W*$",
    re.IGNORECASE,
)
_WHAT_NOW = re.compile(
    r"^\W*(?:(?:so|and|ok(?:ay)?)[\s,]+)*(?:what (?:now|then)|what (?:do|should|shall|must|would) (?:i"
    r"|we) do(?: (?:then|now|about it|about that|with it))?"
    r"|how (?:do|should|shall) i (?:handle|treat|deal with) (?:it|that|this)|any (?:idea|advice))\W*$",
    re.IGNORECASE,
)
_MAY_ASSUME = re.compile(
    r"^(\W*(?:(?:ok(?:ay)?|so|and|then)[\s,]+)*)(?:(?:may|can|do|should|shall) i (?:assume|take it"
    r"|understand(?: (?:it )?correctly)?|suppose|conclude)"
    r"|am i (?:right|correct)(?: in (?:assuming|thinking|understanding))?|is it (?:right|correct|true|so)|(?:would"
    r"|do) you (?:agree|confirm|say) that|can you confirm that"
    r"|(?:just )?to (?:confirm|be sure))(?:,| that|:)*\s+(?=\w+ \w+)",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\b(?:the )?same (?:question|to you|for you|thing for you)\b"
    r"|^\W*(?:(?:and|what about|how about)\s+)(?:@[\w.]+\W*)?(?:you|yours?|your (?:side|team|part|end))\W*$",
    re.IGNORECASE,
)
_KINDS = (
    re.compile(r"\b[A-Z]{2,}-\d+\b"),
    re.compile(r"\b20\d\d\b"),
    re.compile(r"\b\d{1,2}:\d{2}\b"),
    re.compile(r"\b(?:mon|tues|wednes|thurs|fri)day\b", re.IGNORECASE),
    re.compile(
        r"\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|(?-i:May)|(?<=\d )may|(?<=in )may|june?|july?|aug(?:ust)?"
        r"|sept?(?:ember)?|oct(?:ober)?"
        r"|nov(?:ember)?|dec(?:ember)?)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\bq[1-4]\b", re.IGNORECASE),
)
_NAMED_LAST = re.compile(
    r"\b(?:for|of|about|with) ((?!(?:me|you|us|it|that|this|her|him|the|a|my|your)\b)\w+(?: [A-Z]\w+)?)\W*$"
)
_NAME_WORDS = 3
_MARKS = re.compile(
    r"\b(?:sorry|sry|oops|typo|i meant?|correction|no|wait|argh|ah|oh|obviously|of course|rather|scratch that"
    r"|my mistake)\b[\s,:.!]*|\*",
    re.IGNORECASE,
)


def linked(reading: Reading, before: str, *, answered: bool = False) -> tuple[Segment, ...]:
    """The segments of a message, with what their questions refer to.

    `before` is what was asked last; where that was answered, only what it is put right by asks again.
    """
    found: list[Segment] = []
    for one in map(_without_assuming, reading.segments):
        if asks_whether_so(one) and found and _states(found[-1]):
            claim = found[-1].text.rstrip(" .!,;")
            if _IS_IT_TRUE.search(one.text):
                found[-1] = replace(one, text=f"{claim}?", yes_no=True)
            else:
                found[-1] = replace(one, yes_no=True, meant=f"{claim}, {one.text}")
        elif asks_whether_so(one) and found and found[-1].asks:
            continue  # "Is it Friday? Do you know?" asks once
        elif before and not one.asks and _FRAGMENT.match(one.text) and _states(one) and not (one.done or one.not_yet):
            found.append(replace(one, asks=True, yes_no=True, meant=corrected(before, one.text)[1]))
        elif one.asks and found and _states(found[-1]) and (_WHICH_IS_IT.match(one.text) or _WHAT_NOW.match(one.text)):
            found.append(replace(one, meant=f"{one.text.rstrip(' ?')} {found[-1].text.rstrip(' .!,;')}?"))
        elif before and one.corrects and not one.asks:
            if not any(each.corrects for each in found):
                every = " ".join(each.text for each in reading.segments if not (each.greets or each.asks))
                put, meant = corrected(before, every)
                own = answered and not put
                found.append(replace(one, text=meant if put else one.text, meant=one.text if own else meant))
        elif before and _SAME.search(one.text):
            found.append(replace(one, meant=corrected(before, one.text)[1], asks=True))
        else:
            found.append(one)
        if one.asks and not one.meant:
            before, answered = one.text, False
    return tuple(found)


def _without_assuming(one: Segment) -> Segment:
    """ "May I assume that it is Friday?" asks whether it is Friday, and not whether one may."""
    found = _MAY_ASSUME.match(one.text) if one.asks else None
    if found is None:
        return one
    return replace(one, meant=f"{found[1]}{one.text[found.end() :]}", yes_no=True, assumes=True)


def asks_whether_so(one: Segment) -> bool:
    """ "Is that right?": it asks about what was said just before."""
    return one.asks and _IS_IT_SO.match(one.text) is not None


def _states(one: Segment) -> bool:
    return not (one.asks or one.deed or one.greets or one.thanks or one.fine or one.small_talk)


def corrected(before: str, text: str) -> tuple[bool, str]:
    """The last question with what is put right in it: "2026, sorry" after "how much in 2025?"; else with it behind."""
    put = False
    for kind in _KINDS:
        said, was = kind.findall(text), kind.findall(before)
        if said and was:
            before, put = _exchanged(kind, said if len(said) == len(was) else said[-1:], before), True
    named = _NAMED_LAST.search(before)
    if not put and named is not None and (name := _name_in(text)):
        return True, f"{before[: named.start(1)]}{name}?"
    return put, before if put else f"{before} {_MARKS.sub('', text).strip()}"


def _name_in(text: str) -> str:
    """Whom or what a correction names: a full name, or all of its last few words."""
    full = re.search(r"\b[A-Z]\w+ [A-Z]\w+\b", text)
    if full is not None:
        return full[0]
    rest = re.split(r"[.!?,]\s*", _MARKS.sub("", text).strip(" .!?,"))[-1].split()
    return " ".join(rest) if 0 < len(rest) <= _NAME_WORDS else ""


def _exchanged(kind: re.Pattern[str], new: list[str], text: str) -> str:
    """The text with its first such word put as the first new one, and so on; the last goes for all that are left."""
    at = iter(range(len(text)))
    return kind.sub(lambda found: new[min(next(at), len(new) - 1)], text)


def last_question(text: str) -> str:
    """What a message asks, in its own words; empty when it asks nothing."""
    return " ".join(one.text for one in understood(text).segments if one.asks or one.deed)
