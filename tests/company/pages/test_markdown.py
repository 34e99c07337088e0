"""Markdown is shown, never run; references lead where the service says; code has colours."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from dayjob.company.pages import highlight
from dayjob.company.pages.markdown import render


class Elements(HTMLParser):
    """What a browser would make of a text: its elements, each with the names of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, [name for name, _ in attrs]))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '- [ ] <img src=x onerror=alert(1)> " onfocus=alert(1) autofocus',
        "```html\n<script>alert(1)</script>\n```",
        '```"><script>alert(1)</script>\n<script>\n```',
    ],
)
def test_tags_are_shown_not_obeyed(text: str) -> None:
    found = Elements()
    found.feed(render(text))
    assert found.tags
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert not [name for _, names in found.tags for name in names if name.startswith("on") or name == "autofocus"]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x"])
def test_links_that_run_something_are_no_links(address: str) -> None:
    assert "<a" not in render(f"[click]({address})")
    assert "<img" not in render(f"![click]({address})")


def test_a_bare_address_is_a_link_that_tells_nobody_where_it_was() -> None:
    html = render("see https://example.com/a?b=1&c=2, please")
    assert '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noreferrer noopener" target="_blank">' in html
    assert "</a>, please" in html


def test_a_picture_from_elsewhere_is_a_link_and_ours_is_a_picture() -> None:
    assert "<img" not in render("![plan](https://example.com/plan.png)")
    assert '<img src="/file-upload/1/plan.png" alt="plan"' in render("![plan](/file-upload/1/plan.png)")


def test_references_become_links_but_not_inside_code_or_links() -> None:
    people = (re.compile(r"@([a-z.]+)"), lambda found: f"/direct/{found[1]}" if found[1] == "sam" else None)
    html = render("@sam and @nobody, `@sam`, [@sam](/x)", references=[people])
    assert html.count('class="reference"') == 1
    assert '<a href="/direct/sam" class="reference">@sam</a> and @nobody' in html


def test_tables_tasks_and_struck_words_are_known() -> None:
    html = render("| a |\n| - |\n| b |\n\n- [x] done\n- [ ] open\n\n~~gone~~")
    assert "<td>b</td>" in html
    assert 'disabled checked aria-label="done"' in html
    assert 'disabled aria-label="open"' in html
    assert "<s>gone</s>" in html


def test_every_line_of_a_file_is_a_whole_piece_of_html() -> None:
    found = highlight.lines('x = """one\ntwo < three"""\n', "a.py")
    assert len(found) == 3
    assert all(line.count("<span") == line.count("</span>") for line in found)
    assert "two &lt; three" in re.sub("<[^>]+>", "", found[1])
    assert highlight.lines("<b>", "unknown.kind") == ["&lt;b&gt;"]
