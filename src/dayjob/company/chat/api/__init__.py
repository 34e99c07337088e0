"""The REST wire: one file per family of endpoints, all in one table. `load` brings them in once."""

from __future__ import annotations

import importlib

_FAMILIES = (
    "session", "users", "channels", "direct", "messages", "rooms", "roles", "workspace", "collections", "integrations",
    "teams", "uploads", "moderation", "livechat", "methods",
)  # fmt: skip


def load() -> None:
    """Fill the table of endpoints."""
    for family in _FAMILIES:
        importlib.import_module(f"dayjob.company.chat.api.{family}")
