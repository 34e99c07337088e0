"""integrations.*: webhooks. Incoming ones work; outgoing ones are kept but never called: a company has no way out."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, Endpoint, add, endpoint
from dayjob.company.chat.api.messages import attachments_of, target, write_to
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.rows import Integration
from dayjob.company.journal import identify

_TAKES = (
    "type name enabled:bool username channel scriptEnabled:bool script event urls:list alias avatar emoji token "
    "triggerWords:list"
)
_FACTS = (
    "alias",
    "avatar",
    "emoji",
    "script",
    "scriptEnabled",
    "event",
    "urls",
    "triggerWords",
    "targetRoom",
    "runOnEdits",
)


def _save(call: Call, id: str | None) -> Integration:
    channels = call.texts("channel")
    if not channels:
        raise invalid("must have required property 'channel'")
    facts = {name: call.get(name) for name in _FACTS if call.get(name) is not None}
    return call.store.administration.save_integration(
        call.need("type"), call.user, name=call.text("name") or "", enabled=call.flag("enabled"),
        username=call.need("username"), channels=channels, facts=facts, id=id,
    )  # fmt: skip


@endpoint("POST", "integrations.create", takes=_TAKES)
def create(call: Call) -> Answer:
    return {"integration": shapes.integration(call.store, _save(call, None))}


@endpoint("PUT", "integrations.update", takes=f"integrationId {_TAKES}")
def update(call: Call) -> Answer:
    return {"integration": shapes.integration(call.store, _save(call, call.need("integrationId")))}


def _may_see(call: Call) -> None:
    call.require("manage-outgoing-integrations", "manage-incoming-integrations")


@endpoint("GET", "integrations.get", takes="integrationId createdBy")
def get(call: Call) -> Answer:
    _may_see(call)
    id = call.text("integrationId")
    if not id:
        raise ChatError('The query parameter "integrationId" is required.')
    return {"integration": shapes.integration(call.store, call.store.administration.integration(id))}


@endpoint("GET", "integrations.list", takes="count:int offset:int sort name type")
def listing(call: Call) -> Answer:
    _may_see(call)
    page = call.page()
    found, total = call.store.administration.integrations(page)
    written = [shapes.integration(call.store, one) for one in found]
    return {
        "integrations": written,
        "items": len(written),
        "count": len(written),
        "offset": page.offset,
        "total": total,
    }


@endpoint("GET", "integrations.history", takes="id count:int offset:int")
def history(call: Call) -> Answer:
    _may_see(call)
    if not call.text("id"):
        raise ChatError("Invalid integration id.")
    page = call.page()
    return {"history": [], "offset": page.offset, "items": 0, "count": 0, "total": 0}


@endpoint("POST", "integrations.remove", takes="type integrationId target_url")
def remove(call: Call) -> Answer:
    found = call.store.administration.remove_integration(call.need("integrationId"), call.user)
    return {"integration": shapes.integration(call.store, found)}


def hook(call: Call) -> Answer:
    """POST /hooks/:id/:token: say something as the integration's user."""
    store = call.store
    found = store.administration.incoming(call.path["id"], call.path["token"])
    user = store.accounts.get(found.user_id)
    if user is None or not user.active:
        raise ChatError("Invalid user", "error-invalid-user")
    identify(user.username)
    shown = shapes.integration(store, found)
    asked = call.text("channel", "roomId")
    names = [asked] if asked else shown["channel"]
    facts: dict[str, Any] = {
        "attachments": attachments_of(call.get("attachments")),
        "bot": {"i": found.id},
        "groupable": False,
    }
    for name in ("alias", "emoji", "avatar"):
        value = call.text(name) or shown.get(name)
        if isinstance(value, str) and value:
            facts[name] = value
    with store.change():
        for name in names:
            room = target(store, user, name)
            if room is None:
                raise ChatError("", "invalid-channel")
            store.messages.post(write_to(store, user, room), user, call.text("text", "msg") or "", **facts)
    return {}


for _path in ("/hooks/{id}/{token}", "/hooks/{id}/{user}/{token}"):
    add(Endpoint("POST", _path, hook, False, "text channel alias emoji avatar attachments:list", False, ()))
