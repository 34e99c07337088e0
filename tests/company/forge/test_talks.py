"""What the forge answers, word for word: every endpoint asked once at least, in `talks/`; and the list of endpoints."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", sorted(file.stem for file in TALKS.glob("*.talk")))
def test_the_forge_answers_as_written_down(blank: Snapshot, name: str) -> None:
    with Asked(blank, "forge") as asked:
        assert replay(TALKS / f"{name}.talk", asked, ask) == []


def test_the_endpoints_are_those_written_down() -> None:
    api.load()
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")
    lines = [f"{method} {pattern}" for method in methods for pattern in router.patterns(method)]
    assert kept(TALKS / "endpoints.txt", lines) == []
