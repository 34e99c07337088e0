"""The REST wire: one file per family of endpoints, all in one table. `load` brings them in once."""

from __future__ import annotations

import importlib

_FAMILIES = (
    "session",
    "users",
    "channels",
    "channel_settings",
    "direct",
    "messages",
    "message_lists",
    "rooms",
    "subscriptions",
    "roles",
    "workspace",
    "collections",
    "integrations",
    "teams",
    "uploads",
    "moderation",
    "livechat",
    "methods",
)


def load() -> None:
    """Fill the table of endpoints."""
    for family in _FAMILIES:
        importlib.import_module(f"dayjob.company.chat.api.{family}")
