"""What the board answers, word for word, in `talks/`; and who may use which endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.company.board import api
from dayjob.company.board.store import accounts
from dayjob.company.world import Snapshot
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


@pytest.mark.parametrize("name", sorted(file.stem for file in TALKS.glob("*.talk")))
def test_the_board_answers_as_written_down(name: str) -> None:
    with Asked(_blank(), "board") as asked:
        assert replay(TALKS / f"{name}.talk", asked, ask) == []


def _blank() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


def test_the_endpoints_are_open_to_those_written_down() -> None:
    lines = []
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        for pattern in api.routes.patterns(method):
            route, _ = api.routes.match(method, pattern)
            lines.append(f"{method} {pattern}: {route.permission.__name__.removeprefix('_')}")
    assert kept(TALKS / "endpoints.txt", lines) == []
