"""What the drive answers, word for word, in `talks/`: OCS (`/cloud/…`, `S/…` for sharing) and WebDAV (`/dav/…`)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.company.drive.api.ocs.wire import ROUTES
from dayjob.company.drive.service import Drive
from tests.company.serving import WORLDS, snapshot_of
from tests.company.talks.asking import Answer, Asked
from tests.company.talks.talk import kept, replay

TALKS = Path(__file__).with_name("talks")
OCS = ("/cloud/", "/config", "/person/", "/privatedata/", "/nothing")


def ask(asked: Asked, who: str, method: str, address: str, body: str) -> Answer:
    """A method may bring headers: `MOVE(Destination:/remote.php/webdav/b;Overwrite:F)`, with `_` for a blank."""
    if method in ("PAGE", "FORM"):
        return asked.browse(who, method, f"/index.php{address}", body, lambda: _session(asked, who))
    method, _, given = method.partition("(")
    pairs = (one.partition(":") for one in given.rstrip(")").split(";") if one)
    headers = {name: value.replace("_", " ") for name, _, value in pairs}
    if who != "nobody":
        password = "blank-root-pass" if who == "root" else "long-enough-1"
        headers["authorization"] = "Basic " + base64.b64encode(f"{who}:{password}".encode()).decode()
    if address.startswith("S/"):
        address = "/apps/files_sharing/api/v1" + address.removeprefix("S")
    if address.startswith((*OCS, "/apps/files_sharing/")):
        address = f"/ocs/v1.php{address}{'&' if '?' in address else '?'}format=json"
        headers |= {"ocs-apirequest": "true", "content-type": "application/x-www-form-urlencoded"}
    elif address.startswith("/dav/"):
        address = "/remote.php/webdav" + address.removeprefix("/dav")
    return asked.ask(method, address, body.encode(), headers)


def _session(asked: Asked, who: str) -> dict[str, str]:
    drive = asked.company.service("drive")
    assert isinstance(drive, Drive)
    return {drive.instance: drive.accounts.open_session(who)}


@pytest.fixture
def different() -> Callable[[str], list[str]]:
    """What the drive answers otherwise than a talk has it."""

    def again(name: str) -> list[str]:
        with Asked(snapshot_of(WORLDS / "blank"), "drive") as asked:
            return replay(TALKS / f"{name}.talk", asked, ask)

    return again


def test_files_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("files") == []


def test_the_office_is_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("office") == []


def test_pages_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("pages") == []


def test_people_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("people") == []


def test_shares_are_answered_as_written_down(different: Callable[[str], list[str]]) -> None:
    assert different("shares") == []


def test_every_talk_is_held() -> None:
    held = re.findall(r'different\("(\w+)"\)', Path(__file__).read_text("utf-8"))
    assert sorted(held) == sorted(file.stem for file in TALKS.glob("*.talk"))


def test_the_endpoints_are_open_to_those_written_down() -> None:
    lines = []
    for method in ("GET", "POST", "PUT", "DELETE"):
        for pattern in ROUTES.patterns(method):
            (access, handler), _ = ROUTES.match(method, pattern)
            lines.append(f"{method} {pattern}: {access}, {handler.__name__}")
    assert kept(TALKS / "endpoints.txt", lines) == []
