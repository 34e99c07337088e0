"""Descriptions and comments between three forms: HTML as it is stored, HTML fit for a page, and Markdown for editing.

What is stored was cleaned when it was written; a page is stricter: no styles, no ids, nothing fetched from elsewhere.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

from markupsafe import Markup

from dayjob.company.board import markup
from dayjob.company.pages import markdown

_VOID = frozenset({"br", "hr"})
_SHOWN = _VOID | {
    "a", "b", "blockquote", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "li", "mark",
    "ol", "p", "pre", "s", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u",
    "ul",
}  # fmt: skip
_BLOCK = re.compile(r"\s*<(p|div|h[1-6]|ul|ol|pre|blockquote|table|hr)\b[^>]*>", re.IGNORECASE)
_SPAN = re.compile(r"</?span[^>]*>")


class _Shown(HTMLParser):
    """Well-formed HTML as a page shows it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._picture(given)
        elif tag == "input" and given.get("type") == "checkbox":
            ticked = "checked" in given
            words = "done" if ticked else "not done"
            self.out.append(f'<input type="checkbox" disabled{" checked" if ticked else ""} aria-label="{words}">')
        elif tag == "mention-component":
            self.out.append("<strong>@</strong>")
        elif tag in _SHOWN:
            self.out.append(f"<{_named(tag)}{self._attributes(tag, given)}>")

    def _attributes(self, tag: str, given: dict[str, str]) -> str:
        if tag == "a" and is_web(given.get("href", "")):
            away = ' rel="nofollow noreferrer noopener" target="_blank"' if urlsplit(given["href"]).netloc else ""
            return f' href="{html.escape(given["href"])}"{away}'
        if tag in ("td", "th"):
            spans = (name for name in ("colspan", "rowspan") if given.get(name, "").isdigit())
            return "".join(f' {name}="{given[name]}"' for name in spans)
        if tag == "ol" and given.get("start", "").isdigit():
            return f' start="{given["start"]}"'
        return ' tabindex="0"' if tag in ("pre", "table") else ""

    def _picture(self, given: dict[str, str]) -> None:
        """A picture stands elsewhere; whoever wants to see it goes there."""
        source, words = given.get("src", ""), given.get("alt", "") or "picture"
        if is_web(source):
            self.out.append(f'<a href="{html.escape(source)}" rel="nofollow noreferrer noopener" target="_blank">')
            self.out.append(f"{html.escape(words)}</a>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SHOWN and tag not in _VOID:
            self.out.append(f"</{_named(tag)}>")

    def handle_data(self, data: str) -> None:
        self.out.append(html.escape(data, quote=False))


def _named(tag: str) -> str:
    """The page has its own first headings, so those of a text begin below them."""
    return f"h{min(6, int(tag[1]) + 2)}" if re.fullmatch(r"h[1-6]", tag) else tag


def is_web(address: str) -> bool:
    try:
        return urlsplit(address.strip()).scheme.lower() in ("http", "https", "mailto", "") and bool(address.strip())
    except ValueError:
        return False


def shown(stored: str) -> Markup:
    """Stored HTML, safe to put into a page."""
    parser = _Shown()
    parser.feed(markup.clean(stored))
    parser.close()
    return Markup("".join(parser.out))


def stored(text: str) -> str:
    """What a person typed, as HTML: Markdown, unless it begins with a block of HTML itself."""
    if _BLOCK.match(text):
        return text
    return _SPAN.sub("", markdown.render(text)).strip() or "<p></p>"


# -- for editing -------------------------------------------------------------------------------------------------

_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "s": "~~", "del": "~~", "strike": "~~"}
_PLAIN = frozenset({"p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "a", "div", "span", "input"})
_SPECIAL = re.compile(r"([\\`*\[\]<]|(?<!\w)_|_(?!\w))")
_LEADING = re.compile(r"^(\s*)(#{1,6}(?=\s)|[-+>](?=\s|$)|\d{1,9}[.)](?=\s))")


class _NotMarkdown(Exception):
    """Something in the HTML has no Markdown."""


class _Written(HTMLParser):
    """Blocks of Markdown from simple HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._line = ""
        self._lists: list[int | None] = []
        self._marker = ""
        self._quotes = 0
        self._code = False
        self._pre = False
        self._links: list[str] = []
        self._heading = ""

    def _end(self) -> None:
        text = self._line if self._pre else self._line.strip()
        self._line = ""
        if not text and not self._marker:
            return
        if not self._pre and not self._marker and not self._heading:
            text = (
                _LEADING.sub(r"\1\\\2", text)
                if not re.match(r"\s*\d", text)
                else re.sub(r"^(\d+)([.)])", r"\1\\\2", text)
                if _LEADING.match(text)
                else text
            )
        depth = max(0, len(self._lists) - 1)
        lead = "> " * self._quotes + "   " * depth
        rest = lead + ("   " if self._lists else "")
        first = lead + self._marker if self._marker else rest
        lines = (self._heading + text).split("\n")
        self.blocks.append("\n".join([first + lines[0], *(rest + one for one in lines[1:])]))
        self._marker = self._heading = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _MARKS:
            self._line += _MARKS[tag]
        elif re.fullmatch(r"h[1-6]", tag):
            self._end()
            self._heading = "#" * int(tag[1]) + " "
        elif tag not in _PLAIN:
            raise _NotMarkdown(tag)
        elif tag == "br":
            self._line += "  \n"
        elif tag == "code":
            self._code = True
            self._line += "" if self._pre else "`"
        elif tag == "a":
            self._links.append(given.get("href", ""))
            self._line += "["
        elif tag == "input":
            self._line += "[x] " if "checked" in given else "[ ] "
        elif tag != "span":
            self._open_block(tag, given)

    def _open_block(self, tag: str, given: dict[str, str]) -> None:
        self._end()
        if tag == "hr":
            self.blocks.append("---")
        elif tag in ("ul", "ol"):
            start = given.get("start", "1")
            self._lists.append((int(start) if start.isdigit() else 1) if tag == "ol" else None)
        elif tag == "li":
            if not self._lists:
                raise _NotMarkdown(tag)
            number = self._lists[-1]
            self._marker = "-  " if number is None else f"{number}. "
            if number is not None:
                self._lists[-1] = number + 1
        elif tag == "blockquote":
            self._quotes += 1
        elif tag == "pre":
            self._pre = True
            self._line = "```\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in _MARKS:
            self._line += _MARKS[tag]
        elif tag == "code":
            self._code = False
            self._line += "" if self._pre else "`"
        elif tag == "a" and self._links:
            self._line += f"]({self._links.pop()})"
        elif tag == "pre":
            self._line = self._line.rstrip("\n") + "\n```"
            self._end()
            self._pre = False
        elif tag in ("ul", "ol"):
            self._end()
            if self._lists:
                self._lists.pop()
        elif tag == "blockquote":
            self._end()
            self._quotes = max(0, self._quotes - 1)
        elif tag not in ("span", "br", "input"):
            self._end()

    def handle_data(self, data: str) -> None:
        if self._pre or self._code:
            self._line += data
        else:
            self._line += _SPECIAL.sub(r"\\\1", re.sub(r"\s+", " ", data)) if data.strip() or self._line else ""


def source(stored: str) -> str:
    """Stored HTML as the Markdown it could have been written in; as HTML where Markdown has no words for it."""
    writer = _Written()
    try:
        writer.feed(stored)
        writer.close()
        writer._end()
    except _NotMarkdown:
        return stored
    text = ""
    for block in writer.blocks:
        item = re.match(r"(> )*\s*(-  |\d+\. )", block)
        last = re.match(r"(> )*\s*(-  |\d+\. )", text.rpartition("\n\n")[2]) if text else None
        text += ("\n" if item and last else "\n\n" if text else "") + block
    return text
