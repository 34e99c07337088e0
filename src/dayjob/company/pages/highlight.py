"""Source text in colour: lines of HTML with the classes of `code.css`, in light and dark. Pygments is imported late."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]  # it ships no types

LIMIT = 400_000
"""Longer texts are shown without colour."""


def lines(text: str, filename: str) -> list[str]:
    """Each line of a file as HTML; a token that spans lines is closed and opened again at each."""
    return _lines(text, _by_filename(filename) if len(text) <= LIMIT else None)


def block(text: str, language: str) -> str:
    """A piece of code whose language has been named."""
    return "\n".join(_lines(text.removesuffix("\n"), _by_language(language) if len(text) <= LIMIT else None))


def _lines(text: str, lexer: Lexer | None) -> list[str]:
    if lexer is None:
        return [escape(line) for line in text.split("\n")]
    from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]  # it ships no types

    found, line = [], ""
    for kind, value in lexer.get_tokens(text):
        while kind not in STANDARD_TYPES:
            kind = kind.parent
        name = STANDARD_TYPES[kind]
        for at, piece in enumerate(value.split("\n")):
            if at:
                found.append(line)
                line = ""
            if piece:
                line += f'<span class="hl-{name}">{escape(piece)}</span>' if name else escape(piece)
    return [*found, line]


@lru_cache(256)
def _by_filename(filename: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename  # type: ignore[import-untyped]  # it ships no types
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # it ships no types

    try:
        return get_lexer_for_filename(filename.rpartition("/")[2], ensurenl=False, stripnl=False)
    except ClassNotFound:
        return None


@lru_cache(256)
def _by_language(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, ensurenl=False, stripnl=False)
    except ClassNotFound:
        return None
