"""What comes from outside is read within bounds: expressions, JSON, YAML, addresses, headers, texts."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import dayjob.company
from dayjob.company import outside_yaml
from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.pages import highlight, markdown
from dayjob.company.world import Snapshot
from dayjob.http.bodies import JSON_DEPTH, JSON_VALUES, BadJson, parse_json
from tests.company.serving import WORLDS, Served, serve, snapshot_of

BUSY = 3.0
"""Seconds of processor time: far more than any of these takes, far less than what backtracks or expands."""


@pytest.fixture(scope="module")
def blank() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


@pytest.fixture(scope="module")
def served(blank: Snapshot) -> Iterator[Served]:
    with serve(blank) as found:
        yield found


# -- expressions -----------------------------------------------------------------------------------------------------


def test_an_expression_that_backtracks_elsewhere_takes_linear_time() -> None:
    before = time.thread_time()
    assert not expression("^(a+)+$").found_in("a" * 100_000 + "!")
    assert time.thread_time() - before < BUSY


@pytest.mark.parametrize("pattern", ["(?=a)", r"(a)\1", "(", "a{1001}", "((a{100}){100}){100}", "x" * 513, "\ud800"])
def test_what_re2_does_not_have_is_an_invalid_expression(pattern: str) -> None:
    with pytest.raises(InvalidExpression):
        expression(pattern)


def test_an_expression_can_ignore_case_and_is_not_confused_by_half_a_character() -> None:
    assert expression("MAIN", ignore_case=True).found_in("main")
    assert not expression("MAIN").found_in("main")
    assert not expression("a").found_in("\ud800a")


# -- JSON ------------------------------------------------------------------------------------------------------------


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_ordinary_json_is_read_as_ever(value: object) -> None:
    text = json.dumps(value)
    with suppress(BadJson):  # deeper than allowed
        assert parse_json(text) == parse_json(text.encode()) == value


@pytest.mark.parametrize(
    "raw", ["[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, "[" * 33 + "]" * 33, '["]",' + "[" * 40]
)
def test_json_that_is_nested_too_deeply_is_refused(raw: str) -> None:
    with pytest.raises(BadJson):
        parse_json(raw)


def test_json_with_too_many_values_is_refused_and_signs_inside_strings_are_none() -> None:
    with pytest.raises(BadJson):
        parse_json("[" + "1," * JSON_VALUES + "1]")
    assert parse_json(json.dumps([",[{" * JSON_VALUES, '\\"' * 50])) == [",[{" * JSON_VALUES, '\\"' * 50]
    assert parse_json("[" * JSON_DEPTH + "]" * JSON_DEPTH)


def test_measuring_json_takes_linear_time() -> None:
    before = time.thread_time()
    for raw in ('"' + '\\"' * 500_000, "[" * 40 + '"\\' * 500_000, '[["' * 100_000):
        with pytest.raises(BadJson):
            parse_json(raw)
    assert time.thread_time() - before < BUSY


# -- YAML ------------------------------------------------------------------------------------------------------------

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + chr(ord(name) - 1)] * 9)}]\n" for name in "bcdefghi"
)


@pytest.mark.parametrize(
    "text",
    [BOMB, "a: &a [*a]", "[" * 60 + "]" * 60, "a" * 300_000, "[" + "1," * 30_000 + "]",
     "- &a " + "x" * 9000 + "\n" + "- *a\n" * 999],
    ids=["aliases of aliases", "itself", "deep", "long", "many values", "a long text many times"],
)  # fmt: skip
def test_yaml_beyond_the_bounds_is_refused_before_it_is_built(text: str) -> None:
    before = time.thread_time()
    with pytest.raises(outside_yaml.YamlTooLarge):
        outside_yaml.load(text)
    assert time.thread_time() - before < BUSY


def test_ordinary_yaml_keeps_its_aliases_merges_and_references() -> None:
    text = "base: &base {script: [a], n: 1_000}\njob: {<<: *base, stage: test}\nother: !reference [job, script]\n"
    assert outside_yaml.load(text) == {
        "base": {"script": ["a"], "n": 1000},
        "job": {"script": ["a"], "n": 1000, "stage": "test"},
        "other": ["job", "script"],
    }
    with pytest.raises(yaml.YAMLError):
        outside_yaml.load("a: [")


def test_a_number_without_end_is_a_text() -> None:
    before = time.thread_time()
    assert isinstance(outside_yaml.load("1:" * 100_000 + "1"), str)
    assert time.thread_time() - before < BUSY


# -- the request line and the headers ----------------------------------------------------------------------------------


def answer_to(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        with suppress(ConnectionError):  # the answer may be there before all of it was sent
            connection.sendall(request)
        with suppress(ConnectionError):
            return connection.recv(4096).split(b"\r\n")[0]
    return b""


@pytest.mark.parametrize("service", ["chat", "forge", "board", "drive", "control"])
def test_an_endless_address_is_414_and_endless_headers_are_431(served: Served, service: str) -> None:
    port, before = served.port(service), len(served.company.journal.requests())
    long = b"GET /" + b"a" * 17_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    assert answer_to(port, long) == b"HTTP/1.1 414 URI Too Long"
    many = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: y\r\n" % one for one in range(300)) + b"\r\n"
    assert answer_to(port, many) == b"HTTP/1.1 431 Request Header Fields Too Large"
    wide = b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"y" * 40_000 + b"\r\nX-B: " + b"y" * 40_000 + b"\r\n\r\n"
    assert answer_to(port, wide) == b"HTTP/1.1 431 Request Header Fields Too Large"
    assert len(served.company.journal.requests()) == before


# -- texts -----------------------------------------------------------------------------------------------------------

SIGNS = ["a", "a.", "a/", "@", "@a", "#1", "[", "]", "<a ", "http://", "https://a", ":", "\\", " ", "\n", "closes #1, ",
         "closes ", "-chunking-", "> ", "1.", '"', "~", "..", "1h", "a-", "%41", "|a", "a\n"]  # fmt: skip


def our_patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern that a module of the company keeps: most are applied to what somebody wrote."""
    found = {}
    for module in pkgutil.walk_packages(dayjob.company.__path__, "dayjob.company."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                found[f"{module.name.removeprefix('dayjob.company.')}.{name}"] = value
    return found


@pytest.mark.parametrize("name", sorted(our_patterns()))
def test_no_pattern_of_ours_can_be_kept_busy(name: str) -> None:
    pattern = our_patterns()[name]
    for sign in SIGNS:
        text = sign * (2000 // len(sign))
        before = time.thread_time()
        for start in ("", "closes ", "http://", "/"):
            pattern.fullmatch(f"{start}{text}\0")
            if not name.endswith("._TOKEN"):  # tokens are matched where the last one ended, and nowhere else
                pattern.sub("", f"{start}{text}\0")
        assert time.thread_time() - before < BUSY, sign


@pytest.mark.parametrize(
    "sign", [*SIGNS, "|", "*", "_a", "`", "![a", "- a\n", "~~a", "http://ab ", "```\n", "**a", "[a](b"]
)
def test_formatting_any_text_takes_bounded_time(sign: str) -> None:
    before = time.thread_time()
    markdown.render(sign * (200_000 // len(sign)))
    markdown.render(sign * (9_000 // len(sign)))
    assert time.thread_time() - before < BUSY


def test_a_table_of_three_thousand_rows_is_shown_as_it_was_written() -> None:
    table = "|a" * 50 + "|\n" + "|-" * 50 + "|\n" + ("|<b>" * 50 + "|\n") * 3000
    before = time.thread_time()
    html = markdown.render(table)
    assert time.thread_time() - before < BUSY
    assert html.startswith('<pre tabindex="0">|a|a')
    assert "<b>" not in html


def test_texts_of_one_request_share_what_formatting_may_take() -> None:
    long = "some *words*\n\n" * 1500
    with markdown.budget():
        formatted = [markdown.render(long).startswith("<p>") for _ in range(10)]
    assert formatted[0]
    assert not formatted[-1]


def test_many_links_in_one_text_are_all_links() -> None:
    html = markdown.render("see https://larkspur.test/a and " * 900)
    assert html.count('<a href="https://larkspur.test/a"') == 900


@pytest.mark.parametrize("language", ["java", "c", "typescript", "python", "rst", "html"])
def test_colouring_any_text_takes_bounded_time(language: str) -> None:
    before = time.thread_time()
    for sign in ("\n", "a.", "**a`", "<!--", " \n", "a|"):
        highlight.block(sign * (40_000 // len(sign)), language)
    assert time.thread_time() - before < 2 * BUSY
