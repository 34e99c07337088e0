"""Chat's part of a world: what its files become, and what is said about those that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from dayjob.company.world import Snapshot, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.serving import WORLDS, Served, serve

PEOPLE = {
    "ann": "name: Ann Ash\nusername: ann\npassword: ann-pass\ntitle: Gardener\nchannels: [shed]\n",
    "ben": "name: Ben Birch\nusername: ben\n",
}


SENT = "name: x\nmembers: [ann]\nmessages:\n  - {from: ann, at: 2026-01-01, "


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
        "  - {from: ann, at: 2026-03-03T10:00:00Z, text: thanks}\n"
        "  - {from: ben, at: 2026-03-03T10:01:00Z, attachments: [seen.txt]}\n",
        "chat/files/seen.txt": "seen",
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
        assert [one["msg"] for one in ann.get("im.history", roomId=ben)["messages"]] == ["", "thanks"]
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


def test_a_messages_attachments_are_files_of_the_room(world: Path, tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    (world / "chat/files/deep").mkdir()
    (world / "chat/files/deep/shed.png").write_bytes(picture)
    (world / "chat/channels/attic.yml").write_text(
        "name: attic\ntype: private\nmembers: [ann]\nmessages:\n"
        "  - {from: ann, at: 2026-03-01T10:00:00Z, text: 'From above:', attachments: ["
        "{file: deep/shed.png, name: The shed.png, description: Before the storm}, seen.txt]}\n"
    )
    with serve(build_snapshot(world, cache=tmp_path / "cache")) as served:
        ann = Reader(served, "ann", "ann-pass")
        message = ann.get("groups.history", roomName="attic")["messages"][0]
        files = [{key: one[key] for key in ("name", "type", "size")} for one in message["files"]]  # type: ignore[attr-defined]  # a list here
        assert files == [
            {"name": "The shed.png", "type": "image/png", "size": len(picture)},
            {"name": "seen.txt", "type": "text/plain", "size": 4},
        ]
        attachments: list[dict[str, str]] = message["attachments"]  # type: ignore[assignment]  # a list here
        assert [one.get("description") for one in attachments] == ["Before the storm", None]
        assert attachments[0]["image_url"] == attachments[0]["title_link"]
        for about, content in zip(attachments, (picture, b"seen"), strict=True):
            link = f"{served.url('chat')}{about['title_link']}"
            assert requests.get(link, headers=ann.headers).content == content
            assert requests.get(link).status_code == 403
        listed = ann.get("groups.files", roomName="attic")["files"]
        assert sorted(str(one["name"]) for one in listed) == ["The shed.png", "seen.txt"]


@pytest.mark.parametrize(
    ("written", "roles", "made_by"),
    [
        ("", {"ann": ["owner"]}, "ann"),
        ("owner: ben\n", {"ben": ["owner"]}, "ben"),
        ("owners: [ben, ann]\n", {"ann": ["owner"], "ben": ["owner"]}, "ben"),
        ("owner: ann\nowners: [ben]\n", {"ann": ["owner"], "ben": ["owner"]}, "ann"),
        ("owners: []\n", {}, None),
        ("owners: [ann]\nmoderators: [ann, ben]\nleaders: [ben]\n",
         {"ann": ["owner", "moderator"], "ben": ["moderator", "leader"]}, "ann"),
        ("moderators: [ben]\n", {"ann": ["owner"], "ben": ["moderator"]}, "ann"),
    ],
)  # fmt: skip
def test_a_channels_roles_are_those_a_world_gives(
    world: Path, tmp_path: Path, written: str, roles: dict[str, list[str]], made_by: str | None
) -> None:
    (world / "chat/channels/attic.yml").write_text(f"name: attic\nmembers: [ann, ben]\n{written}")
    with serve(build_snapshot(world, cache=tmp_path / "cache")) as served:
        head = Reader(served, "head", "head-pass")
        found: list[dict[str, Any]] = head.get("channels.roles", roomName="attic")["roles"]
        assert {one["u"]["username"]: one["roles"] for one in found} == roles
        room: dict[str, Any] = head.get("channels.info", roomName="attic")["channel"]  # type: ignore[assignment]  # one
        assert room.get("u", {}).get("username") == made_by


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
        (
            "chat/channels/x.yml",
            "name: x\nmembers: [ann]\nowners: [ben]\n",
            "not-a-member",
            3,
            "ben is among the owners",
        ),
        ("chat/channels/x.yml", "name: x\nmembers: [ann]\nmoderators: [ben]\n", "not-a-member", 3, "the moderators"),
        ("chat/channels/x.yml", "name: x\nmembers: [ann]\nleaders: [head]\n", "not-a-member", 3, "the leaders"),
        ("chat/channels/x.yml", "name: x\nowners: [zed]\n", "unknown-person", 2, "'zed'"),
        ("chat/channels/x.yml", "name: x\nowners: ann\n", "chat", 2, "must be a list"),
        ("chat/channels/x.yml", SENT + "attachments: [a.txt]}\n", "dangling", 4, "no file 'chat/files/a.txt'"),
        ("chat/channels/x.yml", SENT + "attachments: [../shed.yml]}\n", "dangling", 4, "no file"),
        ("chat/channels/x.yml", SENT + "attachments: a.txt}\n", "chat", 4, "must be a list of files"),
        ("chat/channels/x.yml", SENT + "attachments: [[7]]}\n", "dangling", 4, "no file"),
        ("chat/channels/x.yml", SENT + "attachments: [{file: seen.txt, colour: red}]}\n", "chat", 4, "'colour' means"),
        ("chat/channels/x.yml", SENT + "attachments: [{file: seen.txt, name: a/b}]}\n", "chat", 4, "without '/'"),
        (
            "chat/channels/x.yml",
            SENT + "attachments: [{file: seen.txt, description: [7]}]}\n",
            "chat",
            4,
            "must be text",
        ),
        ("chat/files/stray.txt", "hello\n", "chat", 0, "Nothing reads this file"),
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
