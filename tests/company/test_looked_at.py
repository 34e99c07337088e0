"""Whoever is examined changes something, and somebody may look before the answer is there."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Iterator

import pytest
import requests

from dayjob.company.world import Snapshot
from tests.company.chat.test_realtime import Wire
from tests.company.serving import Served, serve

SAM = ("sam.reed", "sam-reed-first-day")
PLACE = "/remote.php/webdav/Operations"


@pytest.fixture
def examined(larkspur_pages: Snapshot) -> Iterator[Served]:
    with serve(larkspur_pages, role="examinee") as served:
        yield served


class Looker:
    """Looks at each change until it is told to go on."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.times = 0
        self.looking = threading.Event()
        self._look: asyncio.Future[None] | None = None
        served.call(self._begin)

    def _begin(self) -> None:
        self.served.company.after_change = self._changed

    def _changed(self) -> asyncio.Future[None]:
        self.times += 1
        self._look = asyncio.get_running_loop().create_future()
        self.looking.set()
        return self._look

    def go_on(self) -> None:
        def end() -> None:
            assert self._look is not None
            self._look.set_result(None)

        self.looking.clear()
        self.served.call(end)


def put(served: Served, name: str, answers: list[int]) -> threading.Thread:
    def send() -> None:
        answers.append(requests.put(f"{served.url('drive')}{PLACE}/{name}", b"x", auth=SAM, timeout=60).status_code)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_the_answer_to_a_change_waits_until_it_was_looked_at(examined: Served) -> None:
    looker, answers = Looker(examined), list[int]()
    thread = put(examined, "note.txt", answers)
    assert looker.looking.wait(60)
    while not examined.call(lambda: len(examined.company.held)):
        pass
    assert answers == []
    looker.go_on()
    thread.join(60)
    assert answers == [201]
    assert examined.call(lambda: len(examined.company.held)) == 0


def test_what_changes_nothing_is_not_looked_at(examined: Served) -> None:
    looker = Looker(examined)
    assert requests.get(f"{examined.url('drive')}{PLACE}/launch-checklist.md", auth=SAM, timeout=60).ok
    assert looker.times == 0


def test_a_change_over_a_realtime_connection_is_looked_at_too(examined: Served) -> None:
    looker = Looker(examined)
    wire = Wire(examined)
    wire.send(msg="connect", version="1", support=["1"])
    wire.until(msg="connected")
    digest = hashlib.sha256(SAM[1].encode()).hexdigest()
    wire.result("login", {"user": {"username": SAM[0]}, "password": {"digest": digest, "algorithm": "sha-256"}})
    before = looker.times
    room = wire.result("createDirectMessage", "tomas.okafor")["rid"]
    wire.result("sendMessage", {"_id": "m1", "rid": room, "msg": "It is on the drive."})
    assert looker.times == before + 2
    wire.socket.close()


def test_nobody_else_is_held_or_looked_at(larkspur_pages: Snapshot) -> None:
    with serve(larkspur_pages, role="npc") as served:
        looker, answers = Looker(served), list[int]()
        put(served, "note.txt", answers).join(60)
        assert (looker.times, answers) == (0, [201])
