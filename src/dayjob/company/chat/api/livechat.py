"""livechat/*: customers who write from outside, the agents who answer them, and the queue between."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.rows import Room, User, Visitor
from dayjob.company.chat.store import Page
from dayjob.company.chat.store.livechat import AGENT, MANAGER

_TYPES = {"agent": AGENT, "manager": MANAGER}


def _role(call: Call) -> str:
    found = _TYPES.get(call.path["type"])
    if found is None:
        raise ChatError("Invalid type")
    call.require("manage-livechat-agents" if found == AGENT else "manage-livechat-managers")
    return found


def _agent(user: User) -> dict[str, Any]:
    return shapes.given(
        shapes.person(user)
        | {
            "status": user.status,
            "statusLivechat": "available",
            "emails": [{"address": user.email, "verified": bool(user.email_verified)}] if user.email else None,
            "active": bool(user.active),
        }
    )


@endpoint("GET", "livechat/users/{type}", takes="text count:int offset:int sort")
def users(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.access.users_in(call.store.access.role(_role(call)), None, page)
    return listed("users", [_agent(user) for user in found], total, page.offset)


@endpoint("POST", "livechat/users/{type}", takes="username")
def add_user(call: Call) -> Answer:
    role = call.store.access.role(_role(call))
    user = call.store.accounts.named(call.need("username"))
    if user is None:
        raise ChatError("Invalid user", "error-invalid-user")
    if role.id not in user.role_list():
        call.store.access.give(role, user, None)
    return {"user": _agent(user)}


def _holder(call: Call) -> User | None:
    role = _role(call)
    user = call.store.accounts.get(call.path["id"])
    return user if user is not None and role in user.role_list() else None


@endpoint("GET", "livechat/users/{type}/{id}")
def user(call: Call) -> Answer:
    found = _holder(call)
    return {"user": _agent(found) if found else None}


@endpoint("DELETE", "livechat/users/{type}/{id}")
def remove_user(call: Call) -> Answer:
    found = _holder(call)
    if found is None:
        raise ChatError("Invalid user", "error-invalid-user")
    call.store.access.take(call.store.access.role(_role(call)), found, None)
    return {}


@endpoint("POST", "livechat/visitor", takes="visitor:object", auth=False)
def register(call: Call) -> Answer:
    visitor = call.need_mapping("visitor")
    token = visitor.get("token")
    texts = {
        key: value for key, value in visitor.items() if key in ("name", "email", "phone", "department", "username")
    }
    if not isinstance(token, str) or not token or not all(isinstance(one, str) for one in texts.values()):
        raise ChatError("Token is required", "error-invalid-token")
    facts = {key: value for key, value in texts.items() if key in ("email", "phone", "department")}
    found = call.store.livechat.register(token, texts.get("username"), texts.get("name"), facts)
    return {"visitor": shapes.visitor(found)}


def _visitor(call: Call, token: str) -> Visitor:
    found = call.store.livechat.visitor(token)
    if found is None:
        raise ChatError("Invalid token", "invalid-token")
    return found


@endpoint("GET", "livechat/visitor/{token}", auth=False)
def visitor(call: Call) -> Answer:
    return {"visitor": shapes.visitor(_visitor(call, call.path["token"]))}


@endpoint("GET", "livechat/room", takes="token rid", auth=False)
def room(call: Call) -> Answer:
    who = _visitor(call, call.need("token"))
    found, new = call.store.livechat.open_room(who)
    return {"room": _room(call, found, who), "newRoom": new}


def _room(call: Call, found: Room, who: Visitor | None) -> dict[str, Any]:
    inquiry = call.store.livechat.inquiry_of(found.id)
    agent = shapes.reference(call.store, inquiry.agent_id)
    return shapes.room(call.store, found) | shapes.given(
        {
            "open": inquiry.status != "closed",
            "servedBy": agent,
            "waitingResponse": True,
            "v": {"_id": who.id, "token": who.token, "username": who.username} if who else None,
        }
    )


@endpoint("GET", "livechat/rooms", takes="open:bool count:int offset:int sort", needs="view-livechat-rooms view-l-room")
def rooms(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.rooms.of_types("l", page)
    return listed("rooms", [_room(call, one, None) for one in found], total, page.offset)


@endpoint("POST", "livechat/message", takes="token rid msg _id", auth=False)
def say(call: Call) -> Answer:
    who = _visitor(call, call.need("token"))
    found = call.store.rooms.get(call.need("rid"))
    if found is None or found.type != "l":
        raise ChatError("Invalid room", "invalid-room")
    message = call.store.livechat.say(who, found, call.need("msg"), call.text("_id"))
    return {"message": shapes.message(call.store, message) | {"token": who.token, "alias": who.name or who.username}}


@endpoint("GET", "livechat/messages.history/{rid}", takes="token ls end limit:int searchText", auth=False)
def history(call: Call) -> Answer:
    who = _visitor(call, call.need("token"))
    found = call.store.rooms.get(call.path["rid"])
    if found is None or found.type != "l" or call.store.livechat.inquiry_of(found.id).visitor_id != who.id:
        raise ChatError("Invalid room", "invalid-room")
    page = call.page()
    messages, total = call.store.history.listing(found, page)
    return listed("messages", shapes.messages(call.store, messages), total, page.offset)


def _inquiries(call: Call, status: str | None = None) -> Answer:
    page = call.page()
    found, total = call.store.livechat.inquiries(page, status)
    return listed("inquiries", [shapes.inquiry(call.store, one) for one in found], total, page.offset)


@endpoint(
    "GET",
    "livechat/inquiries.list",
    takes="department count:int offset:int sort",
    needs="view-livechat-manager view-l-room",
)
def inquiries(call: Call) -> Answer:
    return _inquiries(call)


@endpoint(
    "GET",
    "livechat/inquiries.queued",
    "livechat/inquiries.queuedForUser",
    takes="count:int offset:int",
    needs="view-l-room",
)
def queued(call: Call) -> Answer:
    return _inquiries(call, "queued")


@endpoint("GET", "livechat/inquiries.getOne", takes="roomId", needs="view-l-room")
def inquiry(call: Call) -> Answer:
    found = call.store.livechat.find_inquiry(call.need("roomId"))
    return {"inquiry": shapes.inquiry(call.store, found) if found is not None else None}


@endpoint("POST", "livechat/inquiries.take", takes="inquiryId userId", needs="view-l-room")
def take(call: Call) -> Answer:
    agent = call.user
    if (id := call.text("userId")) is not None and id != agent.id:
        agent = call.the_user()
    found = call.store.livechat.take(call.store.livechat.inquiry(call.need("inquiryId")), agent)
    return {"inquiry": shapes.inquiry(call.store, found)}


@endpoint("GET", "livechat/appearance", needs="view-livechat-manager")
def appearance(call: Call) -> Answer:
    found, _ = call.store.settings.listing(Page(count=0), public=False, text="Livechat_")
    return {"appearance": [shapes.setting(one) for one in found]}


@endpoint("POST", "livechat/appearance", takes="", needs="view-livechat-manager")
def set_appearance(call: Call) -> Answer:
    if not isinstance(call.body, list) or not call.body:
        raise invalid("must be array")
    wanted = []
    for one in call.body:
        if not isinstance(one, dict) or not isinstance(one.get("_id"), str) or "value" not in one:
            raise invalid("must have required properties '_id' and 'value'")
        if not one["_id"].startswith("Livechat_"):
            raise ChatError("invalid-setting")
        wanted.append((one["_id"], one["value"]))
    with call.store.change():
        for id, value in wanted:
            call.store.settings.set(id, value)
    return {}
