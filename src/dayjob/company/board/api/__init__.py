"""Plane's wire, `/api/v1`: one file per family of resources, each registering its endpoints with `routes`.

`web` has a table of its own: a few addresses of Plane's web client.
"""

from dayjob.company.board.api import (
    counting,
    cycles,
    definitions,
    estimates,
    intake,
    invitations,
    items,
    kinds,
    members,
    milestones,
    modules,
    notes,
    projects,
    talk,
    uploads,
    web,
)
from dayjob.company.board.api.call import Call, Reply, routes

__all__ = [
    "Call",
    "Reply",
    "counting",
    "cycles",
    "definitions",
    "estimates",
    "intake",
    "invitations",
    "items",
    "kinds",
    "members",
    "milestones",
    "modules",
    "notes",
    "projects",
    "routes",
    "talk",
    "uploads",
    "web",
]
