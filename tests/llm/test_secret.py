"""Keys are held in one place and shown nowhere."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.llm.secret import Scrubber, Secret

KEY = "sk-0123456789"


def test_a_key_prints_as_stars_and_reveals_itself_only_when_asked() -> None:
    key = Secret(KEY)
    assert (str(key), repr(key), f"{key}") == ("Secret(***)",) * 3
    assert key.reveal() == KEY
    assert (bool(key), bool(Secret(""))) == (True, False)


def test_a_key_stays_in_its_process() -> None:
    for spread in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="A key is not pickled"):
            spread(Secret(KEY))


@pytest.mark.parametrize(
    ("key", "stays"), [("", True), ("none", True), ("1234567", True), ("12345678", False), (KEY, False)]
)
def test_a_very_short_key_tears_no_holes(key: str, stays: bool) -> None:
    text = f"a {key} b {key}"
    scrubber = Scrubber([Secret(key)])
    assert scrubber.text(text) == (text if stays else "a *** b ***")
    assert scrubber.data(text.encode()) == (text if stays else "a *** b ***").encode()


def test_a_longer_key_goes_before_one_that_begins_it() -> None:
    scrubber = Scrubber([Secret(KEY)])
    scrubber.add(Secret(f"{KEY}-and-more"))
    assert scrubber.text(f"{KEY}-and-more, {KEY}") == "***, ***"


def test_a_key_is_found_as_json_writes_it() -> None:
    key = 'quote"back\\slash\nü'
    scrubber = Scrubber([Secret(key)])
    assert scrubber.text(key) == "***"
    assert scrubber.text(json.dumps({"a": key})) == '{"a": "***"}'
    assert scrubber.data(json.dumps({"a": key}).encode()) == b'{"a": "***"}'


def test_a_key_is_added_once() -> None:
    scrubber = Scrubber([Secret(KEY), Secret(KEY)])
    scrubber.add(Secret(KEY))
    assert scrubber._values == [KEY]


@given(st.text(), st.text(), st.text(min_size=8, alphabet="abcXYZ019-_"))
def test_no_text_keeps_a_key(before: str, after: str, key: str) -> None:
    scrubber = Scrubber([Secret(key)])
    assert key not in scrubber.text(before + key + after)
