"""An item's files: announced, sent to the store under a signed form, confirmed, fetched through a signed address."""

from __future__ import annotations

import re

from dayjob.company.board import shapes, storage
from dayjob.company.board.api.call import Call, Reply, anyone, endpoint, spellings
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import BadRequest, Forbidden
from dayjob.company.board.rows import Item
from dayjob.company.board.shapes.payloads import read_form
from dayjob.company.board.store import items, talk


def _paths(tail: str = "") -> list[str]:
    return [*spellings(f"/{{issue_id}}/attachments{tail}"), *spellings(f"/{{issue_id}}/issue-attachments{tail}")]


def _item(call: Call, verb: str) -> Item:
    """The item, for its maker and everyone in its project."""
    item = items.item(call.db, call.project().id, call.params["issue_id"])
    if not call.project_role() and item.created_by != call.user.id:
        raise Forbidden(f"You are not allowed to {verb} this attachment")
    return item


def _size(value: object) -> int:
    try:
        return int(value) if isinstance(value, (int, float, str)) else 0
    except (ValueError, OverflowError):
        return 0


@endpoint("GET", *_paths(), permission=anyone)
def list_attachments(call: Call) -> Reply:
    item = _item(call, "download")
    return Reply(200, [shapes.attachment(one) for one in talk.attachments(item.id).rows(call.db)])


@endpoint("POST", *_paths(), permission=anyone)
def announce(call: Call) -> Reply:
    item, payload = _item(call, "upload"), call.payload()
    given = payload.get("name")
    name = re.sub(r"[\x00-\x1f/\\]", "_", given).strip(". ")[:255] if isinstance(given, str) else ""
    size, kind = _size(payload.get("size")), payload.get("type")
    if not name or size <= 0:
        raise BadRequest("Invalid request.", status=False)
    if not isinstance(kind, str) or kind not in storage.TYPES:
        raise BadRequest("Invalid file type.", status=False)
    size = min(size, storage.SIZE_LIMIT)
    facts = read_form(OUTSIDE, payload, call.db)
    attributes = {"name": name, "type": kind, "size": size}
    made = talk.announce_attachment(call.store, item, {"attributes": attributes, "size": float(size), **facts})
    shape = shapes.attachment(made)
    # The record's own fields stand at the top too: that is where plane-sdk 0.3 looks for them.
    return Reply(
        200,
        {
            **shape,
            "upload_data": call.board.storage.form(call.origin, made.asset, kind, size),
            "asset_id": made.id,
            "attachment": shape,
            "asset_url": f"/api/assets/v2/workspaces/{call.slug}/projects/{made.project}/issues/{item.id}"
            f"/attachments/{made.id}/",
        },
    )


@endpoint("GET", *_paths("/{attachment_id}"), permission=anyone)
def fetch(call: Call) -> Reply:
    if not call.project_role():
        raise Forbidden("You are not allowed to download this attachment")
    found = talk.attachment(call.db, call.project().id, call.params["attachment_id"])
    if not found.is_uploaded:
        raise BadRequest("The asset is not uploaded.", status=False)
    return Reply(302, headers={"location": call.board.storage.address(call.origin, found.asset)})


@endpoint("PATCH", *_paths("/{attachment_id}"), permission=anyone)
def confirm(call: Call) -> Reply:
    item = _item(call, "upload")
    found = talk.attachment(call.db, item.project, call.params["attachment_id"])
    talk.confirm_attachment(call.store, item, found)
    # Plane's servers answer 204 here; plane-sdk's `update` needs the record and its upload helper reads no body.
    return Reply(200, shapes.attachment(talk.attachment(call.db, item.project, found.id)))


@endpoint("DELETE", *_paths("/{attachment_id}"), permission=anyone)
def remove(call: Call) -> Reply:
    item = _item(call, "delete")
    talk.remove_attachment(call.store, item, talk.attachment(call.db, item.project, call.params["attachment_id"]))
    return Reply(204)
