"""HTML that people send for descriptions and comments: kept as they wrote it, without anything that can run.

`clean` answers with well-formed HTML of harmless elements only; `plain` with the text inside.
"""

from __future__ import annotations

import html

import nh3

_KEPT = {
    "a", "b", "blockquote", "br", "code", "col", "colgroup", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "img", "input", "ins", "label", "li", "mark", "ol", "p", "pre", "s", "span", "strike", "strong", "sub",
    "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul", "image-component", "mention-component",
}  # fmt: skip
# Elements whose content is not text for people.
_SILENT = {"script", "style", "iframe", "object", "embed", "svg", "math", "template", "noscript", "title"}
_ATTRIBUTES = {
    "alt", "checked", "class", "colspan", "height", "href", "id", "rel", "rowspan", "src", "style", "target", "title",
    "type", "width", "entity_identifier", "entity_name", "aspectratio", "start",
}  # fmt: skip
_SCHEMES = ("http://", "https://", "mailto:", "/", "#")


def _harmless(_: str, name: str, value: str) -> str | None:
    if name in ("href", "src") and not value.strip().lower().startswith(_SCHEMES):
        return None
    if name == "style" and any(sign in value.lower() for sign in ("url(", "expression", "@import", "\\")):
        return None
    return value


_CLEANER = nh3.Cleaner(
    tags=_KEPT,
    clean_content_tags=_SILENT,
    attributes={"*": _ATTRIBUTES},
    generic_attribute_prefixes={"data-"},
    attribute_filter=_harmless,
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)
_WORDS = nh3.Cleaner(tags=set(), clean_content_tags=_SILENT)


def clean(text: str) -> str:
    """Harmless HTML; bare text becomes a paragraph."""
    cleaned = _CLEANER.clean(text)
    return f"<p>{cleaned}</p>" if cleaned and not cleaned.lstrip().startswith("<") else cleaned


def plain(text: str) -> str:
    """The words of an HTML text."""
    return html.unescape(_WORDS.clean(text)).strip()
