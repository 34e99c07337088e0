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


class Rewriter(HTMLParser):
    """Reads HTML and writes what is kept of it to `out`, well-formed; of what is not text for people, nothing.

    A subclass says in `begin` what becomes of an element, in `named` what it is called afterwards.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._open: list[str] = []
        self._silent = 0

    def begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise NotImplementedError

    def named(self, tag: str) -> str:
        return tag

    def write(self, tag: str, attributes: str) -> None:
        name = self.named(tag)
        self.out.append(f"<{name}{attributes}>")
        if tag not in _VOID:
            self._open.append(name)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        if not self._silent:
            self.begin(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        name = self.named(tag)
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif not self._silent and name in self._open:
            while self._open:
                closed = self._open.pop()
                self.out.append(f"</{closed}>")
                if closed == name:
                    break

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.out.append(html.escape(data, quote=False))

    def rewrite(self, text: str) -> str:
        self.feed(text)
        self.close()
        return "".join(self.out) + "".join(f"</{name}>" for name in reversed(self._open))


class _Cleaner(Rewriter):
    def begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _KEPT:
            self.write(tag, "".join(self._attribute(*one) for one in attrs))

    def _attribute(self, name: str, value: str | None) -> str:
        value = value or ""
        if not (name in _ATTRIBUTES or name.startswith("data-")):
            return ""
        if name in ("href", "src") and not value.strip().lower().startswith(_SCHEMES):
            return ""
        if name == "style" and any(sign in value.lower() for sign in ("url(", "expression", "@import", "\\")):
            return ""
        return f' {name}="{html.escape(value)}"'


class _Words(Rewriter):
    def begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element leaves no trace."""

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.out.append(data)


def clean(text: str) -> str:
    """Harmless HTML; bare text becomes a paragraph."""
    cleaned = _Cleaner().rewrite(text)
    return f"<p>{cleaned}</p>" if cleaned and not cleaned.lstrip().startswith("<") else cleaned


def plain(text: str) -> str:
    """The words of an HTML text."""
    return _Words().rewrite(text).strip()
