"""Markdown as the forge shows it: the renderer all services share."""

from __future__ import annotations

from dayjob.company.pages.markdown import render as _render


def render(text: str) -> str:
    """The text as HTML. Tags in it are shown, not obeyed."""
    return _render(text)
