"""Which folders are trials, and when one has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dayjob.report.viewer.found import is_trial, seen_mark, trial_folders


def put(folder: Path, name: str, text: str = "{}") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("names", "one"),
    [
        (("outcome.json",), True),
        (("spec.json",), True),
        (("outcome.json", "spec.json"), True),
        (("journal.jsonl",), False),
        ((), False),
    ],
)
def test_a_trial_is_a_folder_with_an_outcome_or_with_what_was_asked(
    tmp_path: Path, names: tuple[str, ...], one: bool
) -> None:
    for name in names:
        put(tmp_path, name)
    assert is_trial(tmp_path) is one
    assert list(trial_folders(tmp_path)) == ([tmp_path] if one else [])


def test_trials_are_found_in_order_and_nothing_inside_them_or_hidden(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "a/inner", "earlier", ".hidden", "c/earlier", "c/x"):
        put(tmp_path, f"{name}/outcome.json")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert [str(one.relative_to(tmp_path)) for one in trial_folders(tmp_path)] == ["a", "b/1", "b/2", "c/x"]


def test_the_mark_follows_the_outcome_else_the_journal_else_what_was_asked(tmp_path: Path) -> None:
    assert seen_mark(tmp_path) == "nothing"
    for name in ("spec.json", "journal.jsonl", "outcome.json"):
        path = put(tmp_path, name)
        before = seen_mark(tmp_path)
        assert before.split()[0] == name
        path.write_text("{ }")
        longer = seen_mark(tmp_path)
        assert longer != before
        os.utime(path, ns=(1, 1))
        assert seen_mark(tmp_path) not in (before, longer)
