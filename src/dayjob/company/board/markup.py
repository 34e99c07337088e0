"""HTML that people send for descriptions and comments: kept as they wrote it, without anything that can run.

`clean` answers with well-formed HTML of harmless elements only; `plain` with the text inside.
"""

from __future__ import annotations

import html
from html.parser import HTMLParser

_VOID = frozenset({"br", "hr", "img", "input", "col"})
_KEPT = _VOID | {
    "a", "b", "blockquote", "code", "colgroup", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins",
    "label", "li", "mark", "ol", "p", "pre", "s", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td",
    "th", "thead", "tr", "u", "ul", "image-component", "mention-component",
}  # fmt: skip
# Elements whose content is not text for people.
_SILENT = frozenset({"script", "style", "iframe", "object", "embed", "svg", "math", "template", "noscript", "title"})
_ATTRIBUTES = frozenset(
    {
        "alt", "checked", "class", "colspan", "height", "href", "id", "rel", "rowspan", "src", "style", "target",
        "title", "type", "width", "entity_identifier", "entity_name", "aspectratio", "start",
    }
)  # fmt: skip
_SCHEMES = ("http://", "https://", "mailto:", "/", "#")


class _Cleaner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        if self._silent or tag not in _KEPT:
            return
        self.out.append(f"<{tag}{''.join(self._attribute(*one) for one in attrs)}>")
        if tag not in _VOID:
            self._open.append(tag)

    def _attribute(self, name: str, value: str | None) -> str:
        value = value or ""
        if not (name in _ATTRIBUTES or name.startswith("data-")):
            return ""
        if name in ("href", "src") and not value.strip().lower().startswith(_SCHEMES):
            return ""
        if name == "style" and any(sign in value.lower() for sign in ("url(", "expression", "@import", "\\")):
            return ""
        return f' {name}="{html.escape(value)}"'

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif not self._silent and tag in self._open:
            while self._open:
                closed = self._open.pop()
                self.out.append(f"</{closed}>")
                if closed == tag:
                    break

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.out.append(html.escape(data, quote=False))
            self.text.append(data)

    def finish(self) -> None:
        self.close()
        while self._open:
            self.out.append(f"</{self._open.pop()}>")


def _parse(text: str) -> _Cleaner:
    cleaner = _Cleaner()
    cleaner.feed(text)
    cleaner.finish()
    return cleaner


def clean(text: str) -> str:
    """Harmless HTML; bare text becomes a paragraph."""
    cleaned = "".join(_parse(text).out)
    return f"<p>{cleaned}</p>" if cleaned and not cleaned.lstrip().startswith("<") else cleaned


def plain(text: str) -> str:
    """The words of an HTML text."""
    return "".join(_parse(text).text).strip()
