"""What must not be said is found in what is about to be said, and nothing else is."""

from __future__ import annotations

import base64
import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.task.secrecy import Guard, Secrets, copied_from, flattened

SECRET = "blue heron"
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"]


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("14. März", "14märz"),
        ("14 - MÄRZ", "14märz"),
        ("ｂｌｕｅ　ﬁn", "bluefin"),
        ("Straße", "strasse"),
        ("…!? \u200b", ""),
    ],
)
def test_letters_and_digits_are_compared_in_one_shape(text: str, flat: str) -> None:
    assert flattened(text) == flat


@pytest.mark.parametrize(
    ("entries", "text", "found"),
    [
        ((SECRET,), "It is Blue-Heron!", SECRET),
        ((SECRET,), "A blue bird, a heron", None),
        ((SECRET,), "", None),
        ((), "blue heron", None),
        (("", "?!"), "anything", None),
        (("grey owl", SECRET), "blue heron", SECRET),
        ((SECRET, "grey owl"), "blue heron and grey owl", SECRET),
        ((re.compile(r"\b47\d\d\b"),), "It is 4711.", r"/\b47\d\d\b/"),
        ((re.compile(r"\b47\d\d\b"),), "It is 14711.", None),
        ((re.compile(r"\b47\d\d\b"),), "It is 1174, backwards", r"/\b47\d\d\b/"),
        ((re.compile("heron"),), "the ureba", "/heron/"),
        ((re.compile("HERON"),), "the heron", None),
    ],
)
def test_the_first_secret_that_a_text_gives_away_is_named(
    entries: tuple[str | re.Pattern[str], ...], text: str, found: str | None
) -> None:
    assert Secrets(entries).revealed_by(text) == found


@pytest.mark.parametrize(
    ("hidden", "found"),
    [
        (base64.b64encode(b"blue heron, again").decode(), True),
        (base64.b64encode(b"blue heron, again").decode().rstrip("="), True),
        ("x: " + base64.b64encode(b"so it is blue heron").decode() + " :x", True),
        (base64.b64encode(b"blue heron").decode()[:15], True),
        (base64.b64encode(b"\xff\xfe blue heron \xff").decode(), False),
    ],
)
def test_what_is_coded_is_read(hidden: str, found: bool) -> None:
    assert (Secrets((SECRET,)).revealed_by(hidden) == SECRET) is found


@pytest.mark.parametrize(
    "hidden", ["Blue\u200bHer\u00adon", "Вluе Неrоn", "blu3 h3r0n", "ＢＬＵＥ Ηeron", "b1ue.heron"]
)
def test_what_only_looks_like_it_is_seen(hidden: str) -> None:
    assert Secrets((SECRET,)).revealed_by(hidden) == SECRET


def test_what_is_kept_back_is_seen_through_signs_of_no_width() -> None:
    guard = Guard(kept_back=("The number is 7731, and her name is Amelie.",))
    for text in ("77\u200b31", "It is Ame\u2060lie.", base64.b64encode(b"it is amelie").decode(), "eilema"):
        assert guard.given_away_by(text) == "what is kept back"
    assert guard.given_away_by("It is 1377.") is None


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["plain", "backwards", "rot13"]))
def test_a_secret_is_found_wherever_it_stands_and_in_whatever_case(before: str, after: str, disguise: str) -> None:
    text = f"{before} BLUE.heron {after}"
    shown = {"plain": text, "backwards": text[::-1], "rot13": codecs.encode(text, "rot13")}[disguise]
    assert Secrets((SECRET,)).revealed_by(shown) == SECRET


@pytest.mark.parametrize("length", range(9))
def test_six_words_in_a_row_are_no_coincidence_and_five_are(length: int) -> None:
    private = " ".join(WORDS)
    for start in range(len(WORDS) - length + 1):
        said = "Well: " + ", ".join(WORDS[start : start + length]).upper() + " ... and so on"
        run = " ".join(WORDS[start : start + 6]) if length >= 6 else None
        assert copied_from(said, [private]) == run


def test_a_run_of_words_must_be_a_run() -> None:
    private = " ".join(WORDS)
    assert copied_from("one two three and four five six seven", [private]) is None
    assert copied_from(" ".join(WORDS)[::-1], [private]) == "one two three four five six"
    assert copied_from(codecs.encode(private, "rot13"), ["unrelated words", private]) is not None


def test_what_may_be_shared_is_not_private_and_the_rest_stays_so() -> None:
    private = " ".join(WORDS)
    assert copied_from(private, [private], [private]) is None
    assert copied_from(private, [private], ["other words"]) == "one two three four five six"
    assert copied_from(private, [private], [" ".join(WORDS[:7])]) == "three four five six seven eight"
    assert copied_from(private, [], []) is None
