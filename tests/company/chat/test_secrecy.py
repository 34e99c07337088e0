"""What is said in private rooms and direct messages is in no answer to anybody else, whichever address they ask."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import requests

from dayjob.company.chat import files
from dayjob.company.chat.api.endpoints import TABLE
from dayjob.company.chat.pages.page import router
from dayjob.company.chat.realtime.methods import METHODS
from dayjob.company.world import Snapshot
from tests.company.chat.conftest import PASSWORD
from tests.company.crawling import SEARCHED, crawl, filled, given_away, secret
from tests.company.serving import Served, serve

TEXTS = ("text", "searchText", "query", "filter", "name", "selector", "updatedSince", "lastUpdate", "since")
SAID = {
    "selector": f'{{"name":"{SEARCHED}","term":"{SEARCHED}"}}',
    **dict.fromkeys(("updatedSince", "lastUpdate", "since"), "2000-01-01T00:00:00Z"),
}


class Person:
    """Somebody who is signed in to chat."""

    def __init__(self, served: Served, name: str) -> None:
        self.url, self.name = f"{served.url('chat')}/api/v1", name
        self.session = requests.Session()
        self.call("users.register", username=name, name=name.title(), email=f"{name}@blank.test", **{"pass": PASSWORD})
        found = self.call("login", user=name, password=PASSWORD)["data"]
        self.id, token = found["userId"], found["authToken"]
        self.session.headers.update({"X-Auth-Token": token, "X-User-Id": self.id})
        self.headers = {"X-Auth-Token": token, "X-User-Id": self.id, "Cookie": f"rc_token={token}; rc_uid={self.id}"}

    def call(self, endpoint: str, **facts: Any) -> Any:
        answer = self.session.post(f"{self.url}/{endpoint}", json=facts, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def say(self, room: str, text: str, **more: Any) -> str:
        return str(self.call("chat.sendMessage", message={"rid": room, "msg": text, **more})["message"]["_id"])

    def upload(self, room: str, name: str, text: str) -> str:
        sent = {"file": (name, text.encode(), "text/plain")}
        made = self.session.post(f"{self.url}/rooms.media/{room}", files=sent, timeout=30).json()["file"]["_id"]
        self.call(f"rooms.mediaConfirm/{room}/{made}", msg="")
        return str(made)


@dataclass
class Office:
    served: Served
    words: dict[str, str] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    people: dict[str, dict[str, str]] = field(default_factory=dict)

    def word(self, what: str) -> str:
        return self.words.setdefault(what, secret(what))

    def addresses(self) -> Iterator[str]:
        for endpoint in TABLE:
            if endpoint.method == "GET":
                takes = [one.partition(":")[0] for one in endpoint.takes.split()]
                texts = {one: SAID.get(one, SEARCHED) for one in takes if one in TEXTS}
                queries: list[dict[str, str]] = [{}, texts]
                queries += [{name: value} | extra for name in takes for value in self.named.get(name, ())
                            for extra in ({}, texts)]  # fmt: skip
                for path in filled([endpoint.path], self.values):
                    yield from (f"{path}?{urlencode(query)}" for query in queries)
        yield from filled(files.ROUTES.patterns("GET"), self.values)
        yield from filled(router.patterns("GET"), self.values)
        yield from (f"/search?{name}={SEARCHED}" for name in ("q", "text", "query", "search"))
        for tab in self.values["tab"]:
            yield f"/directory/{tab}?text={SEARCHED}&q={SEARCHED}"
        yield from (f"/-/complete?{name}={SEARCHED}" for name in ("q", "text"))


@pytest.fixture(scope="module")
def office(blank_snapshot: Snapshot) -> Iterator[Office]:
    with serve(blank_snapshot) as served:
        found = Office(served)
        Person(served, "ada")  # the first to register is the administrator, who is no part of this
        kim, lee = Person(served, "kim"), Person(served, "lee")
        group = kim.call("groups.create", name=found.word("group"))["group"]["_id"]
        for what in ("Topic", "Announcement", "Description", "Purpose"):
            kim.call(f"groups.set{what}", roomId=group, **{what.lower(): found.word(what.lower())})
        first = kim.say(group, f"{found.word('message')} @lee @all")
        kim.say(group, found.word("thread"), tmid=first)
        kim.call("chat.pinMessage", messageId=first)
        kim.call("chat.starMessage", messageId=first)
        kim.call("chat.react", messageId=first, emoji=":smile:", shouldReact=True)
        gone = kim.say(group, found.word("gone"))
        kim.call("chat.delete", roomId=group, msgId=gone)
        kept = kim.upload(group, found.word("file") + ".txt", found.word("content"))
        talk = kim.call("rooms.createDiscussion", prid=group, t_name=found.word("discussion"))["discussion"]["_id"]
        kim.say(talk, found.word("discussed"))
        team = kim.call("teams.create", name=found.word("team"), type=1)["team"]
        direct = kim.call("im.create", username="ada")["room"]["rid"]
        private = kim.say(direct, f"{found.word('direct')} @lee")
        sent = kim.upload(direct, found.word("direct-file") + ".txt", found.word("direct-content"))
        rooms = [group, talk, direct, team["roomId"]]
        names = [found.words["group"], found.words["team"]]
        messages = [first, private, gone]
        found.named = {
            "roomId": rooms, "rid": rooms, "_id": rooms, "roomName": names, "userId": [kim.id], "username": ["kim"],
            "msgId": messages, "messageId": messages, "tmid": messages, "teamId": [team["_id"]], "teamName": names,
            "type": ["all", "unread", "c", "p", "users", "channels", "teams"], "from": ["x"],
        }  # fmt: skip
        found.values = {
            "room/id": rooms, "rooms/id": rooms, "uid/id": [kim.id], "users/id": [kim.id], "messages/id": messages,
            "edit/id": rooms, "file-upload/id": [kept, sent], "store/id": [kept, sent],
            "store": ["FileSystem:Uploads", "GridFS:Uploads"],
            "emoji-custom/name": ["x"], "avatar/name": ["kim"], "assets/name": ["logo"], "id/name": ["x.txt"],
            "subject": ["kim"], "settings/id": ["Site_Name"], "banners/id": ["x"], "agent/id": ["x"], "token": ["x"],
            "rid": rooms, "direct/name": [*rooms, "kim", "ada"], "channel/name": [*rooms, *names],
            "group/name": [*rooms, *names], "username": ["kim"], "type/id": [kim.id], "livechat/type": ["agent"],
            "users/type": ["agent"], "form": ["edit", "members", "leave", "delete", "invite"],
            "tab": ["info", "members", "files", "pinned", "starred", "mentions", "threads", "thread", "discussions",
                    "search", "message", "users", "channels", "teams", "rooms", "people"],
            "what": [*messages, SEARCHED],
        }  # fmt: skip
        found.people = {"kim": kim.headers, "lee": lee.headers, "nobody": {}}
        yield found


def asked(office: Office, who: str) -> dict[str, str]:
    return crawl(office.served.url("chat"), office.people[who], office.addresses(), links=True)


def test_whoever_is_in_the_rooms_finds_every_secret_that_is_left(office: Office) -> None:
    assert set(given_away(asked(office, "kim"), office.words)) == set(office.words) - {"gone"}


@pytest.mark.parametrize("who", ["nobody", "lee"])
def test_no_address_tells_others_what_was_said_in_private(office: Office, who: str) -> None:
    # A search that holds a whole name is told that name again; what nobody can guess are the others.
    words = {name: word for name, word in office.words.items() if name not in ("group", "team")}
    answers = asked(office, who)
    assert given_away(answers, words) == {}
    names = {name: office.words[name] for name in ("group", "team")}
    unasked = {path: text for path, text in answers.items() if not any(word in path for word in names.values())}
    assert given_away(unasked, names) == {}


READING = ("getMessages", "getRoomById", "getRoomByTypeAndName", "getRoomNameById", "getSingleMessage",
           "getThreadMessages", "getUsersOfRoom", "loadHistory", "loadMissedMessages", "loadNextMessages",
           "messageSearch", "messages/get", "rooms/get", "spotlight", "subscriptions/get")  # fmt: skip


def called(office: Office, who: str, methods: Iterable[str]) -> dict[str, str]:
    """What the methods of the realtime wire answer, with every room and message for whatever they take."""
    rooms, messages = office.named["rid"], office.named["msgId"]
    long_ago = {"$date": 946684800000}
    found, session = {}, requests.Session()
    for name in methods:
        for one in (*rooms, *messages, *office.named["roomName"]):
            about = {"rid": one, "tmid": one, "_id": one, "roomId": one}
            for given in ([one], [[one]], [about], [one, long_ago], [SEARCHED, one], ["p", one], ["d", one],
                          [one, {"lastUpdate": long_ago}], [one, None, 50, None]):  # fmt: skip
                asked = {"msg": "method", "id": "1", "method": name, "params": given}
                answer = session.post(
                    f"{office.served.url('chat')}/api/v1/method.call/{quote(name, safe='')}",
                    json={"message": json.dumps(asked)}, headers=office.people[who], timeout=30,
                )  # fmt: skip
                assert answer.status_code < 500, (name, given, answer.text)
                found[f"{name} {given}"] = answer.text
    return found


def test_no_method_tells_others_what_was_said_in_private(office: Office) -> None:
    seen = set(given_away(called(office, "kim", READING), office.words))
    assert {"message", "thread", "discussed", "direct", "topic"} <= seen
    assert set(READING) < set(METHODS)
    others = sorted(set(METHODS) - {"login", "logout"})
    words = {name: word for name, word in office.words.items() if name not in ("group", "team")}
    assert given_away(called(office, "lee", others), words) == {}
    assert set(given_away(called(office, "kim", READING), office.words)) == seen, "somebody else changed the rooms"
