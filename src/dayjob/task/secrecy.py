"""What a colleague must not say: the author's secrets, and the private parts of their own briefing.

Checked on what is about to be sent, whoever wrote it, so that no persuasion of a model can undo it. Phrases are found
whatever their case, spacing, punctuation or letter shapes; a pattern between slashes is searched as it is.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_RUN = 6
"""So many words in a row from a private text are no coincidence."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


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


def flattened(text: str) -> str:
    """Letters and digits only, in one shape: "14. März" and "14 - MÄRZ" are the same."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def copied_from(text: str, private: Iterable[str], free: Iterable[str] = ()) -> str | None:
    """A run of words the text has from a private one, unless a text that may be shared has it too."""
    shared = {run for one in free for run in _runs(one)}
    hidden = {run for one in private for run in _runs(one)} - shared
    return next((" ".join(run) for shown in _disguises(text) for run in _runs(shown) if run in hidden), None)


def _runs(text: str) -> list[tuple[str, ...]]:
    found = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return [tuple(found[at : at + _RUN]) for at in range(len(found) - _RUN + 1)]


def _disguises(text: str) -> list[str]:
    """The text, and what it is when read backwards, in rot13, or decoded from base64."""
    found = [text, text[::-1], codecs.encode(text, "rot13")]
    for part in _BASE64.findall(text):
        try:
            found.append(base64.b64decode(part + "=" * (-len(part) % 4), validate=True).decode("utf-8"))
        except (binascii.Error, ValueError):
            continue
    return found
