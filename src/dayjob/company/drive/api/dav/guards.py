"""What every writing method asks first and answers last: is it locked, and what is the file's mark now."""

from __future__ import annotations

from dayjob.company.drive.api.dav.request import DavRequest
from dayjob.company.drive.rows import Node, Place
from dayjob.company.drive.shapes.properties import file_id


def file_headers(request: DavRequest, node: Node) -> dict[str, str]:
    return {
        "etag": f'"{node.etag}"',
        "oc-etag": f'"{node.etag}"',
        "oc-fileid": file_id(request.drive.instance, node.id),
    }


def require_unlocked(request: DavRequest, place: Place, *, deep: bool = False, membership: bool = False) -> None:
    request.view.require_unlocked(place, request.tokens, deep=deep, membership=membership)
