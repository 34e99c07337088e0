"""Markdown to HTML that is safe to show, for every service: tags are shown, not obeyed; nothing is fetched elsewhere.

A service adds its own references (`@name`, `#channel`, `!12`) with a pattern and a function that finds their address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dayjob.company.journal import current

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Find = Callable[[re.Match[str]], str | None]
"""The address a reference leads to; None leaves it as text."""
_URL = re.compile(r"https?://[^\s<>\"'`\\]{2,2000}(?<![.,;:!?)\]}])")
_TASK = re.compile(r"\[([ xX])\] ")
_SCHEMES = ("", "http", "https", "mailto")
ONE_TEXT = 400_000
"""The work that one text may take, in about microseconds."""
ONE_REQUEST = 800_000
"""The work that all texts of one request may take together."""
_REFERENCES = 500
"""How many references of one text are looked up."""
_COSTLY = "[|*_~`<!#-"
_spent: ContextVar[list[int] | None] = ContextVar("markdown_spent", default=None)


@contextmanager
def budget() -> Iterator[None]:
    """Texts formatted inside share what one request may take, where there is no request (a websocket)."""
    token = _spent.set([0])
    try:
        yield
    finally:
        _spent.reset(token)


def _affordable(text: str) -> bool:
    """Whether formatting the text fits into what is left for this request; if so, it is counted."""
    work = 2 * len(text) + 60 * text.count("\n") + 30 * sum(map(text.count, _COSTLY))
    if work > ONE_TEXT:
        return False
    shared, visit = _spent.get(), current.get()
    if shared is not None:
        shared[0] += work
        return shared[0] <= ONE_REQUEST
    if visit is not None and not visit.recorded:
        visit.formatting += work
        return visit.formatting <= ONE_REQUEST
    return True


@cache
def _parser(breaks: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    found = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": breaks})
    found.enable(["table", "strikethrough"])
    found.validateLink = _safe  # type: ignore[method-assign, assignment]  # this is how the library lets itself be told
    return found


def _safe(address: str) -> bool:
    try:
        return urlsplit(address.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def render(
    text: str,
    *,
    breaks: bool = False,
    star_is_bold: bool = False,
    references: Sequence[tuple[re.Pattern[str], Find]] = (),
    words: Callable[[str], str] | None = None,
) -> str:
    """The text as HTML. As in chat, `breaks` keeps line ends and `star_is_bold` makes `*this*` bold.

    `words` may rewrite plain text: never code, addresses or tags. A text that would take long stays as it is.
    """
    if not _affordable(text):
        return f'<pre tabindex="0">{escape(text)}</pre>\n'
    parser = _parser(breaks)
    tokens = parser.parse(text)
    left = [_REFERENCES]
    patterns = [(_URL, lambda found: found[0]), *((one, _sparing(find, left)) for one, find in references)]
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = _outside(_refer(token.children, patterns))
            for child in token.children:
                if words is not None and child.type == "text":
                    child.content = words(child.content)
                if star_is_bold and child.tag == "em" and child.markup == "*":
                    child.tag = "strong"
    _tasks(tokens)
    _finish(tokens)
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html


def _refer(children: list[Token], patterns: Sequence[tuple[re.Pattern[str], Find]]) -> list[Token]:
    """Turn addresses and references in plain text into links; text that is part of a link already stays."""
    found: list[Token] = []
    inside = 0
    for child in children:
        inside += child.nesting if child.type in ("link_open", "link_close") else 0
        found += [child] if inside or child.type != "text" else _split(child, patterns)
    return found


def _split(token: Token, patterns: Sequence[tuple[re.Pattern[str], Find]]) -> list[Token]:
    """One text as texts and links: each pattern in turn looks at what those before it left."""
    found = [token]
    for pattern, find in patterns:
        found = [
            one
            for part in found
            for one in (_linked(part, pattern, find) if part.type == "text" and not part.meta.get("linked") else [part])
        ]
    return found


def _linked(token: Token, pattern: re.Pattern[str], find: Find) -> list[Token]:
    from markdown_it.token import Token as New

    found: list[Token] = []
    at = 0
    for match in pattern.finditer(token.content):
        address = find(match)
        if address is None or not _safe(address):
            continue
        kind = {} if pattern is _URL else {"class": "reference"}
        found += [
            New("text", "", 0, content=token.content[at : match.start()]),
            New("link_open", "a", 1, attrs={"href": address, **kind}),
            New("text", "", 0, content=match[0], meta={"linked": True}),
            New("link_close", "a", -1),
        ]
        at = match.end()
    return [*found, New("text", "", 0, content=token.content[at:])] if found else [token]


def _sparing(find: Find, left: list[int]) -> Find:
    """The same search, asked once for each reference, and for no more of them than are left."""
    known: dict[str, str | None] = {}

    def once(match: re.Match[str]) -> str | None:
        if match[0] not in known:
            if not left[0]:
                return None
            left[0] -= 1
            known[match[0]] = find(match)
        return known[match[0]]

    return once


def _outside(children: list[Token]) -> list[Token]:
    """Links that leave this server open elsewhere and tell nobody; pictures from elsewhere become links to them."""
    found: list[Token] = []
    for child in children:
        if child.type == "link_open" and urlsplit(str(child.attrs.get("href", ""))).netloc:
            child.attrs |= {"rel": "nofollow noreferrer noopener", "target": "_blank"}
        if child.type == "image" and (urlsplit(str(child.attrs.get("src", ""))).netloc):
            found += _picture_link(child)
        else:
            found.append(child)
    return found


def _picture_link(image: Token) -> list[Token]:
    from markdown_it.token import Token as New

    source = str(image.attrs["src"])
    attributes: dict[str, str | int | float] = {
        "href": source,
        "rel": "nofollow noreferrer noopener",
        "target": "_blank",
    }
    return [
        New("link_open", "a", 1, attrs=attributes),
        New("text", "", 0, content=image.content or source),
        New("link_close", "a", -1),
    ]


def _tasks(tokens: list[Token]) -> None:
    """`- [x] done` shows a ticked box."""
    from markdown_it.token import Token as New

    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or inline.type != "inline" or not inline.children:
            continue
        first = inline.children[0]
        match = _TASK.match(first.content) if first.type == "text" else None
        if match is None:
            continue
        item.attrs["class"] = "task-list-item"
        first.content = first.content[match.end() :]
        done = match[1] != " "
        # `html_inline` is written here only: the parser makes none, because its HTML is off.
        label = escape("".join(child.content for child in inline.children))
        box = f'<input type="checkbox" disabled{" checked" if done else ""} aria-label="{label}"> '
        inline.children.insert(0, New("html_inline", "", 0, content=box))


def _finish(tokens: list[Token]) -> None:
    """Colour the blocks that name their language, and let the keyboard reach whatever may have to scroll."""
    for token in tokens:
        if token.type in ("fence", "code_block"):
            language = token.info.strip().split(" ")[0]
            html = _coloured(token.content, language) if language else escape(token.content)
            named = f' class="language-{escape(language)}"' if language else ""
            # `html_block` is written here only, like `html_inline` above.
            token.type, token.content = "html_block", f'<pre tabindex="0"><code{named}>{html}</code></pre>\n'
        elif token.type == "table_open":
            token.attrs["tabindex"] = "0"


def _coloured(text: str, language: str) -> str:
    from dayjob.company.pages.highlight import block

    return block(text, language)
