"""What of people's HTML the board keeps."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.board.markup import clean, plain


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("bare & text", "<p>bare &amp; text</p>"),
        ("", ""),
        ("<p>Hi <b>you</b></p>", "<p>Hi <b>you</b></p>"),
        ("<div><p>never closed", "<div><p>never closed</p></div>"),
        ("<p>a</p><script>alert(1)</script>", "<p>a</p>"),
        ("<p>a</p><style>p{}</style><svg><text>b</text></svg>", "<p>a</p>"),
        ("<p onclick='x()'>a</p>", "<p>a</p>"),
        ("<font><p>a</p></font>", "<p>a</p>"),
        ("<p>a<!-- b --></p>", "<p>a</p>"),
        ('<a href="javascript:x()">a</a>', "<a>a</a>"),
        ('<a href=" JavaScript:x()">a</a>', "<a>a</a>"),
        ('<a href="data:text/html,x">a</a>', "<a>a</a>"),
        ('<a href="other">a</a>', "<a>a</a>"),
        ('<a href="/larkspur/">a</a>', '<a href="/larkspur/">a</a>'),
        ('<a href="#there">a</a>', '<a href="#there">a</a>'),
        ('<a href="mailto:a@b.example">a</a>', '<a href="mailto:a@b.example">a</a>'),
        ('<img src="https://b.example/a.png" alt="a">', '<img src="https://b.example/a.png" alt="a">'),
        ('<img src="a.png" onerror="x()">', "<img>"),
        ('<p style="color: red">a</p>', '<p style="color: red">a</p>'),
        ('<p style="background: URL(x)">a</p>', "<p>a</p>"),
        ('<p style="width: expression(x)">a</p>', "<p>a</p>"),
        ('<p style="@import x">a</p>', "<p>a</p>"),
        ('<p style="b\\65 x">a</p>', "<p>a</p>"),
        ('<ul data-type="taskList"><li>a</li></ul>', '<ul data-type="taskList"><li>a</li></ul>'),
        (
            '<mention-component entity_identifier="1" entity_name="user_mention"></mention-component>',
            '<mention-component entity_identifier="1" entity_name="user_mention"></mention-component>',
        ),
    ],
)
def test_what_can_run_is_taken_out_and_the_rest_is_kept(sent: str, kept: str) -> None:
    assert clean(sent) == kept


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("<p>1 &lt; 2 &amp; <b>3</b></p>", "1 < 2 & 3"),
        ("<p>a</p><script>b</script>", "a"),
        ("  a <i>b</i>  ", "a b"),
        ("<p></p>", ""),
    ],
)
def test_the_words_of_a_text_are_what_a_person_reads(sent: str, words: str) -> None:
    assert plain(sent) == words


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


_PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<script>", "</script>", "<img src=x onerror=y>", "<a href='javascript:x'>", "<svg onload=x>",
        "<!--", "-->", "<math><mtext>", "<table><td>", "<style>", "</style>", "&lt;script&gt;", "<noscript>", "x",
        '"', "'", ">", "<",
    ]
)  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=12).map("".join))
def test_nothing_that_runs_is_left_however_it_is_put_together(sent: str) -> None:
    cleaned = clean(sent)
    seen = _Seen()
    seen.feed(cleaned)
    assert not seen.tags & {"script", "style", "svg", "math", "noscript", "iframe"}
    assert not any(name.startswith("on") for name in seen.names)
    assert plain(clean(cleaned)) == plain(cleaned) == plain(sent)
