"""What happened in chat, in words and for the journal; and what must never be written there."""

from __future__ import annotations

from pathlib import Path

from rocketchat_API.rocketchat import RocketChat  # type: ignore[import-untyped]  # it ships no types

from dayjob.company.world import Snapshot
from tests.company.chat.conftest import PASSWORD, Sign
from tests.company.serving import Served, serve


def words(served: Served) -> list[str]:
    return [one.words for one in served.company.changes("chat")]


def test_each_change_is_a_sentence(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    room = admin.channels_create("launch", members=["bea"])["channel"]["_id"]
    said = bea.chat_post_message("Done.", channel="#launch")["message"]["_id"]
    bea.chat_post_message("Truly.", room_id=room, tmid=said)
    bea.chat_post_message("psst", channel="@ada")
    admin.channels_set_topic(room, "Tulips")
    found = words(blank)
    for sentence in (
        "ada created the channel #launch",
        "ada made bea a member of #launch",
        "ada added bea to #launch",
        'bea posted "Done." in #launch',
        'bea replied "Truly." in a thread in #launch',
        'bea posted "psst" in the direct messages of bea and ada',
        'ada set the topic of #launch to "Tulips"',
    ):
        assert sentence in found


def test_what_is_taken_back_is_no_change(blank: Served, admin: RocketChat) -> None:
    before = words(blank)
    id = admin.chat_post_message("oops", channel="GENERAL")["message"]["_id"]
    admin.chat_update("GENERAL", id, "still wrong")
    admin.chat_delete("GENERAL", id)
    assert words(blank) == before


def test_reading_changes_nothing(larkspur_snapshot: Snapshot) -> None:
    with serve(larkspur_snapshot) as served:
        sam = RocketChat("sam.reed", "sam-reed-first-day", server_url=served.url("chat"))
        for room in sam.channels_list_joined():
            list(sam.channels_history(room["_id"]))
            sam.subscriptions_read(room["_id"])
        assert words(served) == []
        assert served.company.journal.accessed("chat", "/api/v1/channels.history", account="sam.reed")


def test_an_edit_tells_both_texts(blank: Served, admin: RocketChat) -> None:
    id = admin.chat_post_message("tuesday", channel="GENERAL")["message"]["_id"]
    served = blank.company.changes("chat")
    assert served[-1].words == 'ada posted "tuesday" in #general'
    admin.chat_update("GENERAL", id, "monday")
    last = blank.company.changes("chat")[-1]
    assert (last.op, last.after and last.after["text"]) == ("added", "monday")


def test_no_secret_reaches_the_journal(
    blank_snapshot: Snapshot, tmp_path: Path, sign_up: Sign, admin: RocketChat
) -> None:
    file = tmp_path / "journal"
    with serve(blank_snapshot, journal=file) as served:
        url = served.url("chat")
        RocketChat(server_url=url).users_register("eve@blank.test", "Eve", PASSWORD, "eve")
        eve = RocketChat("eve", PASSWORD, server_url=url)
        personal = eve.call_api_post("users.generatePersonalAccessToken", tokenName="bot")["token"]
        room = eve.channels_create("door")["channel"]["_id"]
        eve.channels_set_join_code(room, "open-sesame")
        hook = eve.integrations_create("webhook-incoming", "n", True, "eve", "#door", False)["integration"]
        eve.session.get(f"{url}/file-upload/x/y?rc_token={personal}&rc_uid=z")
        text = file.read_text("utf-8")
    assert "eve" in text
    for secret in (PASSWORD, eve.headers["X-Auth-Token"], personal, "open-sesame", hook["token"]):
        assert secret not in text


def test_a_refused_request_leaves_nothing_half_done(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    before = blank.call(blank.company.image, "chat")
    for body in ({"name": "new", "members": ["ada", "nobody"]}, {"name": "bad name"}):
        assert (
            bea.session.post(f"{bea.server_url}/api/v1/channels.create", json=body, headers=bea.headers).status_code
            == 400
        )
    wanted = {"channel": ["#general", "#nowhere"], "text": "to all or none"}
    assert (
        bea.session.post(f"{bea.server_url}/api/v1/chat.postMessage", json=wanted, headers=bea.headers).status_code
        == 400
    )
    assert blank.call(blank.company.image, "chat") == before


def test_the_company_is_told_of_every_message_at_once(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    heard: list[dict[str, object]] = []
    blank.company.listen(lambda topic, facts: heard.append(facts) if topic == "chat.message" else None)
    bea.chat_post_message("hello @ada", channel="GENERAL")
    assert [(one["username"], one["text"], one["mentions"], one["new"]) for one in heard] == [
        ("bea", "hello @ada", ["ada"], True)
    ]


def test_a_read_asked_again_sees_what_was_written_since(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    def seen() -> tuple[str, str, int, str]:
        newest = next(iter(bea.channels_history("GENERAL")))["msg"]
        room = bea.channels_info(room_id="GENERAL")["channel"]
        return newest, room["lastMessage"]["msg"], room["msgs"], bea.users_info(username="ada")["user"]["name"]

    admin.chat_post_message("one", channel="GENERAL")
    first = seen()
    assert seen() == first
    id = admin.chat_post_message("two", channel="GENERAL")["message"]["_id"]
    assert seen() == ("two", "two", first[2] + 1, "Ada")
    admin.chat_update("GENERAL", id, "two, corrected")
    admin.users_update(admin.me()["_id"], name="Ada Lovelace")
    assert seen() == ("two, corrected", "two, corrected", first[2] + 1, "Ada Lovelace")
    blank.call(blank.company.reset, "chat")
    assert bea.session.get(f"{bea.server_url}/api/v1/me", headers=bea.headers).status_code == 401


def test_what_was_taken_back_is_not_remembered(blank: Served, admin: RocketChat, bea: RocketChat) -> None:
    before = bea.channels_info(room_id="GENERAL")
    wanted = {"channel": ["#general", "#nowhere"], "text": "to all or none"}
    bea.session.post(f"{bea.server_url}/api/v1/chat.postMessage", json=wanted, headers=bea.headers)
    assert bea.channels_info(room_id="GENERAL") == before
    store = blank.company.service("chat").store  # type: ignore[attr-defined]  # it is Chat
    assert blank.call(store.rooms.must, "GENERAL").messages == before["channel"]["msgs"]
