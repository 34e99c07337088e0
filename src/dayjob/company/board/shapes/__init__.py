"""Rows as Plane's serializers show them, and the forms that what clients send is read with (`payloads`)."""

from dayjob.company.board.shapes.base import Shape, plain, wire
from dayjob.company.board.shapes.items import (
    attachment,
    comment,
    each,
    intake_item,
    item,
    item_list,
    related_item,
    trimmed,
)
from dayjob.company.board.shapes.people import member, user
from dayjob.company.board.shapes.plans import cycle_list, module_list
from dayjob.company.board.shapes.projects import project_list, project_lite

__all__ = [
    "Shape",
    "attachment",
    "comment",
    "cycle_list",
    "each",
    "intake_item",
    "item",
    "item_list",
    "member",
    "module_list",
    "plain",
    "project_list",
    "project_lite",
    "related_item",
    "trimmed",
    "user",
    "wire",
]
