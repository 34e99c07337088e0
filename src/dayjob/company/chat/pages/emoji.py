"""Emoji by their short names, as people type them between colons; what is not here stays as it was typed."""

from __future__ import annotations

import re
from pathlib import Path

_WORDS = Path(__file__).with_name("emoji.txt").read_text("utf-8").split()
GLYPHS = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
PICKER = (
    "+1", "heart", "joy", "smile", "tada", "eyes", "pray", "clap", "fire", "rocket", "white_check_mark", "x",
    "thinking",
    "wave", "raised_hands", "ok_hand", "100", "sparkles", "muscle", "bulb", "cry", "sob", "confused", "open_mouth",
    "sunglasses", "partying_face", "coffee", "cake", "seedling", "sunflower", "star", "warning", "question", "memo",
    "calendar", "bug",
)  # fmt: skip
_CODE = re.compile(r":([0-9a-z_+-]{1,40}):")


def glyph(name: str) -> str:
    """The sign for `:name:` (with or without colons), or the name between colons."""
    bare = name.strip(":")
    return GLYPHS.get(bare, f":{bare}:")


def replaced(text: str) -> str:
    """A text with its known short names as signs."""
    return _CODE.sub(lambda found: GLYPHS.get(found[1], found[0]), text)
