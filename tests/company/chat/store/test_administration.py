"""Custom statuses, emojis, sounds, integrations and files: small collections, each with its few rules."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.base import Page
from dayjob.company.clock import stamp
from tests.company.chat.offices import ALL, Office, count, refused, said


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
    assert (count(admin.statuses(ALL, name="rest")), count(admin.statuses(ALL, id=made))) == (1, 1)
    admin.delete_status(made)
    assert refused(admin.delete_status, made)
    assert count(admin.statuses(ALL)) == 1


def test_emojis_and_sounds_are_named_once(office: Office) -> None:
    admin = office.store.administration
    admin.save_emoji("rose", ["flower"], file=("b", "image/png", "png"))
    for name, aliases in (("rose", []), ("", []), ("a b", []), ("x", ["a b"])):
        assert refused(admin.save_emoji, name, aliases, file=("b", "image/png", "png")), name
    rose = admin.emoji("rose")
    admin.save_emoji("rosa", [], id=rose.id)
    assert (admin.emoji(rose.id).name, count(admin.emojis(ALL, name="ros")), count(admin.emojis(ALL, since="9"))) == (
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
    ("webhook-incoming", "#ID", True), ("webhook-incoming", "@#garden", False), ("webhook-outgoing", "nowhere", False),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "channel", "good"), CHANNELS)
def test_where_an_integration_writes(office: Office, room: Room, kind: str, channel: str, good: bool) -> None:
    channel = channel.replace("ID", room.id)
    facts: dict[str, Any] = {"name": "Hook", "enabled": True, "username": "ann", "channels": [channel], "facts": {}}
    admin = office.store.administration
    assert refused(admin.save_integration, kind, office.root, **facts) is not good
    assert refused(admin.save_integration, kind, office.root, **{**facts, "username": "none"})
    ann = office.store.accounts.named("ann")
    assert ann is not None
    assert refused(admin.save_integration, kind, ann, **facts)
    if good:
        made = admin.integrations(ALL)[0][0]
        assert count(admin.integrations(ALL, channel=channel)) == 1
        assert count(admin.integrations(ALL, channel="#other")) == 0
        changed = admin.save_integration(kind, office.root, **{**facts, "name": "Other"}, id=made.id)
        assert (changed.name, changed.token) == ("Other", made.token)
        assert refused(admin.save_integration, kind, office.root, **facts, id="nothing")
        assert refused(admin.remove_integration, made.id, ann)
        admin.remove_integration(made.id, office.root)
        assert refused(admin.integration, made.id)


@pytest.mark.parametrize("kind", ["incoming", "outgoing", "sideways", "webhook-sideways", "webhook-", ""])
def test_an_integration_is_an_incoming_or_an_outgoing_webhook(office: Office, ann: User, kind: str) -> None:
    with pytest.raises(ChatError, match="Invalid integration type"):
        office.store.administration.save_integration(
            kind, office.root, name="Hook", enabled=True, username="ann", channels=[], facts={}
        )


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
        assert count(uploads.listing(room, ALL, **asked)) == expected, asked
    uploads.delete(text)
    assert uploads.get(text.id) is None
    assert uploads.get(picture.id) is not None


def test_those_who_listen_hear_what_happened_and_to_whom(office: Office, room: Room, ann: User, bob: User) -> None:
    heard: list[tuple[str, Any, Any]] = []
    members = office.store.members
    (message,) = said(office, room, ann, "hello")
    office.store.listener = lambda topic, facts: heard.append((topic, facts.get("kind"), facts.get("user_id")))
    office.store.unread.mark_read(room, bob)
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


def test_what_changed_after_a_moment_is_told_and_what_did_at_it_is_not(office: Office) -> None:
    admin, access = office.store.administration, office.store.access
    before = office.store.now()
    assert access.permissions(before) == []
    assert access.roles(before) == []
    assert len(access.permissions()) == len(access.permissions("0")) > 10
    office.company.clock.forward(seconds=1)
    access.grant({"pin-message": ["owner", "leader"]})
    role = access.create_role("gardener", "Users", "digs", True)
    admin.save_emoji("rose", ["flower"], file=("b", "image/png", "png"))
    now = office.store.now()
    assert access.permissions(before) == [("pin-message", ["owner", "leader"], now)]
    assert [one.id for one in access.roles(before)] == [role.id]
    assert [one.name for one in admin.emojis(ALL, since=before)[0]] == ["rose"]
    assert (access.permissions(now), access.roles(now), admin.emojis(ALL, since=now)) == ([], [], ([], 0))


def test_what_is_kept_of_emojis_and_sounds(office: Office) -> None:
    admin = office.store.administration
    admin.save_emoji("rose", ["flower"], file=("b", "image/png", "png"))
    made = admin.emoji("rose")
    assert (made.aliases, made.blob, made.type, made.extension, made.updated_at) == (
        '["flower"]', "b", "image/png", "png", office.store.now(),
    )  # fmt: skip
    office.company.clock.forward(seconds=1)
    admin.save_emoji("rose", [], id=made.id)
    kept = admin.emoji(made.id)
    assert (kept.aliases, kept.blob, kept.updated_at) == ("[]", "b", office.store.now())
    admin.save_emoji("tulip", [], file=("c", "image/gif", "gif"))
    assert refused(admin.save_emoji, "tulip", [], id=made.id)
    assert [one.name for one in admin.emojis(Page(1, 1))[0]] == ["tulip"]
    admin.delete_emoji(made.id)
    assert [one.name for one in admin.emojis(ALL)[0]] == ["tulip"]
    bell, gong = admin.save_sound("bell", "mp3"), admin.save_sound("gong", "ogg")
    assert admin.sounds(ALL) == (
        [(bell, "bell", "mp3", office.store.now()), (gong, "gong", "ogg", office.store.now())], 2,
    )  # fmt: skip
    assert admin.sounds(ALL, "GO") == ([(gong, "gong", "ogg", office.store.now())], 1)
    assert admin.sounds(Page(1, 1)) == ([(gong, "gong", "ogg", office.store.now())], 2)
    assert refused(admin.save_sound, "gong", "mp3", bell)
    admin.delete_sound(bell)
    assert [one[0] for one in admin.sounds(ALL)[0]] == [gong]


def test_what_is_kept_of_an_integration(office: Office, room: Room, ann: User) -> None:
    admin = office.store.administration
    facts = {"name": "Hook", "enabled": False, "username": "ann", "channels": ["#garden"], "facts": {"alias": "x"}}
    made = admin.save_integration("webhook-incoming", office.root, **facts)  # type: ignore[arg-type]  # each has its own type
    assert (made.type, made.name, made.enabled, made.username, made.user_id, made.created_by) == (
        "webhook-incoming", "Hook", 0, "ann", ann.id, office.root.id,
    )  # fmt: skip
    assert (made.channels, made.facts, made.created_at, made.updated_at) == (
        '["#garden"]', '{"alias":"x"}', office.store.now(), office.store.now(),
    )  # fmt: skip
    assert len(made.token) == 43
    other = admin.save_integration("webhook-outgoing", office.root, **facts)  # type: ignore[arg-type]  # each has its own type
    assert other.token != made.token
    admin.remove_integration(other.id, office.root)
    assert [one.id for one in admin.integrations(ALL)[0]] == [made.id]


INVITES = [(days, uses) for days in (0, 1, 7, 15, 30) for uses in (0, 1, 5, 10, 25, 50, 100)]


@pytest.mark.parametrize(("days", "uses"), INVITES)
def test_an_invite_keeps_its_limits_and_is_given_again_while_it_works(
    office: Office, room: Room, ann: User, days: int, uses: int
) -> None:
    admin = office.store.administration
    made = admin.invite(room, ann, days, uses)
    end = stamp(office.store.clock.now() + timedelta(days=days)) if days else None
    assert (made.room_id, made.user_id, made.days, made.max_uses, made.uses, made.expires) == (
        room.id, ann.id, days, uses, 0, end,
    )  # fmt: skip
    assert (len(made.id), made.created_at) == (6, office.store.now())
    assert admin.invite(room, ann, days, uses) == made
    office.store.update("invites", made.id, uses=uses)
    assert (admin.invite(room, ann, days, uses).id == made.id) is (uses == 0)
    office.store.update("invites", made.id, uses=0)
    office.company.clock.forward(days=days)
    assert (admin.usable(made.id).id, refused(admin.invite, room, ann, days + 2, uses)) == (made.id, True)
    office.company.clock.forward(seconds=1)
    assert refused(admin.usable, made.id) is bool(days)
