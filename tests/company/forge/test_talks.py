"""What the forge answers, word for word: every endpoint asked once at least, in `talks/`; and the list of endpoints."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest

from dayjob.company.forge import api
from dayjob.company.forge.api.routes import router
from dayjob.company.world import Snapshot
from tests.company.talks.asking import Answer, Asked
from tests.company.talks.talk import kept, replay

TALKS = Path(__file__).with_name("talks")


def ask(asked: Asked, who: str, method: str, address: str, body: str) -> Answer:
    """`nobody` is nobody; everybody else is whom the administrator acts for."""
    if method in ("PAGE", "FORM"):
        return asked.browse(who, method, address, body, lambda: _session(asked, who))
    headers = {} if who == "nobody" else {"private-token": "root-token", **({} if who == "root" else {"sudo": who})}
    if body:
        headers["content-type"] = "application/json"
    return asked.ask(method, f"/api/v4{address}", body.encode(), headers)


def _session(asked: Asked, who: str) -> dict[str, str]:
    password = "blank-root-pass" if who == "root" else "long-enough-1"
    form = urlencode({"user[login]": who, "user[password]": password}).encode()
    return asked.ask("POST", "/users/sign_in", form, {"content-type": "application/x-www-form-urlencoded"}).cookies


@pytest.fixture
def different(blank: Snapshot) -> Callable[[str], list[str]]:
    """What the forge answers otherwise than a talk has it."""

    def again(name: str) -> list[str]:
        with Asked(blank, "forge") as asked:
            return replay(TALKS / f"{name}.talk", asked, ask)

    return again


def test_code_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("code") == []


def test_groups_labels_and_milestones_are_answered_as_written_down(
    different: Callable[[str], list[str]],
) -> None:
    assert different("groups") == []


def test_the_instance_tokens_and_pipelines_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("instance") == []


def test_issues_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("issues") == []


def test_pages_of_code_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages_code") == []


def test_pages_of_issues_and_merge_requests_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages_items") == []


def test_pages_of_plans_and_settings_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages_plans") == []


def test_pages_of_the_site_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages_site") == []


def test_people_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("people") == []


def test_projects_forks_and_search_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("projects") == []


def test_merge_requests_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("requests") == []


def test_releases_wikis_and_settings_are_answered_as_written_down(
    different: Callable[[str], list[str]],
) -> None:
    assert different("shelves") == []


def test_the_workshop_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("workshop") == []


def test_every_talk_is_held() -> None:
    held = re.findall(r'different\("(\w+)"\)', Path(__file__).read_text("utf-8"))
    assert sorted(held) == sorted(file.stem for file in TALKS.glob("*.talk"))


def test_the_endpoints_are_those_written_down() -> None:
    api.load()
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")
    lines = [f"{method} {pattern}" for method in methods for pattern in router.patterns(method)]
    assert kept(TALKS / "endpoints.txt", lines) == []
