"""What kind of question it is: for more, for a reason, for a yes, for the same again."""

from __future__ import annotations

import re

from dayjob.npc.understanding import Segment
from dayjob.npc.words import content, each_of, stem
from dayjob.task.colleague_sheet import Cue

_MORE = re.compile(
    r"\b(?:anything|something|what|who|anyone|anybody) (?:else|more|further|beyond)\b|\bnothing (?:else|more"
    r"|further|beyond)\b(?! \w+s\b)|\bis that (?:all|everything"
    r"|it)\b|\bthat'?s (?:all|it|everything)\s*\?|\bany other\b",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"^\W*(?:ok|okay|fine|agreed|deal|sure|really|certain|positive|seriously|honestly|correct|right"
    r"|final(?: answer)?|still)\W*$"
    r"|\b(?:are you (?:really |quite "
    r"|absolutely )?(?:sure|certain)|really|(?:current|up to date|valid|final)\b.{0,20}\?|is that (?:right|correct"
    r"|so|true|certain|final)|sure about|certain"
    r"|double[- ]check|"
    r"\bstill (?:the case|valid|true|right|so|correct|stands?|current|the same)\b|\bnothing (?:has |was "
    r"|is )?(?:been )?(?:added|changed|new)\b|\bany (?:changes?|news) since\b|did i (?:get|understand)|(?:right"
    r"|correct|true)\s*\?\s*$|to (?:confirm|be sure|double)|confirm|so (?:it|that"
    r"|you|i|we)\b)|^\W*so\b(?!.*\b(?:what|which|who|when|where|why|how)\b).*\?",
    re.IGNORECASE,
)
GENERAL = frozenset(
    stem(one)
    for one in each_of(
        "help look need want wish do proceed handle go way like prefer before condition require requirement step exact "
        "exactly show see work time today now already finally moment ok okay approval approve yes please try last "
        "first "
        "next again info information detail question answer expect fulfil item list point case right ready start begin "
        "minute check confirm tell explain repeat remind mean clear matter topic part side team morning plan word "
        "send give "
        "advise guidance input opinion view take think case start finish else missing miss note order everything all "
        "still "
        "have know hear share provide name say there here it me us"
    )
)
_REPEAT = re.compile(
    r"\b(?:repeat|say (?:that|it) again|once (?:more|again)|come again|pardon|what did you say|what was (?:that"
    r"|it) again|again,? please"
    r"|remind me|didn't (?:get|catch) (?:that|it)|sorry,? what)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|and|so|but|thanks|sorry|hm+|then)[\s,.!]*)*(?:how (?:much|many|long|so)|when"
    r"|which(?: (?:one|ones|of (?:them|the two)))?|who|where"
    r"|what|all day(?:,? or .*)?|the whole .*|each|both(?: of (?:them|those))?|per (?:month|person|day)|in total"
    r"|from when|at what time|what time"
    r"|exactly|meaning|namely|as in|(?:just|only) (?:that|this|those|these|the one|it)(?:,? or (?:more"
    r"|others?)(?: than (?:one|that))?)?|more than (?:that|one)"
    r"|(?:is|are|was) (?:that|it|this|they|those) (?:for|on|in) (?:each|every|all|both|the whole|any) (?:of )?\w+"
    r"|the other (?:days?|ones?|two)(?:,? nothing at all)?|nothing at all)"
    r"(?: (?:is|was|are|were) (?:it|that|this|those|they))?(?: (?:exactly|then|again|please))?\W*$",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:why|how come|how so|what for|for what reason|the reason|because of what)\b", re.IGNORECASE)

_LATER = re.compile(
    r"\b(?:tell|let|ping|write to|warn|inform|message|notify)\b.{0,12}\b(?:me|us)\b(?: know)?.{0,25}\b(?:if|when"
    r"|once|as soon as|should|in case)\b"
    r"|\b(?:if|when|once|as soon as|should|in case)\b.*\b(?:would|will|can|could) you (?:please )?(?:tell|let|ping"
    r"|warn|inform|message|notify|write to) (?:me|us)\b",
    re.IGNORECASE,
)
_WHO_KNOWS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|and|so|but|then|hm+|thanks)[\s,]+)*(?:do you know )?who (?:else )?(?:would|could|might"
    r"|may|does|will|can)"
    r" (?:then |else |probably |perhaps )?(?:know|tell me|answer|help)\b|\bwho (?:else )?(?:knows|should i ask"
    r"|can i ask|do i ask|could i ask|to ask|is the right person)\b",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\b(?:do|would|will|can|could|are|did|have) you\b.*"
    r"\b(?:agree|approve|accept|allow|sign off|fine|ok|okay|happy)d?\b"
    r"|\b(?:ok|okay|fine|alright|all right) (?:with|for|by) you\b|\byour (?:ok|agreement|approval|consent|yes)\b"
    r"|\b(?:may|can|shall|should) (?:i|we) (?:go ahead|proceed|start|begin)\b",
    re.IGNORECASE,
)
_GIVE = re.compile(
    r"\b(?:(?:can|could|would|will) you (?:please )?|please )(?:share|give|provide|send|let)\b", re.IGNORECASE
)


def own_words(segment: Segment, matter: tuple[Cue, ...]) -> int:
    """How many words a question has beside those of the matter, and of any request."""
    spoken = {stem(word) for cue in matter for word in cue.words}
    own = {one for one in content(segment.text) if one not in GENERAL}
    return sum(not any(one.startswith(word) for word in spoken) for one in own)


def is_general(segment: Segment, matter: tuple[Cue, ...]) -> bool:
    """A question that asks for whatever there is to say."""
    return own_words(segment, matter) == 0


def wants_more(segment: Segment) -> bool:
    return _MORE.search(segment.text) is not None


def wants_certainty(segment: Segment) -> bool:
    return _SURE.search(segment.text) is not None


def wants_repetition(segment: Segment) -> bool:
    return _REPEAT.search(segment.text) is not None


def is_bare(segment: Segment) -> bool:
    """ "How much?", "which one?": a question with nothing in it but the asking."""
    return _BARE.match(segment.text) is not None


def wants_consent(segment: Segment) -> bool:
    """Whether the other asks for their yes."""
    return _CONSENT.search(segment.text) is not None


def wants_something_given(segment: Segment) -> bool:
    """ "Could you give me access?": put as a question, and a deed for somebody who may do it."""
    return segment.asks and _GIVE.search(segment.text) is not None


def wants_reason(segment: Segment) -> bool:
    return _WHY.search(segment.text) is not None


def wants_somebody(segment: Segment) -> bool:
    """ "Who would know?": whom to ask instead."""
    return _WHO_KNOWS.search(segment.text) is not None


def wants_word_later(segment: Segment) -> bool:
    """ "Would you tell me if it changes?": a word when something happens."""
    return _LATER.search(segment.text) is not None
