"""What somebody states by themselves: no bargain, no doubt, and nothing put into the mouth of others.

Evidence is taken from such words alone. Plain rules, narrow on purpose: whoever brings an example is not to be asked
for it again because of how they put it.
"""

from __future__ import annotations

import re

_CONSENT = r"(?:you|we|i)\b.{0,24}\b(?:agree|approve|accept|merge|allow|sign off|give your (?:ok|yes))d?\b"
_WHEN = r"(?:if|when|once|as soon as|in case|provided)"
_BARGAIN = re.compile(rf"\b{_WHEN}\b.*\b{_CONSENT}|\b{_CONSENT}.*\b{_WHEN}\b", re.IGNORECASE)
"""The example itself may be told with "when I take it out", so that alone is none."""
_FROM_OTHERS = re.compile(
    r"(?i:\b(?:handbook|manual|polic(?:y|ies)|guidelines?|rules?|wiki|minutes|memo|contract) (?:\w+ ){0,2}?"
    r"(?:says?|said|states?|stated|reads?|allows?|tells?)\b)"
    r"|(?i:\byou (?:\w+ )?(?:said|told|wrote|agreed|confirmed|asked|promised|want(?:ed)?|wish(?:ed)?|need(?:ed)?)\b)"
    r"|(?i:^\W*your (?:condition|question|request|example|words)\b|^\W*(?:say it with me|repeat(?: after me)?)\b)"
    r"|^\W*@?[a-z]+\.[a-z]+\W*(?:\d{1,2}:\d{2}\W*)?:"
    r"|^\W*[A-Z]\w+ [A-Z]\w+\W+\d{1,2}:\d{2}\b"
)
"""A document, the colleague themselves, a line of chat."""
_DOUBT = re.compile(
    r"\b(?:whether|maybe|perhaps|might|hopefully|probably|possibly|i (?:guess|hope|suppose|wonder)|let us|let's"
    r"|nobody has seen|(?:cannot|can't|could not|couldn't|have not|haven't) (?:show|seen|prove|check))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!()–—]+\s|\s+(?:but|and)\s+", re.IGNORECASE)


def stated_in(text: str) -> str:
    """What a sentence states; empty when that is nothing."""
    if _BARGAIN.search(text) or _FROM_OTHERS.search(text):
        return ""
    if _DOUBT.search(text) is None:
        return text
    return ", ".join(one for one in _CLAUSE.split(text) if _DOUBT.search(one) is None)
