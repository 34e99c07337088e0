"""Any sequence of ordinary actions leaves chat in the state a simple model predicts."""

# ruff: noqa: PT017 - whether an action is refused is what the model predicts

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company.chat import Chat
from dayjob.company.chat.errors import ChatError
from dayjob.company.company import Company
from dayjob.company.world import Snapshot, build_snapshot
from tests.company.serving import WORLDS

NAMES = ("ann", "ben", "cy")
_snapshots: list[Snapshot] = []


def snapshot() -> Snapshot:
    if not _snapshots:
        _snapshots.append(build_snapshot(WORLDS / "blank", cache=Path(tempfile.mkdtemp(prefix="dayjob-test-"))))
    return _snapshots[0]


class Model:
    """A room as it should be: who is in it, who owns it, what was said, and what each has not read."""

    def __init__(self, owner: str, kind: str) -> None:
        self.kind = kind
        self.members = {owner}
        self.owners = {owner}
        self.texts: dict[str, str] = {}
        self.authors: dict[str, str] = {}


class ChatMachine(RuleBasedStateMachine):
    rooms = Bundle("rooms")
    messages = Bundle("messages")

    def __init__(self) -> None:
        super().__init__()
        self.company = Company(snapshot())
        chat = self.company.service("chat")
        assert isinstance(chat, Chat)
        self.store = chat.store
        self.model: dict[str, Model] = {}
        self.people: dict[str, Any] = {}

    def teardown(self) -> None:
        self.company.close()

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

    @rule(id=rooms, who=st.sampled_from(NAMES))
    def join(self, id: str, who: str) -> None:
        model = self.model[id]
        try:
            self.store.members.join(self.store.rooms.must(id), self.people[who])
        except ChatError:
            assert model.kind == "p"
            assert who not in model.members
        else:
            assert model.kind == "c" or who in model.members
            model.members.add(who)

    @rule(id=rooms, by=st.sampled_from(NAMES), who=st.sampled_from(NAMES))
    def invite(self, id: str, by: str, who: str) -> None:
        model = self.model[id]
        allowed = by in model.owners
        try:
            self.store.members.invite(self.store.rooms.must(id), self.people[by], self.people[who])
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            model.members.add(who)

    @rule(id=rooms, who=st.sampled_from(NAMES))
    def leave(self, id: str, who: str) -> None:
        model = self.model[id]
        allowed = who in model.members and model.owners != {who}
        try:
            self.store.members.leave(self.store.rooms.must(id), self.people[who])
        except ChatError as error:
            assert not allowed, error
        else:
            assert allowed
            model.members.discard(who)
            model.owners.discard(who)

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

    @rule(target=messages, id=rooms, who=st.sampled_from(NAMES), text=st.text(max_size=20))
    def post(self, id: str, who: str, text: str) -> tuple[str, str]:
        model = self.model[id]
        allowed = who in model.members or model.kind == "c"
        try:
            message = self.store.messages.post(self.store.rooms.must(id), self.people[who], text)
        except ChatError as error:
            assert not allowed, error
            return (id, "")
        assert allowed
        model.texts[message.id] = text
        model.authors[message.id] = who
        return (id, message.id)

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


TestChatMachine = ChatMachine.TestCase
TestChatMachine.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
