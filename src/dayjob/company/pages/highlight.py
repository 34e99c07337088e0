"""Source text in colour: lines of HTML with the classes of `code.css`, in light and dark. Pygments is imported late."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]  # it ships no types

LIMIT = 200_000
"""Longer texts are shown without colour."""
_LONGEST_LINE = 1000
_MOST_BLANK_LINES = 50
_LANGUAGES = {
    "python", "json", "yaml", "toml", "bash", "console", "javascript", "typescript", "html", "xml", "css", "scss",
    "sql", "go", "rust", "java", "c", "cpp", "ruby", "php", "lua", "kotlin", "swift", "diff", "ini", "docker", "make",
    "graphql", "http", "properties",
}  # fmt: skip
"""What is coloured: lexers that were seen to take linear time on text that tries to keep them busy. There are 500 more,
and whoever writes a text names the one that reads it."""


def lines(text: str, filename: str) -> list[str]:
    """Each line of a file as HTML; a token that spans lines is closed and opened again at each."""
    return _lines(text, _by_filename(filename) if _calm(text) else None)


def block(text: str, language: str) -> str:
    """A piece of code whose language has been named."""
    return "\n".join(_lines(text.removesuffix("\n"), _by_language(language) if _calm(text) else None))


def _calm(text: str) -> bool:
    """Whether colouring the text takes no longer than its length says: lexers are slow on endless lines and gaps."""
    if len(text) > LIMIT or any(len(line) > _LONGEST_LINE for line in text.split("\n")):
        return False
    return "\n" * _MOST_BLANK_LINES not in text.translate(_NO_BLANKS)


_NO_BLANKS = str.maketrans("", "", " \t\r\f\v")


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
        return _known(get_lexer_for_filename(filename.rpartition("/")[2], ensurenl=False, stripnl=False))
    except ClassNotFound:
        return None


@lru_cache(256)
def _by_language(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return _known(get_lexer_by_name(language, ensurenl=False, stripnl=False))
    except ClassNotFound:
        return None


def _known(lexer: Lexer) -> Lexer | None:
    return None if _LANGUAGES.isdisjoint(lexer.aliases) else lexer
