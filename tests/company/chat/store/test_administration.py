"""Custom statuses, emojis, sounds, integrations and files: small collections, each with its few rules."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.chat.rows import Room, User
from tests.company.chat.offices import ALL, Office, refused, said


def test_custom_statuses_have_a_name_of_their_own_and_a_known_kind(office: Office) -> None:
    admin = office.store.administration
    made, other = admin.save_status("Gardening", "busy"), admin.save_status("Resting", "away")
    for name, kind in (("Gardening", "busy"), (" ", "busy"), ("<b>", "busy"), ('"', "away"), ("x", "asleep")):
        assert refused(admin.save_status, name, kind), name
    admin.save_status("Gardening", "away", made)
    assert refused(admin.save_status, "Resting", "away", made)
    assert refused(admin.save_status, "New", "away", "nothing")
    assert [(id, name, kind) for id, name, kind, _ in admin.statuses(ALL)[0]] == [
        (made, "Gardening", "away"), (other, "Resting", "away"),
    ]  # fmt: skip
    assert (admin.statuses(ALL, name="rest")[1], admin.statuses(ALL, id=made)[1]) == (1, 1)
    admin.delete_status(made)
    assert refused(admin.delete_status, made)
    assert admin.statuses(ALL)[1] == 1


def test_emojis_and_sounds_are_named_once(office: Office) -> None:
    admin = office.store.administration
    admin.save_emoji("rose", ["flower"], file=("b", "image/png", "png"))
    for name, aliases in (("rose", []), ("", []), ("a b", []), ("x", ["a b"])):
        assert refused(admin.save_emoji, name, aliases, file=("b", "image/png", "png")), name
    rose = admin.emoji("rose")
    admin.save_emoji("rosa", [], id=rose.id)
    assert (admin.emoji(rose.id).name, admin.emojis(ALL, name="ros")[1], admin.emojis(ALL, since="9")[1]) == (
        "rosa",
        1,
        0,
    )
    admin.delete_emoji("rosa")
    assert refused(admin.emoji, "rosa")
    bell = admin.save_sound("bell", "mp3")
    assert refused(admin.save_sound, "bell", "mp3")
    assert refused(admin.save_sound, "<", "mp3")
    assert admin.save_sound("gong", "mp3", bell) == bell
    assert [name for _, name, _, _ in admin.sounds(ALL)[0]] == ["gong"]
    admin.delete_sound(bell)
    assert refused(admin.delete_sound, bell)
    admin.set_asset("logo", "blob", "image/png")
    assert admin.asset("logo") == ("blob", "image/png")
    admin.unset_asset("logo")
    assert admin.asset("logo") is None


CHANNELS = [
    ("webhook-incoming", "#garden", True), ("webhook-incoming", "@ann", True), ("webhook-incoming", "#none", False),
    ("webhook-incoming", "@none", False), ("webhook-incoming", "garden", False),
    ("webhook-incoming", "all_public_channels", False), ("webhook-outgoing", "all_public_channels", True),
    ("webhook-outgoing", "all_private_groups", True), ("webhook-outgoing", "all_direct_messages", True),
    ("sideways", "#garden", False), ("webhook-sideways", "#garden", False),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "channel", "good"), CHANNELS)
def test_where_an_integration_writes(office: Office, room: Room, kind: str, channel: str, good: bool) -> None:
    facts: dict[str, Any] = {"name": "Hook", "enabled": True, "username": "ann", "channels": [channel], "facts": {}}
    admin = office.store.administration
    assert refused(admin.save_integration, kind, office.root, **facts) is not good
    assert refused(admin.save_integration, kind, office.root, **{**facts, "username": "none"})
    ann = office.store.accounts.named("ann")
    assert ann is not None
    assert refused(admin.save_integration, kind, ann, **facts)
    if good:
        made = admin.integrations(ALL)[0][0]
        assert admin.integrations(ALL, channel=channel)[1] == 1
        assert admin.integrations(ALL, channel="#other")[1] == 0
        changed = admin.save_integration(kind, office.root, **{**facts, "name": "Other"}, id=made.id)
        assert (changed.name, changed.token) == ("Other", made.token)
        assert refused(admin.save_integration, kind, office.root, **facts, id="nothing")
        assert refused(admin.remove_integration, made.id, ann)
        admin.remove_integration(made.id, office.root)
        assert refused(admin.integration, made.id)


def test_a_file_is_sent_as_a_message_and_listed_by_name_and_kind(office: Office, room: Room, ann: User) -> None:
    uploads = office.store.uploads
    picture, text = (
        uploads.add(room, ann, name, kind, office.company.blobs.put(name.encode()))
        for name, kind in (("rose.png", "image/png"), ("notes.txt", "text/plain"))
    )
    assert (picture.size, picture.name) == (8, "rose.png")
    sent = uploads.send(picture, office.again(room), ann, text="look", description="A rose", thread_id=None)
    assert (sent.text, sent.groupable) == ("look", 0)
    assert '"image_url"' in (sent.attachments or "")
    assert '"A rose"' in (sent.attachments or "")
    for asked, expected in (({}, 2), ({"name": "ROSE"}, 1), ({"group": "text"}, 1), ({"group": "video"}, 0),
                            ({"group": "nonsense"}, 2)):  # fmt: skip
        assert uploads.listing(room, ALL, **asked)[1] == expected, asked
    uploads.delete(text)
    assert uploads.get(text.id) is None
    assert uploads.get(picture.id) is not None


def test_those_who_listen_hear_what_happened_and_to_whom(office: Office, room: Room, ann: User, bob: User) -> None:
    heard: list[tuple[str, Any, Any]] = []
    members = office.store.members
    (message,) = said(office, room, ann, "hello")
    office.store.listener = lambda topic, facts: heard.append((topic, facts.get("kind"), facts.get("user_id")))
    members.mark_read(room, bob)
    members.set_open(room, bob, False)
    office.store.messages.delete(message, ann)
    members.kick(room, ann, bob)
    assert heard == [
        ("membership", "updated", bob.id), ("membership", "updated", bob.id), ("message-deleted", None, None),
        ("membership", "removed", bob.id), ("message", None, None),
    ]  # fmt: skip
    assert [id for _, id, _ in members.left_since(bob, "")] == [room.id]
    heard.clear()
    assert refused(members.kick, room, ann, bob)
    assert heard == []
    direct = office.store.rooms.open_direct(ann, [bob])
    assert office.store.history.between(direct) == []
    assert [members.must(direct.id, user.id).open for user in (ann, bob)] == [1, 0]
