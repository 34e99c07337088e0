"""The chat client's further calls: each with its verb, its endpoint and the service's names of its arguments."""

from __future__ import annotations

import pytest

from dayjob.grading.chat_calls import CALLS, _read

# Call, verb, endpoint, and its fields for the arguments a, b, c…
CALLED = """
channels_add_leader post channels.addLeader roomId userId
channels_add_moderator post channels.addModerator roomId userId
channels_add_owner post channels.addOwner roomId userId username
channels_archive post channels.archive roomId
channels_close post channels.close roomId
channels_delete post channels.delete roomId roomName
channels_files get channels.files roomId roomName
channels_kick post channels.kick roomId userId
channels_leave post channels.leave roomId
channels_moderators get channels.moderators roomId roomName
channels_open post channels.open roomId
channels_remove_leader post channels.removeLeader roomId userId
channels_remove_moderator post channels.removeModerator roomId userId
channels_remove_owner post channels.removeOwner roomId userId
channels_rename post channels.rename roomId name
channels_roles get channels.roles roomId roomName
channels_set_announcement post channels.setAnnouncement roomId announcement
channels_set_description post channels.setDescription roomId description
channels_set_read_only post channels.setReadOnly roomId readOnly
channels_set_topic post channels.setTopic roomId topic
channels_set_type post channels.setType roomId type
channels_unarchive post channels.unarchive roomId
groups_add_leader post groups.addLeader roomId userId
groups_add_moderator post groups.addModerator roomId userId
groups_add_owner post groups.addOwner roomId userId username
groups_archive post groups.archive roomId
groups_close post groups.close roomId
groups_delete post groups.delete roomId roomName
groups_files get groups.files roomId roomName
groups_kick post groups.kick roomId userId
groups_leave post groups.leave roomId
groups_moderators get groups.moderators roomId roomName
groups_open post groups.open roomId
groups_remove_leader post groups.removeLeader roomId userId
groups_remove_moderator post groups.removeModerator roomId userId
groups_remove_owner post groups.removeOwner roomId userId
groups_rename post groups.rename roomId name
groups_roles get groups.roles roomId roomName
groups_set_announcement post groups.setAnnouncement roomId announcement
groups_set_description post groups.setDescription roomId description
groups_set_read_only post groups.setReadOnly roomId readOnly
groups_set_topic post groups.setTopic roomId topic
groups_set_type post groups.setType roomId type
groups_unarchive post groups.unarchive roomId
channels_add_all post channels.addAll roomId
channels_counters get channels.counters roomId roomName
channels_join post channels.join roomId joinCode
groups_create post groups.create name
groups_info get groups.info roomId roomName
groups_invite post groups.invite roomId userId
groups_list_all get groups.listAll
groups_members get groups.members roomId roomName
im_close post im.close roomId
im_counters get im.counters roomId
im_create post im.create username
im_files get im.files roomId
im_list_everyone get im.list.everyone
im_members get im.members roomId
im_messages get im.messages username
im_messages_others get im.messages.others roomId
im_open post im.open roomId
im_set_topic post im.setTopic roomId topic
chat_delete post chat.delete roomId msgId
chat_get_message get chat.getMessage msgId
chat_get_thread_messages get chat.getThreadMessages tmid
chat_pin_message post chat.pinMessage messageId
chat_react post chat.react messageId emoji
chat_search get chat.search roomId searchText
chat_send_message post chat.sendMessage message
chat_update post chat.update roomId msgId text
roles_list get roles.list
roles_add_user_to_role post roles.addUserToRole roleId username
roles_remove_user_from_role post roles.removeUserFromRole roleId username
rooms_get get rooms.get
rooms_info get rooms.info roomId roomName
rooms_leave post rooms.leave roomId
subscriptions_get get subscriptions.get
subscriptions_get_one get subscriptions.getOne roomId
users_delete post users.delete userId
users_get_presence get users.getPresence userId username
users_register post users.register email name password username
users_update post users.update userId
"""


def test_every_call_of_the_chat_client_has_its_endpoint_and_fields() -> None:
    found = {
        name: f"{call.verb} {call.endpoint} {' '.join(call.arguments.values())}".strip()
        for name, call in _read().items()
    }
    assert found == dict(line.split(" ", 1) for line in CALLED.strip().split("\n"))


def test_arguments_go_by_order_or_by_either_name_and_too_many_are_an_error() -> None:
    call = CALLS["chat_react"]
    assert call.fields(("m", ":+1:"), {}) == {"messageId": "m", "emoji": ":+1:"}
    assert call.fields(("m",), {"emoji": "x", "more": 1}) == {"messageId": "m", "emoji": "x", "more": 1}
    assert call.fields((), {"msg_id": "m"}) == call.fields((), {"messageId": "m"}) == {"messageId": "m"}
    with pytest.raises(TypeError, match=r"chat\.react takes 2 arguments, not 3"):
        call.fields((1, 2, 3), {})
