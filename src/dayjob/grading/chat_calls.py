"""The chat service's further calls, as a table: how the client that existing graders were written for spells each.

A call is `family_what_it_does`; its endpoint is `family.whatItDoes` unless listed, its arguments have the names given
here, in this order, and any other keyword is passed on as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_ROOMS = """
post add_leader room_id user_id
post add_moderator room_id user_id
post add_owner room_id user_id username
post archive room_id
post close room_id
post delete room_id NAME
get  files room_id room_name
post kick room_id user_id
post leave room_id
get  moderators room_id NAME
post open room_id
post remove_leader room_id user_id
post remove_moderator room_id user_id
post remove_owner room_id user_id
post rename room_id name
get  roles room_id room_name
post set_announcement room_id announcement
post set_description room_id description
post set_read_only room_id read_only
post set_topic room_id topic
post set_type room_id a_type
post unarchive room_id
"""
_OTHERS = """
post channels_add_all room_id
get  channels_counters room_id room_name
post channels_join room_id join_code
post groups_create name
get  groups_info room_id room_name
post groups_invite room_id user_id
get  groups_list_all
get  groups_members room_id group
post im_close room_id
get  im_counters room_id
post im_create username
get  im_files room_id
get  im_list_everyone
get  im_members room_id
get  im_messages username
get  im_messages_others room_id
post im_open room_id
post im_set_topic room_id topic
post chat_delete room_id msg_id
get  chat_get_message msg_id
get  chat_get_thread_messages thread_msg_id
post chat_pin_message msg_id=messageId
post chat_react msg_id=messageId emoji
get  chat_search room_id search_text
post chat_send_message message
post chat_update room_id msg_id text
get  roles_list
post roles_add_user_to_role role_id username
post roles_remove_user_from_role role_id username
get  rooms_get
get  rooms_info room_id room_name
post rooms_leave room_id
get  subscriptions_get
get  subscriptions_get_one room_id
post users_delete user_id
get  users_get_presence user_id username
post users_register email name password username
post users_update user_id
"""
_ENDPOINTS = {
    "im_list_everyone": "im.list.everyone",
    "im_messages_others": "im.messages.others",
}
_SPELLING = {"channel": "roomName", "group": "roomName", "a_type": "type", "thread_msg_id": "tmid"}


@dataclass(frozen=True, slots=True)
class Call:
    """One endpoint, and its arguments in order: a caller's name for each, and the service's."""

    verb: str
    endpoint: str
    arguments: dict[str, str]

    def fields(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call in the service's own spelling."""
        if len(given) > len(self.arguments):
            raise TypeError(f"{self.endpoint} takes {len(self.arguments)} arguments, not {len(given)}")
        found = {**dict(zip(self.arguments, given, strict=False)), **named}
        return {self.arguments.get(name, name): value for name, value in found.items()}


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _argument(written: str) -> tuple[str, str]:
    name, _, spelled = written.partition("=")
    return name, spelled or _SPELLING.get(name) or _camel(name)


def _read() -> dict[str, Call]:
    rows = _OTHERS.split("\n")
    for family, name in (("channels", "channel"), ("groups", "group")):
        rows += [re.sub(r"^(\w+) +", rf"\1 {family}_", row).replace("NAME", name) for row in _ROOMS.split("\n")]
    calls = {}
    for verb, name, *arguments in (row.split() for row in rows if row):
        family, _, rest = name.partition("_")
        endpoint = _ENDPOINTS.get(name) or f"{family}.{_camel(rest)}"
        calls[name] = Call(verb, endpoint, dict(_argument(one) for one in arguments))
    return calls


CALLS = _read()
