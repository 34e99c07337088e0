"""A page as its reader meets it: words, links and fields in order, without the markup around them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SKIPPED = ("script", "style", "svg", "template", "head")
_ALONE = ("input", "br", "hr", "img", "meta", "link", "path", "source")
_NAMED = ("value", "checked", "selected", "disabled", "aria-current", "aria-sort", "action", "href", "open", "type")


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipped += tag not in _ALONE
        if self.skipped:
            return
        facts = dict(attrs)
        if facts.get("name") in ("authenticity_token", "requesttoken"):
            return
        if tag in ("a", "form", "input", "option", "button", "textarea", "select", "img", "details"):
            told = [facts.get("name") or "", *(f"{key}={facts[key] or ''}" for key in _NAMED if key in facts)]
            told += [f"alt={facts['alt']}"] if facts.get("alt") else []
            self.lines.append(f"<{tag} {' '.join(one for one in told if one)}>".replace(" >", ">"))
        elif tag in ("h1", "h2", "h3", "h4", "th", "li", "tr"):
            self.lines.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self.skipped -= 1

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if text and not self.skipped:
            self.lines.append(text)


def outline(page: str) -> list[str]:
    """What stands in the page's main part, or in all of it."""
    main = re.search(r"<main\b.*?</main>", page, re.DOTALL)
    reader = _Outline()
    reader.feed(main[0] if main else page)
    return reader.lines
