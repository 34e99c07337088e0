"""A wiki page that nobody wrote is not found, for visitors as well: a grader that asks for it must not be sent to sign
in and find that page instead."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from dayjob.company.world import build_snapshot
from tests.company.forge.test_world import world
from tests.company.serving import serve


@pytest.mark.parametrize(
    ("visibility", "page", "answers"),
    [
        ("public", "rules", [200]),
        ("public", "Start_rules", [404]),
        ("private", "rules", [302, 200]),
        ("private", "Start_rules", [302, 200]),
    ],
)
def test_a_visitor_finds_a_public_wiki_s_pages_and_no_others(
    tmp_path: Path, visibility: str, page: str, answers: list[int]
) -> None:
    folder = world(
        tmp_path / "w",
        groups_yml="- {path: plot, visibility: public}\n",
        projects__plot__beds__project_yml=f"visibility: {visibility}\n",
        projects__plot__beds__wiki__rules_md="Water at dawn.\n",
    )
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        answer = requests.get(f"{served.url('forge')}/plot/beds/-/wikis/{page}", timeout=60)
        assert [*(one.status_code for one in answer.history), answer.status_code] == answers
        assert ("Water at dawn." in answer.text) == (visibility == "public" and page == "rules")
        assert "Create page" not in answer.text
