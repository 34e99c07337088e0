"""What somebody means in chat: a message taken apart into what it asks, tells, reports and wishes.

Plain rules over words, no model and no state. A message is a list of segments (sentences, lines of a list), each with
what it does: greet, thank, ask, ask for a yes or no, ask for a deed, report something done or not done yet, correct.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache


def each_of(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


_NAME = r"(?:\s+(?:@?[\w.]+|there|all|everyone|everybody|both|team|folks|you two))?(?:\s+[A-Z][\w']+)?"
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|hallo|hiya|moin|servus|salut|bonjour|ciao|hola|yo|dear|good (?:morning|afternoon|evening"
    rf"|day)|morning|afternoon|evening|greetings)\b{_NAME}\s*[,!.:;–—-]*\s*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\b(?:thank(?:s| you)?|thx|ty|cheers|much appreciated|appreciate (?:it|that|your|the)|grateful|merci|danke)\b",
    re.IGNORECASE,
)
_FINE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|perfect|got it|understood|alright|all right|good|fine|noted|cool|super|excellent"
    r"|wonderful|lovely|"
    r"nice|makes sense|very well|brilliant|awesome|sure|right|i see|clear|will do|sounds good|fair enough|no worries|"
    r"no problem|you(?:'re| are) welcome|any ?time|my pleasure|agreed|deal|that helps|very helpful|that (?:is"
    r"|was) (?:all|helpful|clear"
    r"|everything)(?: i need(?:ed)?)?|bye|see you(?: \w+)?|have a (?:nice|good|great) \w+|"
    r"talk (?:soon|later)|then|so|and|that|all|for now)\b[\s,!.;:👍🙂]*)++$",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"\bhow(?:'s| is| are| was| were|s)\s+(?:it going|things|life|you(?:r)?\b(?! (?:deploy|review|report|merge"
    r"|test))[\s\w]*(?:doing|day|week|weekend|morning|today|monday|evening|holiday|trip|coffee)?\s*(?:\?|,|!|$)"
    r"|everything)"
    r"|\bhope (?:you|your|all)\b|\bgood start (?:in)?to\b|\b(?:nice|good|great|lovely) (?:weekend|weather"
    r"|to (?:meet|see) you)\b|\bfirst day\b.*\b(?:here|nice|glad|excited|nervous|new)\b"
    r"|\b(?:may|can|could) i (?:come (?:back )?to|bother|ping|write to|contact|ask) you\b(?=.*\b(?:later|again"
    r"|any ?time|if|when|with questions)\b)|\bhow(?:'s| is) the mood\b|\bwie geht'?s\b|\bbusy (?:with|before|day"
    r"|week)\b|\bcoffee or tea\b|\b(?:quiet|lovely) (?:weekend|start|evening)\b|\beveryone is (?:\w+ )?(?:nice"
    r"|kind)\b|\bweather\b|\bhappy (?:birthday|monday"
    r"|friday)\b|\bwhat'?s up\b|\b(?:any )?plans for the (?:weekend|evening)\b|\blooking forward to (?:working"
    r"|meeting)\b|\bhad (?:lunch|a (?:nice|good) (?:weekend|evening))\b",
    re.IGNORECASE,
)
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
    r"see|me|you|the|a|not|no|yes|wonder|check|guess|depends|even|still|whatever)\b)@?[\w.]+[,:]?\s+"
)
_ASKS = re.compile(
    rf"{_FRONT}(?:{_NAME_FIRST})?(?:{_WHAT})\b|{_FRONT}(?:@?[\w.]+[,:]?\s+)?(?:do|did|can|could|would|will|should"
    rf"|are|may|have)"
    rf" (?:you|we|i)\b|{_FRONT}(?:(?:any|anything|anybody|anyone)\b|(?:does|did|can|could|would|should|shall|am"
    rf"|do)\s+\w"
    rf"|(?:{_AUXILIARY})\s+(?:{_SUBJECT})\b)",
    re.IGNORECASE,
)
_HELPING = "is|are|was|were|do|does|did|can|could|will|would|shall|should|may|has|have"
_ASKS_PLAINLY = re.compile(
    rf"{_FRONT}(?:(?:{_HELPING}) (?:you|i|we|it|there|that|this|the|they|he|she|any\w*|some\w+)\b"
    rf"|(?:what|which|who|when|where|why|how)(?: (?!you\b|i\b|we\b|he\b|she\b|they\b)\w+){{0,3}} (?:{_HELPING})\b)",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    rf"{_FRONT}(?:{_AUXILIARY}|any)\b",
    re.IGNORECASE,
)
_IS_IT_SO = re.compile(
    r"[,.–—-]\s*(?:right|correct|yes|no|ok|okay|true|agreed|isn't it|is that right|is that correct|works"
    r"|work for you|ok for you|fine)\s*\?\s*$",
    re.IGNORECASE,
)
_WANTS_WORD = re.compile(
    r"\b(?:tell me|let me know|let us know|remind me|give me(?! (?:a (?:minute|moment|second|sec|bit|while|few)"
    r"|an hour|ten|five|half|some time|until|\d))|send me|show me|i(?:'d| would) (?:like|love|want) to (?:know|hear"
    r"|ask|understand|check|confirm)|"
    r"i (?:also )?(?:want|need|have|wanted|wish)(?:ed)? to (?:know|ask|hear|find out|understand|confirm|check)"
    r"|wonder(?:ing)?|curious|"
    r"i(?:'m| am) (?:asking|looking for|collecting|gathering|after|missing|unsure|not sure|trying to find)"
    r"|i (?:still )?(?:need|lack|miss) (?:the|your|a|an|to|one|two|three)|"
    r"need (?:your|the|a|some|to know|from you)|please (?:tell|say|confirm|share|send|give|name|list|explain|clarify"
    r"|advise|provide|specify|let)|"
    r"(?:can|could|would|will) you (?:\w+ )?(?:tell|say|confirm|share|give|explain|name|list|remind|point|clarify"
    r"|send|let|check whether|describe|provide|help|advise|spell|show|walk|repeat|elaborate)|"
    r"not sure (?:what|which|who|when|where|why|how|if|whether)|don'?t know (?:what|which|who|when|where|why|how|if"
    r"|whether)|"
    r"any (?:idea|news|update|word|thoughts|preference|objection|chance)|your (?:view|opinion|take|thoughts|case"
    r"|side|wishes|wish|answer|preference|availability)\b(?!\s+(?:is|are|was|has|does|comes))|"
    r"asking (?:for|about|you|everyone)|question (?:about|for|on)|ask you|what about|how about|details (?:on|about"
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
_DEEDS = each_of(
    "approve merge review comment move assign upload share rename invite create post send write change update fix "
    "book check "
    "forward add remove delete close open put set do handle take push revert rotate order buy enter fill look read "
    "sign "
    "run start stop reopen prepare make finish complete reserve announce ping pass grant allow accept squash rebase "
    "edit"
)
_DONE = re.compile(
    r"\b(?:done|finished|completed?|merged|uploaded|announced|posted|published|pushed|assigned|removed|opened|fixed"
    r"|updated|saved|written|"
    r"submitted|filled in|handed in|prepared|entered|booked|placed|corrected|repaired|resolved|created|ready"
    r"|in place|all set|sorted)\b"
    r"|\b(?:is|are|it's|its|now|everything is) (?:there|in(?: main| the folder| place)?|up|open|live|gone"
    r"|on the drive|in /)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:just )?(?:put|posted|sent|wrote|written|added|moved|entered|filed|told|announced"
    r"|opened|made|booked|set|shared|pushed|merged|uploaded|updated|changed|placed|ranked|dropped|left)\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\bnot (?:yet|done|ready|finished|there yet|quite|written|merged|started)\b|\b(?:have|has|did|do|is|are"
    r"|was)(?:n't|n’t| not)\b(?=.*\b(?:yet|written|done|finished|ready|merged|tested|started|begun|begin|tried"
    r"|looked|read|uploaded|run|got|had|checked)\b)"
    r"|\b(?:i'?ll|i will|we will|we'll|i'm going to|going to|about to|gonna)\b|\b(?:later"
    r"|in a (?:minute|moment|bit|while)|ten minutes|give me (?:a|an|ten|five|some|until|\d)|tomorrow|tonight"
    r"|soon)\b(?!.*\?)"
    r"|\bstill (?:working|writing|have to|need to|to do|missing|busy|on it)\b|\bi (?:only )?(?:need|have) to\b"
    r"|\bnot (?:have|had)\b|\bno test yet\b|\bwithout a test\b|\bcould(?:n't| not)\b.*\byet\b|\bwould (?:write|add"
    r"|do) it\b|\bplan(?:ning)? to\b|\bpromise\b|\bon it\b|\b(?:i'?m|i am|we'?re|am|now|just) (?:now |just |still "
    r"|already )?(?:starting|writing|working|preparing|finishing|doing|testing|checking|running|collecting"
    r"|looking into|reading)\b|\bwill (?:ping|do|come|write|let|send|be|get|report|try|go|add|check|prepare|tell"
    r"|ask)\b|\bping you\b|\bstill red\b|\bnot through\b",
    re.IGNORECASE,
)
_ALONE_NOT_YET = re.compile(
    r"^\W*(?:but )?(?:not (?:yet|done|ready|there yet|quite)|later|soon|tomorrow|tonight"
    r"|in a (?:minute|moment|bit|while))\W*$",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"\bthere (?:is|are|was|were|'s) (?:not?|still no|not any)\b"
    r"|\b(?:i|we) (?:still )?(?:have|had|got|have got) (?:no|not any|none)\b"
    r"|\b(?:i|we) (?:do|did)(?:n't| not) (?:yet )?have\b|\b(?:is|are|was|were) (?:still )?missing\b"
    r"|^\W*(?:suppose|supposing|imagine|imagining|assume|assuming|pretend|provided|once|as soon as|unless|until"
    r"|let us (?:say|assume|pretend|imagine)|let's (?:say|assume|pretend|imagine)|say)\b"
    r"|\bif (?:i|we|you|there|it) (?:only )?(?:had|were|was|could|would)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:sorry[,:]? (?:i meant?|no|not|wrong|that should|typo|my mistake)|correction\b|i meant?\b|i mean\b"
    r"|no,? (?:i meant?|sorry)|wait,? (?:no|i meant?|sorry)|(?:oh|ah|oops)[,!]? (?:sorry|i meant?|no)|(?:sorry"
    r"|sry)[,.]?\s|\S+\*(?:\s|$)|.{0,60}\bi meant?\b|.{0,60},? (?:sry|sorry)\W*$|(?:argh|ugh),? sorry|typo\b"
    r"|my mistake|scratch that|make that|rather)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"(?<=[.?!…])[\"'”’)\]*_]*\s+|\n+|\s+[•·]\s+|(?<=\w);\s+")
_BULLET = re.compile(r"^\s*(?:[-*•–>]+|\d{1,2}[.)])\s+")
_AND_ASKS = re.compile(
    r",?\s+(?:and|or|but|also)\s+(?:also\s+)?(?=(?:what|which|who|whom|whose|when|where|why|how|is|are|do|does|did"
    r"|can|could|will|would|should|has|have)\s+\w+)",
    re.IGNORECASE,
)
_SHORTENED = re.compile(
    r"\b(?:a\.m\.|p\.m\.|e\.g\.|i\.e\.|approx\.|etc\.|no\.(?=\s*\d)|nr\.|vs\.|resp\.|incl\.|excl\.)", re.IGNORECASE
)
_ASKS_WHAT = re.compile(rf"{_FRONT}(?:\w+\s*[,:]\s*)?(?:@?[\w.]+[,:]?\s+)?(?:{_WHAT})\b", re.IGNORECASE)
_ASKS_LATER = re.compile(
    rf"(?:[:;–—]|\s-)\s*(?:{_WHAT}|{_AUXILIARY})\b|,\s*(?:{_AUXILIARY})\s+(?:you|we|i|it|that|they|he|she|there)\b"
    rf"|,\s*(?:{_WHAT})\s+\w+",
    re.IGNORECASE,
)
_STATES_OWN = re.compile(
    rf"{_FRONT}(?:i'?ll|i will|will (?!you|it|they|we|there|that)|let me (?!know)|i'm going to|i am going to"
    rf"|i promise|then i'?ll)\b"
    r"|\b(?:tell me|let me know|write to me|ping me)\s+(?:if|once|should|in case)\b",
    re.IGNORECASE,
)
_APOSTROPHES = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|wo|ca)nt\b|\b(i)(m|ve)\b|\b(that|what|who|it"
    r"|there|here|where|how|when)s\b(?=\s)",
    re.IGNORECASE,
)
_REPEATS = re.compile(
    r"\b(?:say (?:that|it|again)|once more|(?:tell|repeat|say|give|send|explain)\b.*\bagain|repeat (?:that|it"
    r"|what)|remind me)\b",
    re.IGNORECASE,
)
_CALLS = re.compile(
    r"^\W*(?:hello|hi|hey|are you (?:there|around|in|free|busy)(?: (?:today|now|right now|at the moment))?|(?:got"
    r"|have|do you have) (?:you )?(?:a |some |one )?(?:minute|moment|second|sec|time)"
    r"(?: for me)?|(?:may|can|could) i (?:ask|bother|disturb) you (?:something|a question|for a (?:minute|moment"
    r"|second))|knock knock|anybody (?:there|home)"
    r"|quick question|(?:i have )?(?:a|one|two|some) (?:quick |short )?questions?)(?: (?:please|for you|now"
    r"|today))?\W*$",
    re.IGNORECASE,
)
_SHORT_WISH = 9
_LONGEST = 600
"""A sentence has so many letters at most."""
_NUMBERED = re.compile(r"^(\d{1,2})\.(?=\s)", re.MULTILINE)
_QUOTED = re.compile(r"^\s*>")


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence or line, and what it does."""

    text: str
    asks: bool = False
    """It wants to know something."""
    yes_no: bool = False
    """It can be answered with yes or no."""
    deed: str = ""
    """The verb of what the other is asked to do."""
    thanks: bool = False
    fine: bool = False
    """No more than "all right"."""
    greets: bool = False
    small_talk: bool = False
    done: bool = False
    not_yet: bool = False
    corrects: bool = False
    lacks: bool = False
    """It says that something is not there, or only imagines it: it shows nothing."""

    @property
    def tells(self) -> bool:
        """It states something, as having happened or being so."""
        return not (self.asks or self.deed or self.not_yet or self.greets or self.fine or self.small_talk)


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, taken apart."""

    segments: tuple[Segment, ...]

    @property
    def asking(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.asks)

    @property
    def deeds(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.deed)

    @property
    def telling(self) -> tuple[Segment, ...]:
        return tuple(one for one in self.segments if one.tells and not one.thanks)

    def any(self, name: str) -> bool:
        return any(getattr(one, name) for one in self.segments)

    def mostly(self, name: str, other: str) -> bool:
        """More of it does the one than the other."""
        does, does_not = ([one for one in self.segments if getattr(one, each)] for each in (name, other))
        return len(does) > len(does_not)

    def only(self, *names: str) -> bool:
        """Nothing in it does anything but this."""
        return bool(self.segments) and all(any(getattr(one, name) for name in names) for one in self.segments)


@lru_cache(maxsize=512)
def understood(text: str) -> Reading:
    """Take a message apart."""
    found: list[Segment] = []
    listing = False
    for raw, in_list in _sentences(text):
        greeted = _GREETING.match(raw)
        rest = raw
        if greeted is not None:
            rest = raw[greeted.end() :]
            found.append(Segment(greeted[0].strip(), greets=True))
            if not re.search(r"\w", rest) or _is_name(rest):
                continue
        parts = [part for one in _questions(rest) for part in _segments(one)]
        if in_list and listing:
            parts = [one if one.asks else replace(one, asks=True, done=False, not_yet=False) for one in parts]
        elif not in_list:
            # What follows a question as a list belongs to it.
            listing = raw.rstrip().endswith(":") and any(one.asks for one in parts)
        found += parts
    for at, one in enumerate(found[1:]):
        if one.not_yet and _ALONE_NOT_YET.match(one.text):
            found[at] = replace(found[at], not_yet=True, done=False)  # "The list. Not yet."
    return Reading(tuple(found))


def _sentences(text: str) -> list[tuple[str, bool]]:
    """Each with whether it is a point of a list."""
    shown = re.sub(r"([^\w\s])\1{3,}", r"\1\1\1", unicodedata.normalize("NFKC", text)).replace("’", "'")
    shown = _APOSTROPHES.sub(_with_apostrophe, re.sub(r"\b(?:pls|plz)\b", "please", shown))
    shown = _SHORTENED.sub(lambda found: found[0].replace(".", ""), shown)
    shown = _NUMBERED.sub("\\1)", re.sub(r"\s+", lambda gap: "\n" if "\n" in gap[0] else " ", shown))
    found = []
    for line in shown.splitlines():
        if not _QUOTED.match(line):
            in_list = _BULLET.match(line) is not None
            found += [(part.strip(), in_list) for part in _SPLIT.split(_BULLET.sub("", line))]
    return [one for one in found if re.search(r"\w|👍", one[0])]


def _with_apostrophe(found: re.Match[str]) -> str:
    """ "isnt", "im" and "whats" as they are meant; "its" and "were" stay what they may be."""
    if found[1]:
        return f"{found[1]}n't"
    if found[2]:
        return f"{found[2]}'{found[3]}"
    return found[0] if found[4].lower() == "it" else f"{found[4]}'s"


def _is_name(rest: str) -> bool:
    """ "Good morning, Mara.": what is left is whom it is said to."""
    return re.fullmatch(r"@?[A-Z][\w.]*\W*", rest) is not None and _segment(rest) == Segment(rest)


def _segments(sentence: str) -> list[Segment]:
    """Nobody writes a sentence without an end: it is taken in parts, so that a long one costs no more than its length.

    Each part does what the sentence does.
    """
    parts = [_segment(one) for one in _pieces(sentence)]
    if len(parts) > 1:
        asks, not_yet = any(one.asks for one in parts), any(one.not_yet for one in parts)
        parts = [replace(one, asks=asks, not_yet=not_yet) for one in parts]
    return parts


def _pieces(sentence: str) -> Iterator[str]:
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", 1, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    yield sentence


def _questions(sentence: str) -> list[str]:
    """A sentence with two questions is two segments."""
    if "?" not in sentence:
        return [sentence]
    parts = _AND_ASKS.split(sentence)
    return (
        [part if part.rstrip().endswith("?") else part + "?" for part in parts[:-1]] + parts[-1:]
        if (len(parts) > 1 and _ASKS.match(parts[0]))
        else [sentence]
    )


def _segment(text: str) -> Segment:
    if _CALLS.match(text) is not None:
        return Segment(text, greets=True)
    small_talk = len(text) < 160 and _SMALL_TALK.search(text) is not None
    thanks = _THANKS.search(text) is not None
    fine = _FINE.match(text) is not None
    corrects = _CORRECTS.match(text) is not None
    deed = _deed(text)
    marked = text.rstrip("\"'”’)*_ ").endswith("?")
    asks = (
        marked
        or _ASKS.match(text) is not None
        or _ASKS_LATER.search(text) is not None
        or _WANTS_WORD.search(text) is not None
        or _is_wish(text)
        or _REPEATS.search(text) is not None
    )
    asks = asks and not fine and not deed and (marked or _STATES_OWN.search(text) is None)
    if thanks and not marked and _WANTS_WORD.search(text) is None and _ASKS_PLAINLY.match(text) is None:
        asks = False
    if small_talk and not re.search(r"\d", text):
        return Segment(text, small_talk=True, thanks=thanks)
    not_yet = not asks and _NOT_YET.search(text) is not None
    done = not asks and not not_yet and _DONE.search(text) is not None
    return Segment(
        text,
        asks=asks,
        yes_no=asks and (_YES_NO.match(text) is not None or (marked and _is_yes_no(text))),
        deed=deed,
        thanks=thanks,
        fine=fine,
        done=done,
        not_yet=not_yet,
        corrects=corrects,
        lacks=_LACKS.search(text) is not None,
    )


def _is_yes_no(text: str) -> bool:
    """A question without a word for what it asks, or with an "is it so?" behind it."""
    return _ASKS_WHAT.match(text) is None or _IS_IT_SO.search(text) is not None


def _is_wish(text: str) -> bool:
    """ "The rate for Friday, please": a wish without a verb."""
    return (
        re.search(r"\bplease\W*$", text, re.IGNORECASE) is not None
        and len(words(text)) <= _SHORT_WISH
        and _DONE.search(text) is None
        and _NOT_YET.search(text) is None
    )


def _deed(text: str) -> str:
    for found in _DEED.finditer(text):
        verb = (found["verb"] or found["plain"] or found["wish"] or found["want"] or "").lower()
        if verb in _INFORMS:
            return ""
        for one in (
            verb,
            verb.removesuffix("ing"),
            verb.removesuffix("ing") + "e",
            verb[:-4] if verb.endswith("ing") else verb,
        ):
            if one in _DEEDS:
                return one
    return ""


# -- words -------------------------------------------------------------------------------------------------------

_COMMON = each_of(
    "a an the and or but if of in on at to for from by with about as is are was were be been being am do does did "
    "have has had "
    "i me my we our us you your yours he him his she her it its they them their this that these those there here "
    "what which "
    "who whom whose when where why how can could will would shall should may might must not no nor so than then too "
    "very just "
    "also please hi hello hey thanks thank ok okay yes any some all more most other such own same s t d ll m re ve "
    "don now let else "
    "get got know tell say said need want like one thing things anything something everything sam up out into over "
    "again"
)
_ALIKE = (
    "cost price expense eur euro money pay spend amount sum",
    "time hour when clock slot",
    "day date when",
    "busy occupied unavailable taken unable impossible",
    "free available availability suit possible",
    "total sum figure number amount",
    "wish want like need order",
    "squash rebase fastforward",
    "folder directory path place location where",
    "file document sheet",
    "customer client",
    "colleague person who whom somebody",
    "remove delete drop",
    "change differ difference alter update new",
    "budget forecast draft plan",
    "state status stand progress far",
    "withdraw withdrawn cancel retract quit",
    "buddy mentor",
    "token secret credential password key",
    "reason why because",
)
_GROUPS: dict[str, frozenset[str]] = {}


def stem(word: str) -> str:
    """A word without its ending."""
    for ending, put in (("ies", "y"), ("ing", ""), ("edly", ""), ("ed", ""), ("es", ""), ("s", ""), ("ly", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + put
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=2048)
def content(text: str) -> frozenset[str]:
    """The stems of the words that mean something."""
    return frozenset(stem(one) for one in words(text) if one not in _COMMON)


for _line in _ALIKE:
    _stems = frozenset(stem(one) for one in _line.split())
    for _one in _stems:
        _GROUPS[_one] = _GROUPS.get(_one, frozenset()) | _stems


def likeness(asked: frozenset[str], said: frozenset[str]) -> float:
    """How much of what is asked is spoken of in a text: 1 for all of it. Words alike count half."""
    if not asked:
        return 0.0
    score = 0.0
    for one in asked:
        if one in said:
            score += 1.0
        elif _GROUPS.get(one, frozenset()) & said:
            score += 0.5
    return score / len(asked)


_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:[,.\s]\d{3})+(?:[.,]\d{1,2})?(?!\w)|(?<![\w])\d+(?:[.,:]\d+)?(?!\d)")


@lru_cache(maxsize=1024)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a text in one spelling: 1,240.00 and 1240 are the same, and so are 10:00 and 10."""
    found = set()
    for one in _NUMBER.findall(text):
        plain = re.sub(r"[,.\s](?=\d{3}(?:\D|$))", "", one).replace(",", ".").replace(":", ".")
        plain = re.sub(r"\.0+$", "", plain)
        found.add(plain.lstrip("0") or "0")
    return frozenset(found)
