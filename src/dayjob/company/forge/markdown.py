"""Markdown to HTML that is safe to show: no raw HTML, no script links."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": False}).enable(
        ["table", "strikethrough"]
    )


def render(text: str) -> str:
    """The text as HTML. Tags in it are shown, not obeyed."""
    found: str = _renderer().render(text)
    return found
