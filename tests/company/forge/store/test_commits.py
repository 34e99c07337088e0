"""What the forge knows of a commit beside git."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dayjob.company.forge.store import commits
from tests.company.forge.offices import Office


def test_a_commits_merge_requests_are_those_that_hold_it_or_ended_in_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    between = {("base", "head"): ["head", "wanted", "older"], ("base", "other"): ["other"]}

    def walk(repo: Any, base: str, head: str) -> list[Any]:
        return [SimpleNamespace(id=id) for id in between[base, head]]

    monkeypatch.setattr(commits, "commits_between", walk)
    project = office.project("garden")
    asked: dict[str, dict[str, Any]] = {
        "holds": {"base_sha": "base", "head_sha": "head"},
        "holds others": {"base_sha": "base", "head_sha": "other"},
        "ends": {"base_sha": "base", "head_sha": "wanted"},
        "ends, and begins nowhere": {"head_sha": "wanted"},
        "merged": {"merge_commit_sha": "wanted"},
        "squashed": {"squash_commit_sha": "wanted"},
        "begins nowhere": {"head_sha": "head"},
        "ends nowhere": {"base_sha": "base"},
        "empty": {},
    }
    made = {office.request(project, **facts).id: name for name, facts in asked.items()}
    office.request(office.project("shed"), head_sha="wanted")
    found = [made[one.id] for one in commits.merge_requests(office.store, project, "wanted")]
    assert found == ["squashed", "merged", "ends, and begins nowhere", "ends", "holds"]
