"""What the forge knows of a commit beside git."""

from __future__ import annotations

from typing import Any

import pygit2

from dayjob.company.forge.store import commits
from tests.company.forge.offices import Office


def commit(repo: pygit2.Repository, says: str, *parents: str) -> str:
    who = pygit2.Signature("Ann", "ann@bare.test", 0, 0)
    return str(repo.create_commit(None, who, who, says, repo.TreeBuilder().write(), list(parents)))


def test_a_commits_merge_requests_are_those_that_hold_it_or_ended_in_it(office: Office) -> None:
    project = office.project("garden")
    repo = office.store.repos.open(project.id)
    base = commit(repo, "base")
    wanted, other = commit(repo, "wanted", base), commit(repo, "other", base)
    head = commit(repo, "head", wanted)
    asked: dict[str, dict[str, Any]] = {
        "holds": {"base_sha": base, "head_sha": head},
        "holds others": {"base_sha": base, "head_sha": other},
        "begins with it": {"base_sha": wanted, "head_sha": head},
        "ends": {"base_sha": base, "head_sha": wanted},
        "ends, and begins nowhere": {"head_sha": wanted},
        "merged": {"merge_commit_sha": wanted},
        "squashed": {"squash_commit_sha": wanted},
        "begins nowhere": {"head_sha": head},
        "ends nowhere": {"base_sha": base},
        "empty": {},
    }
    made = {office.request(project, **facts).id: name for name, facts in asked.items()}
    office.request(office.project("shed"), head_sha=wanted)
    found = [made[one.id] for one in commits.merge_requests(office.store, project, wanted)]
    assert found == ["squashed", "merged", "ends, and begins nowhere", "ends", "holds"]
