"""JSON as the realtime wire writes it: moments are `{"$date": milliseconds}`, errors have a shape of their own."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat.errors import ChatError, Unauthenticated
from dayjob.company.clock import moment

_MOMENTS = frozenset(
    {
        "ts",
        "_updatedAt",
        "lm",
        "ls",
        "lr",
        "tlm",
        "dlm",
        "editedAt",
        "pinnedAt",
        "createdAt",
        "lastLogin",
        "_createdAt",
        "uploadedAt",
        "_deletedAt",
        "tokenExpires",
        "jitsiTimeout",
    }
)


def date(text: str) -> dict[str, int]:
    return {"$date": int(moment(text).timestamp() * 1000)}


def dated(value: Any, key: str = "") -> Any:
    """A copy in which the fields known to hold moments are EJSON dates."""
    if isinstance(value, dict):
        return {name: dated(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [dated(one) for one in value]
    if key in _MOMENTS and isinstance(value, str):
        try:
            return date(value)
        except ValueError:
            return value
    return value


def method_error(error: ChatError) -> dict[str, Any]:
    type: Any = "error-not-authorized" if isinstance(error, Unauthenticated) else error.type or error.sentence
    if isinstance(type, str) and type.isdigit():
        type = int(type)
    return {
        "isClientSafe": True,
        "error": type,
        "reason": error.sentence,
        "message": error.wire_text,
        "errorType": "Meteor.Error",
    }
