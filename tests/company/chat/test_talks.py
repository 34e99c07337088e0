"""What the chat answers, word for word, in `talks/`; and the table of its endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from dayjob.company.chat.api import load
from dayjob.company.chat.api.endpoints import TABLE
from dayjob.company.world import Snapshot
from tests.company.talks.asking import Answer, Asked
from tests.company.talks.talk import kept, replay

TALKS = Path(__file__).with_name("talks")
PASSWORD = "correct-horse"


def ask(asked: Asked, who: str, method: str, address: str, body: str) -> Answer:
    """Everybody signs in when they first say something; `nobody` never does. `CALL` is for realtime methods."""
    if who != "nobody" and who not in asked.signed_in:
        given = json.dumps({"user": who, "password": PASSWORD}).encode()
        data = asked.ask("POST", "/api/v1/login", given, {"content-type": "application/json"}).json()["data"]
        asked.signed_in[who] = {"x-auth-token": data["authToken"], "x-user-id": data["userId"]}
    if method in ("PAGE", "FORM"):
        return asked.browse(who, method, address, body, lambda: _session(asked, who))
    if method == "CALL":
        call = json.dumps({"msg": "method", "id": "1", "method": address, "params": json.loads(body or "[]")})
        method, address, body = "POST", f"method.call/{quote(address, safe='')}", json.dumps({"message": call})
    headers = {"content-type": "application/json", **asked.signed_in.get(who, {})}
    return asked.ask(method, address if address.startswith("/") else f"/api/v1/{address}", body.encode(), headers)


def _session(asked: Asked, who: str) -> dict[str, str]:
    form = urlencode({"usernameOrEmail": who, "password": PASSWORD}).encode()
    return asked.ask("POST", "/login", form, {"content-type": "application/x-www-form-urlencoded"}).cookies


@pytest.fixture
def different(blank_snapshot: Snapshot) -> Callable[[str], list[str]]:
    """What the chat answers otherwise than a talk has it."""

    def again(name: str) -> list[str]:
        with Asked(blank_snapshot, "chat") as asked:
            return replay(TALKS / f"{name}.talk", asked, ask)

    return again


def test_realtime_methods_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("methods") == []


def test_messages_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("messages") == []


def test_the_office_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("office") == []


def test_pages_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages") == []


def test_people_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("people") == []


def test_rooms_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("rooms") == []


def test_the_workspace_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("workspace") == []


def test_every_talk_is_held() -> None:
    held = re.findall(r'different\("(\w+)"\)', Path(__file__).read_text("utf-8"))
    assert sorted(held) == sorted(file.stem for file in TALKS.glob("*.talk"))


def test_the_endpoints_take_and_need_what_is_written_down() -> None:
    load()
    lines = [
        f"{one.method} {one.path}{'' if one.auth else ' (open)'}{' (upload)' if one.upload else ''}: {one.takes}"
        + (f"; needs {' or '.join(one.permissions)}" if one.permissions else "")
        for one in TABLE
    ]
    assert kept(TALKS / "endpoints.txt", lines) == []
