"""Passwords as they are kept."""

from __future__ import annotations

from dayjob.company.passwords import hash_password, password_fits


def test_a_password_fits_what_was_kept_of_it_alone() -> None:
    kept = hash_password("hers")
    assert password_fits("hers", kept)
    assert not password_fits("his", kept)
    assert not password_fits("", kept)
    assert not password_fits("hers", "")
    assert "hers" not in kept


def test_the_same_password_is_kept_differently_each_time() -> None:
    kept = [hash_password("same") for _ in range(2)]
    assert len(set(kept)) == 2
    assert {len(one.partition("$")[0]) for one in kept} == {16}
    assert all(password_fits("same", one) for one in kept)


def test_a_salt_of_a_world_gives_the_same_hash_again() -> None:
    assert hash_password("same", "salt") == hash_password("same", "salt")


def test_any_text_is_a_password() -> None:
    assert password_fits("\udc80 é", hash_password("\udc80 é"))
