"""What a colleague must not say: the author's secrets, what they keep back for now, and the rules they were given.

Checked on what is about to be sent, whoever wrote it, so that no persuasion of a model can undo it, and on what a task
has its colleagues say (`dayjob check`). Phrases are found whatever their case, spacing, punctuation or letter shapes; a
pattern between slashes is searched as it is. Of a text that is kept back, its figures and names must not be said.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

_RUN = 6
"""So many words in a row from a private text are no coincidence."""
_FIGURE = re.compile(r"\d{1,3}(?:[ .,'’]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d(?:[\d.,:]*\d)?")
_SENTENCE = re.compile(r"(?<=[.!?:…])\s+|\n+|[“\"(]")
_NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]+")
_ORDINARY = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|eur|usd|euros?|ok|yes|no|i['’](?:m|ve|ll|d)"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{10,}={0,2}")
# Letters of other alphabets that look like ours, and figures that stand for letters.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏոνΑΒΕΗΙΚΜΝΟΡΤΥΧΖοіАВЕКМНОРСТХІЈЅ", "aeopcyxijsdhlnvABEHIKMNOPTYXZoiABEKMHOPCTXIJS"
)
_LEET = tuple(str.maketrans("01!3457@$", f"o{one}{one}eastas") for one in "il")


@dataclass(frozen=True, slots=True)
class Secrets:
    """Phrases and patterns that must not leave."""

    entries: tuple[str | re.Pattern[str], ...] = ()

    def revealed_by(self, text: str) -> str | None:
        """The first secret the text gives away, plainly or in a common disguise; None when it keeps them all."""
        for shown in _disguises(text):
            flat = flattened(shown)
            for entry in self.entries:
                if isinstance(entry, str):
                    if flattened(entry) and flattened(entry) in flat:
                        return entry
                elif entry.search(shown):
                    return f"/{entry.pattern}/"
        return None


@dataclass(frozen=True, slots=True)
class Guard:
    """What must not be said at one moment."""

    secrets: Secrets = field(default_factory=Secrets)
    kept_back: tuple[str, ...] = ()
    """Texts whose figures and names must not be said."""
    free: tuple[str, ...] = ()
    """Texts whose figures and names may be, all the same."""
    rules: tuple[str, ...] = ()
    """Texts that must not be copied."""

    def given_away_by(self, text: str) -> str | None:
        """What the text gives away, in words that say no more than its kind; None when it keeps everything."""
        if self.secrets.revealed_by(text) is not None:
            return "what must not be revealed"
        if self.particulars_in(text):
            return "what is kept back"
        if copied_from(text, self.rules, self.free) is not None:
            return "the rules"
        return None

    def particulars_in(self, text: str) -> set[str]:
        """The figures and names of what is kept back that a text says."""
        kept = {one for each in self.kept_back for one in standing_nowhere(each, self.free)}
        shown = _bare(text)
        hidden = (word for one in _disguises(shown) for word in _words(one) if not word.isdigit())
        said = {*figures(shown), *hidden}
        return kept & said if kept else set()


def particulars(text: str) -> set[str]:
    """What somebody could not hit upon by chance: the figures of a text and the names in it.

    A name is a word with a capital letter that does not begin a sentence, or two in a row that do.
    """
    found = set(figures(text))
    for sentence in _SENTENCE.split(text):
        parts = list(_NAME.finditer(sentence))
        for at, part in enumerate(parts):
            begins = not re.search(r"\w", sentence[: part.start()])
            two = at + 1 < len(parts) and sentence[part.end() : parts[at + 1].start()] == " "
            word = part[0].casefold()
            if (not begins or two) and _ORDINARY.fullmatch(word) is None:
                found.add(word)
    return found


def standing_nowhere(text: str, known: Iterable[str]) -> set[str]:
    """The figures and names of a text that none of the others has."""
    return particulars(text) - {found for one in known for found in (*figures(one), *_words(one))}


def figures(text: str) -> set[str]:
    """The figures of a text in one spelling, those of one digit left out: 1,240.00 and 1240 are the same."""
    found = set()
    for one in _FIGURE.findall(unicodedata.normalize("NFKC", text)):
        digits = re.sub(r"\D", "", re.sub(r"[.,]0{1,2}$", "", one)).lstrip("0")
        if len(digits) > 1:
            found.add(digits)
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def flattened(text: str) -> str:
    """Letters and digits only, in one shape: "14. März" and "14 - MÄRZ" are the same."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def _bare(text: str) -> str:
    """Without what nobody sees: signs of no width, marks of text direction."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def copied_from(text: str, private: Iterable[str], free: Iterable[str] = ()) -> str | None:
    """A run of words the text has from a private one, unless a text that may be shared has it too."""
    shared = {run for one in free for run in _runs(one)}
    hidden = {run for one in private for run in _runs(one)} - shared
    return next((" ".join(run) for shown in _disguises(text) for run in _runs(shown) if run in hidden), None)


def _runs(text: str) -> list[tuple[str, ...]]:
    found = _words(text)
    return [tuple(found[at : at + _RUN]) for at in range(len(found) - _RUN + 1)]


def _disguises(text: str) -> list[str]:
    """The text, and what it is when read backwards, in rot13, in the letters that its letters and figures look like,
    or decoded from base64."""
    text = _bare(text)
    alike = text.translate(_LOOKALIKES)
    found = [text, text[::-1], codecs.encode(text, "rot13"), alike, *map(alike.translate, _LEET)]
    for part in _BASE64.findall(text):
        try:
            found.append(base64.b64decode(part + "=" * (-len(part) % 4), validate=True).decode("utf-8"))
        except (binascii.Error, ValueError):
            continue
    return found
