"""Chat's part of a world: what its files become, and what is said about those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from dayjob.company.world import Snapshot, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.serving import WORLDS, Served, serve

PEOPLE = {
    "ann": "name: Ann Ash\nusername: ann\npassword: ann-pass\ntitle: Gardener\nchannels: [shed]\n",
    "ben": "name: Ben Birch\nusername: ben\n",
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A small sound world; tests break it."""
    folder = tmp_path / "world"
    files = {
        "world.toml": 'format = 1\nname = "Shed"\nhost = "shed.test"\nnow = 2026-03-09T09:00:00Z\n'
        '[accounts.chat]\nusername = "head"\npassword = "head-pass"\n',
        "chat/channels/shed.yml": "name: shed\ntopic: tools\nowner: ben\nmessages:\n"
        "  - {from: ben, at: 2026-03-01T10:00:00Z, text: 'where is the spade, @ann?', pinned: true,\n"
        "     thread: [{from: ann, at: 2026-03-01T10:05:00Z, text: in the shed}],\n"
        "     reactions: {':eyes:': [ann]}}\n"
        "  - {from: ann, at: 2026-03-02T10:00:00Z, text: 'see #shed'}\n",
        "chat/direct/ann-ben.yml": "between: [ann, ben]\nmessages:\n"
        "  - {from: ann, at: 2026-03-03T10:00:00Z, text: thanks}\n",
        "chat/settings.yml": "Message_MaxAllowedSize: 100\n",
        **{f"people/{name}.yml": text for name, text in PEOPLE.items()},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Reader:
    def __init__(self, served: Served, user: str, password: str) -> None:
        self.url = f"{served.url('chat')}/api/v1"
        found = requests.post(f"{self.url}/login", json={"user": user, "password": password}).json()["data"]
        self.headers = {"X-Auth-Token": found["authToken"], "X-User-Id": found["userId"]}

    def get(self, endpoint: str, **parameters: str) -> dict[str, list[dict[str, object]]]:
        answer: dict[str, list[dict[str, object]]] = requests.get(
            f"{self.url}/{endpoint}", params=parameters, headers=self.headers
        ).json()
        return answer


def test_files_become_rooms_members_and_messages(world: Path, tmp_path: Path) -> None:
    with serve(build_snapshot(world, cache=tmp_path / "cache")) as served:
        ann = Reader(served, "ann", "ann-pass")
        found = ann.get("channels.history", roomName="shed")["messages"]
        assert [one["msg"] for one in found] == ["see #shed", "in the shed", "where is the spade, @ann?"]
        root = found[2]
        assert (root["tcount"], root["pinned"], root["ts"]) == (1, True, "2026-03-01T10:00:00.000Z")
        assert root["reactions"] == {":eyes:": {"usernames": ["ann"]}}
        assert [one["msg"] for one in ann.get("chat.getMentionedMessages", roomId=str(root["rid"]))["messages"]] == [
            root["msg"]
        ]
        assert [
            one["msg"] for one in ann.get("chat.search", roomId=str(root["rid"]), searchText="spade")["messages"]
        ] == [root["msg"]]
        assert [one["username"] for one in ann.get("channels.members", roomName="shed")["members"]] == ["ann", "ben"]
        ben = ann.get("users.info", username="ben")["user"]["_id"]  # type: ignore[call-overload]  # a mapping here
        assert [one["msg"] for one in ann.get("im.history", roomId=ben)["messages"]] == ["thanks"]
        assert {one["username"] for one in ann.get("channels.members", roomName="general")["members"]} == {
            "ann", "ben", "head", "rocket.cat",
        }  # fmt: skip
        assert all(one["unread"] == 0 for one in ann.get("subscriptions.get")["update"])
        long = requests.post(
            f"{ann.url}/chat.postMessage", json={"channel": "shed", "text": "x" * 101}, headers=ann.headers
        )
        assert long.json()["errorType"] == "error-message-size-exceeded"
        head = Reader(served, "head", "head-pass")
        assert str(head.get("me")["roles"]) == "['user', 'admin']"


def test_the_same_files_make_the_same_bytes(world: Path, tmp_path: Path) -> None:
    images = [(build_snapshot(world, cache=tmp_path / name).path / "chat.db").read_bytes() for name in ("one", "two")]
    assert images[0] == images[1]


@pytest.mark.parametrize(
    ("file", "text", "rule", "line", "part"),
    [
        ("chat/channels/shed.yml", "name: shed\nmembers: [ann, zed]\n", "unknown-person", 2, "'zed'"),
        ("chat/channels/two.yml", "name: Shed\n", "duplicate", 1, "already in chat/channels/shed.yml"),
        ("chat/channels/x.yml", "name: a b\n", "chat", 1, "not a channel name"),
        ("chat/channels/x.yml", "name: x\ntype: secret\n", "chat", 2, "public or private"),
        ("chat/channels/x.yml", "name: x\ncolour: red\n", "chat", 2, "'colour'"),
        ("chat/channels/x.yml", "- 1\n", "chat", 1, "not a mapping"),
        (
            "chat/channels/x.yml",
            "name: x\nmessages:\n  - {from: ann, at: 2026-01-01, text: hi}\n",
            "not-a-member",
            3,
            "not a member",
        ),
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: soon, text: hi}\n",
            "chat",
            4,
            "no time",
        ),
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: 2026-01-01}\n",
            "chat",
            4,
            "no text",
        ),
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: 2026-01-02, text: b}\n"
            "  - {from: ann, at: 2026-01-01, text: a}\n",
            "time-order",
            5,
            "older than the one before",
        ),
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: 2027-01-01, text: a}\n",
            "time-order",
            4,
            "'now'",
        ),
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: 2026-01-01, text: a, reactions: {':x:': [zed]}}\n",
            "unknown-person",
            4,
            "'zed'",
        ),
        ("chat/direct/b.yml", "between: [ben, ann]\n", "duplicate", 1, "already in"),
        ("chat/direct/b.yml", "between: [ann]\n", "chat", 1, "at least two"),
        ("chat/direct/b.yml", "between: [ann, ann]\n", "duplicate", 1, "twice"),
        ("chat/settings.yml", "Message_MaxAllowedSize: much\n", "chat", 1, "must be a int"),
        ("chat/settings.yml", "No_Such_Setting: 1\n", "chat", 1, "means nothing"),
        ("chat/notes.txt", "hello\n", "chat", 0, "Nothing reads this file"),
        ("people/ann.yml", PEOPLE["ann"].replace("[shed]", "[attic]"), "unknown-channel", 5, "'attic'"),
        ("people/zed.yml", "name: Zed\nusername: head\n", "duplicate", 2, "taken in chat"),
        ("people/zed.yml", "name: Zed\nusername: zed\nchat: {roles: [king]}\n", "chat", 3, "roles that exist"),
        ("people/zed.yml", "name: Zed\nusername: zed\nchat: admin\n", "chat", 3, "roles that exist"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    world: Path, file: str, text: str, rule: str, line: int, part: str
) -> None:
    (world / file).write_text(text)
    found = [one for one in check_world(world) if one.rule == rule]
    assert [(one.file, one.line) for one in found] == [(file, line)], check_world(world)
    assert part in found[0].message


def test_the_worlds_we_ship_are_sound(larkspur_snapshot: Snapshot, blank_snapshot: Snapshot) -> None:
    for name in ("blank", "larkspur"):
        assert check_world(WORLDS / name) == []


def test_larkspur_talks_in_sixteen_channels_two_of_them_behind_a_door(larkspur: Served) -> None:
    sam = Reader(larkspur, "sam.reed", "sam-reed-first-day")
    public = {str(one["name"]): one["msgs"] for one in sam.get("channels.list", count="50")["channels"]}
    assert len(public) == 14
    assert {"finance", "people"}.isdisjoint(public)
    assert all(int(str(messages)) >= 20 for messages in public.values()), public
    joined = {one["name"] for one in sam.get("channels.list.joined")["channels"]}
    assert joined == {
        "general", "launch", "random", "operations", "engineering", "support", "product", "releases", "office", "kudos",
    }  # fmt: skip
    assert sam.get("groups.list")["groups"] == []


def test_a_decision_in_a_channel_is_read_without_joining(larkspur: Served) -> None:
    sam = Reader(larkspur, "sam.reed", "sam-reed-first-day")
    found = sam.get("channels.history", roomName="platform", count="100")["messages"]
    decisions = [str(one["msg"]) for one in found if str(one["msg"]).startswith("Decision: ")]
    assert len(decisions) == 11
    assert "thirty minutes" in "".join(decisions)
