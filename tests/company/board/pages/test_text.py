"""Descriptions between what is stored, what is shown and what is edited."""

from __future__ import annotations

import pytest

from dayjob.company.board import markup
from dayjob.company.board.pages.text import shown, source, stored


@pytest.mark.parametrize(
    "text",
    [
        "One line.",
        "Two words: **bold** and *slanted*, ~~struck~~, `code`.",
        "First.\n\nSecond.",
        "# Heading\n\nText",
        "-  one\n-  two",
        "1. one\n2. two",
        "> quoted",
        "```\na < b\n  c\n```",
        "[a link](https://example.com/x)",
        "---",
        r"Not \*bold\*, not \[a link\], 2 \< 3.",
        "3.5 hours",
        r"\# no heading",
        r"1\. no list",
    ],
)
def test_markdown_comes_back_as_it_was_written(text: str) -> None:
    html = markup.clean(stored(text))
    assert source(html) == text
    assert markup.clean(stored(source(html))) == html


@pytest.mark.parametrize("html", ["<table><tbody><tr><td>1</td></tr></tbody></table>", "<p><u>under</u></p>"])
def test_what_markdown_cannot_say_is_edited_as_html(html: str) -> None:
    assert source(html) == html
    assert stored(html) == html


def test_tags_in_markdown_are_kept_as_text() -> None:
    html = markup.clean(stored("<script>alert(1)</script> and <b>this</b>"))
    assert html == "<p>&lt;script&gt;alert(1)&lt;/script&gt; and &lt;b&gt;this&lt;/b&gt;</p>"


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ('<p style="color:red" class="x" id="main" onclick="alert(1)">a</p>', "<p>a</p>"),
        ("<h1>Top</h1>", "<h3>Top</h3>"),
        ('<a href="javascript:alert(1)">a</a>', "<a>a</a>"),
        ('<a href=" java\tscript:alert(1)">a</a>', "<a>a</a>"),
        ("<script>alert(1)</script>b", "<p>b</p>"),
        ("<p>open", "<p>open</p>"),
        ("</div></main>x", "<p>x</p>"),
        ('<form action="/x"><input name="a"><button>b</button></form>', "b"),
        ('<input type="checkbox" checked>', '<input type="checkbox" disabled checked aria-label="done">'),
    ],
)
def test_only_harmless_html_is_shown(html: str, safe: str) -> None:
    assert shown(html) == safe


def test_pictures_from_elsewhere_are_links_to_them() -> None:
    assert "<img" not in shown('<img src="https://evil.test/pixel.png" alt="pixel">')
    assert 'href="https://evil.test/pixel.png"' in shown('<img src="https://evil.test/pixel.png" alt="pixel">')
