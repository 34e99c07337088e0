"""Any sequence of ordinary actions leaves chat in the state a simple model predicts."""

# ruff: noqa: PT017 - whether an action is refused is what the model predicts

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.store.base import Page
from tests.company.chat.offices import Office

NAMES = ("ann", "ben", "cy")
texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["@ann", "hello @ben", "@ben and @cy", "@all", "come @here @ann", "mail@ann.test", "@nobody"]),
)
UNREAD = {"alert": 0, "unread": 0, "user_mentions": 0, "group_mentions": 0}


def named_in(text: str) -> tuple[set[str], bool]:
    """Whom a text of `texts` names, and whether it names everybody; random text is taken to name nobody."""
    words = text.split(" ")
    return {name for name in NAMES if f"@{name}" in words}, "@all" in words or "@here" in words


class Model:
    """A room as it should be: who is in it, who owns it, what was said, and what each has not read."""

    def __init__(self, owner: str, kind: str) -> None:
        self.kind = kind
        self.members = {owner}
        self.owners = {owner}
        self.texts: dict[str, str] = {}
        self.authors: dict[str, str] = {}
        self.threads: dict[str, str] = {}
        """A reply's thread."""
        self.followers: dict[str, set[str]] = {}
        self.pinned: set[str] = set()
        self.reactions: dict[str, dict[str, set[str]]] = {}
        self.unread = {owner: dict(UNREAD)}
        self.unread_threads: dict[str, set[str]] = {owner: set()}

    def enter(self, who: str) -> None:
        if who not in self.members:
            self.members.add(who)
            self.unread[who], self.unread_threads[who] = dict(UNREAD), set()

    def go(self, who: str) -> None:
        self.members.discard(who)
        self.owners.discard(who)
        del self.unread[who], self.unread_threads[who]

    def note(self, author: str, text: str, thread: str | None) -> None:
        """Mark a message as unread for the others."""
        named, everybody = named_in(text)
        if thread is not None:
            self.followers.setdefault(thread, set()).update({self.authors[thread], author} | named)
            for who in self.followers[thread] & self.members - {author}:
                self.unread_threads[who].add(thread)
                self.unread[who]["alert"] = 1
                self.unread[who]["unread"] += who in named
                self.unread[who]["user_mentions"] += who in named
            return
        for who in self.members - {author}:
            marks = self.unread[who]
            marks["alert"] = 1
            marks["unread"] += self.kind == "d" or everybody or who in named
            marks["group_mentions"] += everybody
            marks["user_mentions"] += who in named
        if author in self.members:
            self.unread[author] = dict(UNREAD)


class ChatMachine(RuleBasedStateMachine):
    rooms = Bundle("rooms")
    messages = Bundle("messages")

    def __init__(self) -> None:
        super().__init__()
        self.office = Office()
        self.store = self.office.store
        self.model: dict[str, Model] = {}
        self.people: dict[str, Any] = {}

    def teardown(self) -> None:
        self.office.company.close()

    @initialize()
    def everyone_registers(self) -> None:
        for name in NAMES:
            self.people[name] = self.store.accounts.register(
                username=name, name=name.title(), email=f"{name}@x.test", password=None, roles=["user"]
            )

    @rule(target=rooms, who=st.sampled_from(NAMES), kind=st.sampled_from("cp"))
    def create(self, who: str, kind: str) -> str:
        room = self.store.rooms.create(kind, f"room{len(self.model)}", self.people[who])
        self.model[room.id] = Model(who, kind)
        return room.id

    @rule(target=rooms, who=st.sampled_from(NAMES), other=st.sampled_from(NAMES))
    def talk(self, who: str, other: str) -> str:
        room = self.store.rooms.open_direct(self.people[who], [self.people[other]])
        if room.id not in self.model:
            self.model[room.id] = model = Model(who, "d")
            model.owners.clear()
            model.enter(other)
        return room.id

    def tried(self, allowed: bool, what: Callable[[], Any]) -> Any:
        """Do it; it is refused exactly when the model says so."""
        try:
            done = what()
        except ChatError as error:
            assert not allowed, error
            return None
        assert allowed
        return done

    @rule(id=rooms, who=st.sampled_from(NAMES))
    def join(self, id: str, who: str) -> None:
        model = self.model[id]
        try:
            self.store.members.join(self.store.rooms.must(id), self.people[who])
        except ChatError:
            assert model.kind != "c"
            assert who not in model.members
        else:
            assert model.kind == "c" or who in model.members
            model.enter(who)

    @rule(id=rooms, by=st.sampled_from(NAMES), who=st.sampled_from(NAMES))
    def invite(self, id: str, by: str, who: str) -> None:
        model = self.model[id]
        allowed = by in model.owners and model.kind != "d"
        try:
            self.store.members.invite(self.store.rooms.must(id), self.people[by], self.people[who])
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            model.enter(who)

    @rule(id=rooms, who=st.sampled_from(NAMES))
    def leave(self, id: str, who: str) -> None:
        model = self.model[id]
        allowed = who in model.members and model.owners != {who} and model.kind != "d"
        try:
            self.store.members.leave(self.store.rooms.must(id), self.people[who])
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            model.go(who)

    @rule(id=rooms, who=st.sampled_from(NAMES), held=st.booleans())
    def own(self, id: str, who: str, held: bool) -> None:
        model = self.model[id]
        allowed = who in model.members and (who in model.owners) != held and (held or model.owners != {who})
        try:
            self.store.members.set_role(id, self.people[who], "owner", held=held)
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            (model.owners.add if held else model.owners.discard)(who)

    @rule(target=messages, id=rooms, who=st.sampled_from(NAMES), text=texts)
    def post(self, id: str, who: str, text: str) -> tuple[str, str]:
        return (id, self.written(id, who, text, None))

    @rule(target=messages, where=messages, who=st.sampled_from(NAMES), text=texts)
    def reply(self, where: tuple[str, str], who: str, text: str) -> tuple[str, str]:
        id, root = where
        model = self.model[id]
        thread = model.threads.get(root, root)
        return (id, self.written(id, who, text, root) if root in model.texts and thread in model.texts else "")

    def written(self, id: str, who: str, text: str, reply_to: str | None) -> str:
        model = self.model[id]
        room, user = self.store.rooms.must(id), self.people[who]
        allowed = who in model.members or model.kind == "c"
        message = self.tried(allowed, lambda: self.store.messages.post(room, user, text, thread_id=reply_to))
        if message is None:
            return ""
        thread = model.threads.get(reply_to, reply_to) if reply_to is not None else None
        model.texts[message.id], model.authors[message.id] = text, who
        if thread is not None:
            model.threads[message.id] = thread
        model.note(who, text, thread)
        return str(message.id)

    @rule(where=messages, who=st.sampled_from(NAMES), emoji=st.sampled_from(["smile", "tada"]))
    def react(self, where: tuple[str, str], who: str, emoji: str) -> None:
        id, message_id = where
        model = self.model[id]
        if message_id not in model.texts:
            return
        message = self.store.messages.must(message_id)
        allowed = who in model.members or model.kind == "c"
        if self.tried(allowed, lambda: self.store.messages.react(message, self.people[who], emoji)):
            model.reactions.setdefault(message_id, {}).setdefault(f":{emoji}:", set()).symmetric_difference_update(
                {who}
            )

    @rule(where=messages, who=st.sampled_from(NAMES), pinned=st.booleans())
    def pin(self, where: tuple[str, str], who: str, pinned: bool) -> None:
        id, message_id = where
        model = self.model[id]
        if message_id not in model.texts:
            return
        message = self.store.messages.must(message_id)
        allowed = who in (model.members if model.kind == "d" else model.owners)
        allowed = allowed and not (pinned and message_id in model.pinned)
        change = self.store.messages.pin if pinned else self.store.messages.unpin
        if self.tried(allowed, lambda: change(message, self.people[who])):
            (model.pinned.add if pinned else model.pinned.discard)(message_id)

    @rule(id=rooms, who=st.sampled_from(NAMES))
    def mark_read(self, id: str, who: str) -> None:
        model = self.model[id]
        self.tried(
            who in model.members, lambda: self.store.unread.mark_read(self.store.rooms.must(id), self.people[who])
        )
        if who in model.members:
            model.unread[who], model.unread_threads[who] = dict(UNREAD), set()

    @rule(where=messages, who=st.sampled_from(NAMES), text=st.text(max_size=20))
    def edit(self, where: tuple[str, str], who: str, text: str) -> None:
        id, message_id = where
        message = self.store.messages.get(message_id)
        model = self.model[id]
        assert (message is not None) == (message_id in model.texts)
        if message is None:
            return
        allowed = (model.authors[message_id] == who or who in model.owners) and (
            who in model.members or model.kind == "c"
        )
        try:
            self.store.messages.edit(message, self.people[who], text)
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            model.texts[message_id] = text

    @rule(where=messages, who=st.sampled_from(NAMES))
    def delete(self, where: tuple[str, str], who: str) -> None:
        id, message_id = where
        message = self.store.messages.get(message_id)
        model = self.model[id]
        if message is None:
            return
        allowed = model.authors[message_id] == who or who in model.owners
        allowed = allowed and (who in model.members or model.kind == "c")
        try:
            self.store.messages.delete(message, self.people[who])
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            del model.texts[message_id], model.authors[message_id]
            model.pinned.discard(message_id)
            model.reactions.pop(message_id, None)

    @precondition(lambda self: bool(self.model))
    @invariant()
    def rooms_are_as_the_model_says(self) -> None:
        names = {user.id: name for name, user in self.people.items()}
        for id, model in self.model.items():
            room = self.store.rooms.must(id)
            assert {names[one] for one in self.store.members.user_ids(id)} == model.members
            assert room.members == len(model.members)
            assert {
                user.username for member, user in self.store.members.holders(id) if "owner" in member.role_list()
            } == model.owners
            written = [one for one in self.store.history.between(room, count=0) if one.type is None]
            assert {one.id: one.text for one in written} == model.texts
            assert room.messages == self.store.value("SELECT count(*) FROM messages WHERE room_id = ?", id)
            assert [one.at for one in written] == sorted((one.at for one in written), reverse=True)

    @precondition(lambda self: bool(self.model))
    @invariant()
    def what_is_unread_pinned_and_reacted_to_agrees(self) -> None:
        for id, model in self.model.items():
            for who in model.members:
                member = self.store.members.must(id, self.people[who].id)
                assert {name: getattr(member, name) for name in UNREAD} == model.unread[who], who
                assert set(json.loads(member.unread_threads)) == model.unread_threads[who]
            room = self.store.rooms.must(id)
            assert {one.id for one in self.store.history.pinned(room, Page(count=0))[0]} == model.pinned
            for message_id in model.texts:
                message = self.store.messages.must(message_id)
                found = {emoji: set(one["usernames"]) for emoji, one in json.loads(message.reactions).items()}
                assert found == {emoji: who for emoji, who in model.reactions.get(message_id, {}).items() if who}
                replies = [one for one in model.texts if model.threads.get(one) == message_id]
                assert message.replies == len(replies)


TestChatMachine = ChatMachine.TestCase
TestChatMachine.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
