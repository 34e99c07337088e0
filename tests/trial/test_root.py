"""Whose system a trial was done on is in its outcome, and why it was not one of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task


def test_a_trial_on_a_system_of_its_own_says_which(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path))
    assert tried.outcome.label is Label.RESOLVED
    assert str(tried.outcome.made_of["root"]).startswith("Debian 13, ")
    assert tried.outcome.notes == []


def test_a_trial_on_the_hosts_system_says_so_and_why(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_ROOT", "host: no package could be had")
    tried = attempt(cache, tmp_path, task(tmp_path))
    assert tried.outcome.label is Label.RESOLVED
    assert tried.outcome.made_of["root"] == "the host's /usr"
    (note,) = tried.outcome.notes
    assert note.startswith("rooms show the host's /usr and have the host's time, because they can have no system ")
    assert note.endswith("of their own here: no package could be had")
