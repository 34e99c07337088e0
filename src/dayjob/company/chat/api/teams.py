"""teams.*: teams, their members and their rooms."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.channels import COLUMNS
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, forbidden, invalid
from dayjob.company.chat.rows import Room, Team, User


def the_team(call: Call, *, see: bool = False) -> Team:
    id, name = call.text("teamId"), call.text("teamName")
    if not id and not name:
        raise invalid("must have required property 'teamId' or 'teamName'")
    team = call.store.teams.find(id=id, name=name)
    if (
        see
        and team.type == 1
        and not (call.store.teams.member(team.id, call.user.id) or call.store.access.can(call.user, "view-all-teams"))
    ):
        raise ChatError("unauthorized", status=403)
    return team


def _may(call: Call, permission: str, team: Team) -> None:
    if not call.store.access.can(call.user, permission, team.room_id):
        raise ChatError("unauthorized", status=403)


def _managed(call: Call, permission: str) -> Team:
    """The team that is meant, for somebody who may do this in it."""
    team = the_team(call)
    _may(call, permission, team)
    return team


@endpoint("POST", "teams.create", takes="name type:int members:list room:object owner")
def create(call: Call) -> Answer:
    if not call.store.access.can(call.user, "create-team"):
        raise ChatError("unauthorized", status=403)
    kind = call.number("type", -1)
    if kind not in (0, 1):
        raise invalid("type must be 0 or 1")
    room = call.mapping("room") or {}
    existing = call.store.rooms.get(room["id"]) if isinstance(room.get("id"), str) else None
    if existing is not None:
        call.store.access.require(call.user, "edit-room", existing)
    team = call.store.teams.create(
        call.need("name"), kind, call.user, call.the_users(call.items("members")), room=existing
    )
    return {"team": shapes.team(call.store, team)}


@endpoint("GET", "teams.list", takes="count:int offset:int sort query")
def listing(call: Call) -> Answer:
    return _listed(call, call.user)


@endpoint("GET", "teams.listAll", takes="count:int offset:int sort")
def list_all(call: Call) -> Answer:
    if not call.store.access.can(call.user, "view-all-teams"):
        raise forbidden()
    return _listed(call, None)


def _listed(call: Call, of: User | None) -> Answer:
    page = call.page()
    found, total = call.store.teams.listing(page, of=of)
    teams = []
    for team in found:
        rooms, members = call.store.teams.size(team)
        teams.append(shapes.team(call.store, team) | {"rooms": rooms, "numberOfUsers": members})
    return listed("teams", teams, total, page.offset)


@endpoint("GET", "teams.info", takes="teamId teamName")
def info(call: Call) -> Answer:
    return {"teamInfo": shapes.team(call.store, the_team(call, see=True))}


@endpoint("GET", "teams.autocomplete", takes="name")
def autocomplete(call: Call) -> Answer:
    found = call.store.teams.matching(call.need("name"))
    mains = [(team, call.store.rooms.must(team.room_id)) for team in found]
    shown = [team for team in mains if call.store.access.may_read(call.user, team[1])]
    return {
        "teams": [
            {
                "_id": room.id,
                "name": room.name,
                "fname": room.fname,
                "t": room.type,
                "teamId": team.id,
                "teamMain": True,
            }
            for team, room in shown
        ]
    }


@endpoint("POST", "teams.update", takes="teamId teamName data:object")
def update(call: Call) -> Answer:
    team, data = the_team(call), call.need_mapping("data")
    _may(call, "edit-team", team)
    name, kind = data.get("name"), data.get("type")
    if (name is not None and not isinstance(name, str)) or kind not in (None, 0, 1):
        raise invalid("data must have a name or a type")
    call.store.teams.change(team, call.user, name=name, kind=kind)
    return {}


@endpoint("POST", "teams.delete", takes="teamId teamName roomsToRemove:list")
def delete(call: Call) -> Answer:
    return _disband(call, "delete-team", keep_main=False)


@endpoint("POST", "teams.convertToChannel", takes="teamId teamName roomsToRemove:list")
def convert(call: Call) -> Answer:
    return _disband(call, "convert-team", keep_main=True)


def _disband(call: Call, permission: str, *, keep_main: bool) -> Answer:
    team = _managed(call, permission)
    call.store.teams.disband(team, call.user, keep_main=keep_main, also_remove=call.texts("roomsToRemove"))
    return {}


# -- members -----------------------------------------------------------------------------------------------------


@endpoint("GET", "teams.members", takes="teamId teamName username name status:list count:int offset:int sort")
def members(call: Call) -> Answer:
    team, page = the_team(call, see=True), call.page()
    found, total = call.store.teams.members(
        team, page, username=call.text("username") or "", name=call.text("name") or ""
    )
    return listed(
        "members", [shapes.team_member(call.store, member, user) for member, user in found], total, page.offset
    )


def _wanted(call: Call, one: Any) -> tuple[User, list[str]]:
    if not isinstance(one, dict) or not isinstance(one.get("userId"), str):
        raise invalid("a member must have a userId")
    roles = one.get("roles") or []
    if not isinstance(roles, list) or not all(role in ("owner", "moderator", "leader", "member") for role in roles):
        raise ChatError("invalid-roles")
    user = call.store.accounts.get(one["userId"])
    if user is None:
        raise ChatError("invalid-user")
    return user, roles


@endpoint("POST", "teams.addMembers", takes="teamId teamName members:list")
def add_members(call: Call) -> Answer:
    team = _managed(call, "add-team-member")
    wanted = [_wanted(call, one) for one in call.items("members")]
    if not wanted:
        raise invalid("must have required property 'members'")
    with call.store.change():
        for user, roles in wanted:
            call.store.teams.add_member(team, user, roles, call.user)
    return {}


@endpoint("POST", "teams.updateMember", takes="teamId teamName member:object")
def update_member(call: Call) -> Answer:
    team = _managed(call, "edit-team-member")
    user, roles = _wanted(call, call.get("member"))
    call.store.teams.update_member(team, user, roles, call.user)
    return {}


@endpoint("POST", "teams.removeMember", takes="teamId teamName userId rooms:list")
def remove_member(call: Call) -> Answer:
    team = _managed(call, "edit-team-member")
    user = call.store.accounts.get(call.need("userId"))
    if user is None:
        raise ChatError("invalid-user")
    call.store.teams.remove_member(team, user, call.user, call.texts("rooms"))
    return {}


@endpoint("POST", "teams.leave", takes="teamId teamName rooms:list")
def leave(call: Call) -> Answer:
    team = the_team(call)
    call.store.teams.remove_member(team, call.user, call.user, call.texts("rooms"), leaving=True)
    return {}


# -- rooms -------------------------------------------------------------------------------------------------------


def _room(call: Call, id: str) -> Room:
    found = call.store.rooms.get(id)
    if found is None:
        raise ChatError("invalid-room")
    return found


@endpoint("POST", "teams.addRooms", takes="teamId teamName rooms:list")
def add_rooms(call: Call) -> Answer:
    team = _managed(call, "add-team-channel")
    ids = call.texts("rooms")
    if not ids:
        raise ChatError("missing-room")
    with call.store.change():
        added = [call.store.teams.add_room(team, _room(call, id), call.user) for id in ids]
    return {"rooms": shapes.rooms(call.store, added)}


@endpoint("POST", "teams.removeRoom", takes="teamId teamName roomId")
def remove_room(call: Call) -> Answer:
    team = _managed(call, "remove-team-channel")
    room = call.store.teams.remove_room(team, _room(call, call.need("roomId")), call.user)
    return {"room": shapes.room(call.store, room)}


@endpoint("POST", "teams.updateRoom", takes="roomId isDefault:bool")
def update_room(call: Call) -> Answer:
    room = _room(call, call.need("roomId"))
    if room.team_id is None:
        raise ChatError("room-not-in-team")
    _may(call, "edit-team-channel", call.store.teams.find(id=room.team_id))
    changed = call.store.rooms.change(room, call.user, team_default=int(call.need_flag("isDefault")))
    return {"room": shapes.room(call.store, changed)}


@endpoint("GET", "teams.listRooms", takes="teamId teamName type filter count:int offset:int sort")
def list_rooms(call: Call) -> Answer:
    team, page = the_team(call, see=True), call.page(COLUMNS)
    found, total = call.store.teams.rooms(
        team, page, text=call.text("filter") or "", default_only=call.text("type") == "autoJoin"
    )
    return listed("rooms", shapes.rooms(call.store, found), total, page.offset)


@endpoint("GET", "teams.listRoomsOfUser", takes="teamId teamName userId canUserDelete:bool count:int offset:int")
def list_rooms_of_user(call: Call) -> Answer:
    team, page = the_team(call, see=True), call.page(COLUMNS)
    user = call.the_user()
    if user.id != call.user.id and not call.store.access.can(call.user, "view-all-team-channels", team.room_id):
        raise forbidden()
    found, total = call.store.teams.rooms(team, page, of=user)
    return listed("rooms", shapes.rooms(call.store, found), total, page.offset)


@endpoint("GET", "teams.listChildren", takes="teamId teamName filter type count:int offset:int sort")
def list_children(call: Call) -> Answer:
    team, page = the_team(call, see=True), call.page(COLUMNS)
    found, total = call.store.teams.rooms(team, page, text=call.text("filter") or "")
    return listed("data", shapes.rooms(call.store, found), total, page.offset)
