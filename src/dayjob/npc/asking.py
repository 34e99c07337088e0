"""How people ask: for something to know, for a yes or no, for something to be done."""

from __future__ import annotations

import re

from dayjob.npc.telling import DONE, NOT_YET
from dayjob.npc.words import each_of, words

_WHAT = (
    "what|which|who|whom|whose|when|where|why|how|what's|who's|when's|where's|how's|since when|until when|from when|"
    "by when|at what|in which|on which|for which|to whom|with whom|against (?:what|which)|about what"
)
_AUXILIARY = (
    "is|are|was|were|am|do|does|did|can|could|will|would|shall|should|may|might|has|have|had|isn't|aren't|don't"
    "|doesn't|"
    "didn't|won't|wouldn't|can't|couldn't|haven't|hasn't"
)
_SUBJECT = (
    "you|we|i|it|that|this|these|those|the|they|he|she|there|any|anybody|anyone|anything|some|somebody|your|my|our|his|"
    "her|their|all|both|everybody|everyone|each|(?-i:[A-Z]\\w+)|a|an|one|no"
)
_FRONT = (
    r"^\W*(?:(?:ok(?:ay)?|so|and|but|or|also|then|well|just|quick(?: question)?|question|one (?:more"
    r"|last) (?:thing|question)|"
    r"last one|sorry|please|oh|ah|hm+|now|btw|by the way|first|second(?:ly)?|third(?:ly)?|finally|cool|great"
    r"|thanks|thank you|thx|nice|"
    r"perfect|good|alright|all right|right|sure|fine|fair(?: enough)?|understood|got it|noted|super|very well"
    r"|put differently|"
    r"in other words|\d+[.)]|[A-Z][a-z]+,)[\s,:;–—.!-]*)*+"
)
_NAME_FIRST = (
    r"(?!(?:only|just|that|this|exactly|about|see|know|like|do|as|and|is|was|with|for|of|in|on|all|it|than|then|or"
    r"|but|say|says|"
    r"see|me|you|the|a|not|no|yes|wonder|check|guess|depends|even|still|whatever|scrap|forget|ignore|skip"
    r"|never)\b)@?[\w.]+[,:]?\s+"
)
ASKS = re.compile(
    rf"{_FRONT}(?:{_NAME_FIRST})?(?:{_WHAT})\b|{_FRONT}(?:@?[\w.]+[,:]?\s+)?(?:do|did|can|could|would|will|should"
    rf"|are|may|have)"
    rf" (?:you|we|i)\b|{_FRONT}(?:(?:any|anything|anybody|anyone)\b|(?:does|did|can|could|would|should|shall|am"
    rf"|do)\s+\w"
    rf"|(?:{_AUXILIARY})\s+(?:{_SUBJECT})\b)",
    re.IGNORECASE,
)
_HELPING = "is|are|was|were|do|does|did|can|could|will|would|shall|should|may|has|have"
ASKS_PLAINLY = re.compile(
    rf"{_FRONT}(?:(?:{_HELPING}) (?:you|i|we|it|there|that|this|the|they|he|she|any\w*|some\w+)\b"
    rf"|(?:what|which|who|when|where|why|how)(?: (?!you\b|i\b|we\b|he\b|she\b|they\b)\w+){{0,3}} (?:{_HELPING})\b)",
    re.IGNORECASE,
)
YES_NO = re.compile(
    rf"{_FRONT}(?:{_AUXILIARY}|any)\b",
    re.IGNORECASE,
)
_IS_IT_SO = re.compile(
    r"[,.–—-]\s*(?:right|correct|yes|no|ok|okay|true|agreed|isn't it|is that right|is that correct|works"
    r"|work for you|ok for you|fine)\s*\?\s*$",
    re.IGNORECASE,
)
WANTS_WORD = re.compile(
    r"\b(?:tell me|let me know|let us know|remind me|give me(?! (?:a (?:minute|moment|second|sec|bit|while|few)"
    r"|an hour|ten|five|half|some time|until|\d))|send me|show me|i(?:'d| would) (?:like|love|want) to (?:know|hear"
    r"|ask|understand|check|confirm)|"
    r"i (?:also )?(?:want|need|have|wanted|wish)(?:ed)? to (?:know|ask|hear|find out|understand|confirm|check)"
    r"|wonder(?:ing)?|curious|"
    r"i(?:'m| am) (?:asking|looking for|collecting|gathering|after|missing|unsure|not sure|trying to find)"
    r"|i (?:still )?(?:need|lack|miss) (?:the|your|a|an|to|one|two|three)|"
    r"(?:need|want|wanted) your|need (?:the|a|some|to know|from you)|please (?:tell|say|confirm|share|send|give"
    r"|name|list|explain|clarify"
    r"|advise|provide|specify|let)|"
    r"(?:can|could|would|will) you (?:\w+ )?(?:tell|say|confirm|share|give|explain|name|list|remind|point|clarify"
    r"|send|let|check whether|describe|provide|help|advise|spell|show|walk|repeat|elaborate)|"
    r"(?:asking|ask|wondering|waiting for you) (?:how|what|which|whether|if|when|where|who)\b|not sure (?:what"
    r"|which|who|when|where|why|how|if|whether)|don'?t know (?:what|which|who|when|where|why|how|if"
    r"|whether)|"
    r"any (?:idea|news|update|word|thoughts|preference|objection|chance)|your (?:view|opinion|take|thoughts|case"
    r"|side|wishes|wish|answer|preference|availability)\b(?!\s+(?:is|are|was|has|does|comes))|"
    r"(?<!for )asking (?:for|about|you|everyone)|question (?:about|for|on)|ask you|what about|how about"
    r"|details (?:on|about"
    r"|of)|waiting for your)\b",
    re.IGNORECASE,
)
_INFORMS = each_of(
    "tell say confirm give explain let share name list remind point clarify know hear help describe provide answer "
    "advise show "
    "spell repeat elaborate walk imagine see remember recall think mean live wait spare make meet come attend "
    "join"
)
_DEED = re.compile(
    rf"(?:{_FRONT}(?:(?:may|can|could) i ask you to|would you mind|are you able to|(?:can|could|would"
    r"|will)\s+(?:you|u))\s+(?:please\s+|also\s+|maybe\s+|perhaps\s+|quickly\s+|just\s+"
    r"|kindly\s+)*(?P<verb>[a-z]+)\b)"
    r"|(?:\bplease\s+(?:also\s+|just\s+|kindly\s+)?(?P<plain>[a-z]+)\b)|(?:\bi(?:'d"
    r"| would) like you to\s+(?P<wish>[a-z]+)\b)|(?:\bwant you to\s+(?P<want>[a-z]+)\b)",
    re.IGNORECASE,
)
_FOR_OTHERS = re.compile(
    r"\s+(?:(?:it|that|this) to )?(?:them|him|her|(?-i:[A-Z][a-z]+)|the (?!rest|total|reason|difference|name"
    r"|time)\w+(?: on the \w+)?|everybody|everyone|others|@\w)\b",
    re.IGNORECASE,
)
_LOOK = re.compile(
    r"\s+(?:it |that |this |them )?(?:a|an|another|one more|your) (?:\w+ )?(?:look|eye|glance|read)\b", re.IGNORECASE
)
_DEEDS = each_of(
    "approve merge review comment move assign upload share rename invite create post send write change update fix "
    "book check "
    "forward add remove delete close open put set do handle take push revert rotate order buy enter fill look read "
    "sign "
    "run start stop reopen prepare make finish complete reserve announce ping pass grant allow accept squash rebase "
    "edit"
)
_AND_ASKS = re.compile(
    r",?\s+(?:and|or|but|also)\s+(?:also\s+)?(?=(?:(?:in|for|on|at|by|until|since|to) )?(?:what|which|who|whom|whose"
    r"|when|where|why|how|is|are|do|does|did|can|could|will|would|should|has|have)\s+\w+)"
    r"|,\s+(?=(?:(?:in|for|on|at|by|until|since|to|from) )?(?:what|which|who|whose|when|where|why|how) (?!is that"
    r"|i said|i mean)\w+)",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(rf"{_FRONT}(?:\w+\s*[,:]\s*)?(?:@?[\w.]+[,:]?\s+)?(?:{_WHAT})\b", re.IGNORECASE)
ASKS_LATER = re.compile(
    rf"(?:[:;–—]|\s-)\s*(?:{_WHAT}|{_AUXILIARY})\b|,\s*(?:{_AUXILIARY})\s+(?:you|we|i|it|that|they|he|she|there)\b"
    rf"|,\s*(?:{_WHAT})\s+\w+|\bor (?:is|are|do|does|did|can|could|should|shall|would|will|must) (?:you|we|i|it"
    r"|that|they|he|she)\b"
    rf"|^\W*(?:(?:hm+|and|but|so|ok|then)[\s,]+)*if (?:not|so|yes|no),? (?:{_WHAT})\b",
    re.IGNORECASE,
)
STATES_OWN = re.compile(
    rf"{_FRONT}(?:i'?ll|i will|will (?!you|it|they|we|there|that)|let me (?!know)|i'm going to|i am going to"
    rf"|i promise|then i'?ll)\b"
    r"|\b(?:tell me|let me know|write to me|ping me)\s+(?:if|once(?! (?:more|again))|should|in case)\b",
    re.IGNORECASE,
)
REPEATS = re.compile(
    r"\b(?:say (?:that|it|again)|once more|(?:tell|repeat|say|give|send|explain)\b.*\bagain|repeat (?:that|it"
    r"|what)|remind me)\b",
    re.IGNORECASE,
)
HAS_ALL = re.compile(
    r"\b(?:have|got|has|know|is|'s|that's) (?:now |then )?(?:what|all|everything)(?: that)? (?:i|we) (?:need|wanted"
    r"|asked|was after)",
    re.IGNORECASE,
)
"""Somebody has what they asked for."""
OWN_WORK = re.compile(
    r"^\W*(?:here is |this is |see )?what (?:i|we)(?:'ve| have)? (?:just )?(?:did|done|changed|added|made|wrote"
    r"|written|put|entered|used)\b(?!.*\?)",
    re.IGNORECASE,
)
"""The head of a report of one's own."""
ASSUMES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|and|but|hm+|ah|oh|alright|great|good|thanks)[\s,]+)*(?:so|then)\b(?! (?:i'll|i will|long"
    r"|far|thank|good))"
    r"|\b(?:i (?:assume|guess|suppose|take it|presume|understand|gather|figure|believe)\b(?!d)|i'd (?:just |simply "
    r"|then )?(?!like|love)\w+"
    r"|i would (?:just |simply |then )?(?!like|love)\w+|my (?:plan|idea) (?:is|was|would be)|for sure|if i (?:got"
    r"|understood|read) (?:it|that|you)"
    r"|as far as i (?:know|see|understand))",
    re.IGNORECASE,
)
"""Somebody says how they take it to be."""
_NO_TAG = each_of("is are all was be that you it in got get the on looks look quite")
TAGGED = re.compile(
    "".join(rf"(?<!\b{one})" for one in sorted(_NO_TAG))
    + r"(?<!'s)(?<=\w|,)\s+(?:right|correct|yes|or not|or no|no)[\s.!]*$",
    re.IGNORECASE,
)
"""A question by its last word, without its mark."""
_SHORT_WISH = 9


def two_questions(sentence: str) -> list[str]:
    """A sentence with two questions is two segments."""
    if "?" not in sentence:
        return [sentence]
    parts = _AND_ASKS.split(sentence)
    return (
        [part if part.rstrip().endswith("?") else part + "?" for part in parts[:-1]] + parts[-1:]
        if (len(parts) > 1 and ASKS.match(parts[0]))
        else [sentence]
    )


def is_yes_no(text: str) -> bool:
    """A question without a word for what it asks, or with an "is it so?" behind it."""
    return _ASKS_WHAT.match(text) is None or _IS_IT_SO.search(text) is not None


def is_wish(text: str) -> bool:
    """ "The rate for Friday, please": a wish without a verb."""
    return (
        re.search(r"\bplease\W*(?:$|, [\w-]+(?: [\w-]+)?\W*$)", text, re.IGNORECASE) is not None
        and len(words(text)) <= _SHORT_WISH
        and DONE.search(text) is None
        and NOT_YET.search(text) is None
    )


def deed_of(text: str) -> str:
    for found in _DEED.finditer(text):
        verb = (found["verb"] or found["plain"] or found["wish"] or found["want"] or "").lower()
        if verb in _INFORMS and not (verb in ("tell", "let", "remind") and _FOR_OTHERS.match(text[found.end() :])):
            return ""
        if verb in _INFORMS:
            return "tell"
        if verb in ("have", "take", "give", "keep") and _LOOK.match(text[found.end() :]):
            return "look"
        for one in (
            verb,
            verb.removesuffix("ing"),
            verb.removesuffix("ing") + "e",
            verb[:-4] if verb.endswith("ing") else verb,
        ):
            if one in _DEEDS:
                return one
    return ""
