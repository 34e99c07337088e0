"""The generators of Larkspur: what they would write is what is in the world."""

from __future__ import annotations

from tools.larkspur.__main__ import differing


def test_regenerating_larkspurs_documents_changes_nothing() -> None:
    assert differing() == []
