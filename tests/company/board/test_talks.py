"""What the board answers, word for word, in `talks/`; and who may use which endpoint."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.company.board import api
from dayjob.company.board.store import accounts
from tests.company.serving import WORLDS, snapshot_of
from tests.company.talks.asking import Answer, Asked
from tests.company.talks.talk import kept, replay

TALKS = Path(__file__).with_name("talks")


def ask(asked: Asked, who: str, method: str, address: str, body: str) -> Answer:
    """Those who were invited are let in at once, each with a key that bears their name."""
    if who not in ("nobody", "root") and who not in asked.signed_in:
        asked.signed_in[who] = {"x-api-key": f"key-of-{who}"}
        db = asked.company.database("board")
        found = accounts.user_by_email(db, f"{who}@blank.test")
        assert found is not None
        db.execute("UPDATE users SET is_active = 1 WHERE id = ?", (found.id,))
        accounts.add_key(db, found.id, f"key-of-{who}")
    if method in ("PAGE", "FORM"):
        return asked.browse(who, method, address, body, lambda: _session(asked, who))
    headers = {"content-type": "application/json", **({"x-api-key": "plane_api_root"} if who == "root" else {})}
    place = address if address.startswith("/api/") else f"/api/v1/workspaces/blank{address}"
    return asked.ask(method, place, body.encode(), {**headers, **asked.signed_in.get(who, {})})


def _session(asked: Asked, who: str) -> dict[str, str]:
    db = asked.company.database("board")
    found = accounts.user_by_email(db, f"{who}@blank.test")
    assert found is not None
    return {"session-id": accounts.open_session(db, found.id)}


@pytest.fixture
def different() -> Callable[[str], list[str]]:
    """What the board answers otherwise than a talk has it."""

    def again(name: str) -> list[str]:
        with Asked(snapshot_of(WORLDS / "blank"), "board") as asked:
            return replay(TALKS / f"{name}.talk", asked, ask)

    return again


def test_work_items_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("items") == []


def test_the_office_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("office") == []


def test_pages_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages") == []


def test_plans_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("plans") == []


def test_the_workspace_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("workspace") == []


def test_every_talk_is_held() -> None:
    held = re.findall(r'different\("(\w+)"\)', Path(__file__).read_text("utf-8"))
    assert sorted(held) == sorted(file.stem for file in TALKS.glob("*.talk"))


def test_the_endpoints_are_open_to_those_written_down() -> None:
    lines = []
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        for pattern in api.routes.patterns(method):
            route, _ = api.routes.match(method, pattern)
            lines.append(f"{method} {pattern}: {route.permission.__name__.removeprefix('_')}")
    assert kept(TALKS / "endpoints.txt", lines) == []
