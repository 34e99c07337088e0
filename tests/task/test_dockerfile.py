"""Dockerfiles: logical lines with the number they start on, and nothing that depends on a particular builder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.task.dockerfile import expand, parse_dockerfile
from dayjob.task.findings import TaskError


def test_continuations_comments_and_blank_lines_are_joined_to_the_line_they_start_on() -> None:
    text = "# syntax\n\nFROM base:1\nRUN apt-get update \\\n  # why not\n\n  && apt-get install -y sqlite3\nrun true\n"
    found = [(each.keyword, each.text, each.line) for each in parse_dockerfile(text).instructions]
    assert found == [
        ("FROM", "base:1", 3),
        ("RUN", "apt-get update   && apt-get install -y sqlite3", 4),
        ("RUN", "true", 8),
    ]


def test_the_escape_directive_is_honoured() -> None:
    (run,) = parse_dockerfile("# escape=`\nRUN one `\n  two\n").instructions
    assert run.text == "one   two"


def test_exec_form_flags_and_quotes() -> None:
    copy, add, run = parse_dockerfile(
        'COPY --chown=1:1 --from=x "a b.txt" /w/\nADD ["a", "b c", "/d"]\nRUN ["pip", "install"]\n'
    ).instructions
    assert copy.flags == (("chown", "1:1"), ("from", "x"))
    assert copy.words() == ("a b.txt", "/w/")
    assert add.words() == ("a", "b c", "/d")
    assert run.parts == ("pip", "install")


def test_the_base_follows_arguments_and_stages() -> None:
    text = "ARG TAG=1\nARG REPO\nFROM dayjob/task-base:${TAG} AS build\nRUN true\nFROM build\n"
    parsed = parse_dockerfile(text)
    assert parsed.base_image == "dayjob/task-base:1"
    assert parsed.base is not None
    assert parsed.base.line == 5
    assert parse_dockerfile("RUN true\n").base_image is None


def test_onbuild_shows_what_it_will_do() -> None:
    (onbuild,) = parse_dockerfile("ONBUILD COPY a /b\n").instructions
    assert (onbuild.inner.keyword, onbuild.inner.words()) == ("COPY", ("a", "/b"))


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("FROM a\nINSTALL b\n", 2, "not an instruction"),
        ("FROM a\nRUN\n", 2, "no arguments"),
        ("FROM a\nRUN <<EOF\nls\nEOF\n", 2, "heredoc"),
        ("FROM a\nCOPY <<-'X' /a\nls\nX\n", 2, "heredoc"),
    ],
)
def test_what_cannot_be_parsed_is_named_with_its_line(text: str, line: int, sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence) as caught:
        parse_dockerfile(text)
    assert caught.value.finding.line == line


def test_a_shift_operator_is_not_a_heredoc() -> None:
    (run,) = parse_dockerfile("RUN python -c 'print(1<<4)' && cat <<<word\n").instructions
    assert run.keyword == "RUN"


@pytest.mark.parametrize(
    ("text", "value"),
    [("$A-${B}", "1-"), ("${A:-x}${B:-y}", "1y"), ("${A:+z}${B:+z}", "z"), ("plain", "plain")],
)
def test_variables_are_filled_in(text: str, value: str) -> None:
    assert expand(text, {"A": "1"}) == value


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parsed = parse_dockerfile(text)
    except TaskError:
        return
    for each in parsed.instructions:  # can fail: of all texts, many hold instructions
        each.words()
        assert 1 <= each.line <= text.count("\n") + len(text.splitlines()) + 1
