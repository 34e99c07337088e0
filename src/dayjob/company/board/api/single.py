"""What a path that names one thing answers: GET reads it, PATCH edits it, DELETE removes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dayjob.company.board import shapes
from dayjob.company.board.api.call import Call, Permission, Reply, endpoint
from dayjob.company.board.rows import Record
from dayjob.company.board.shapes.payloads import Form, read_form
from dayjob.company.board.store import plain
from dayjob.company.board.store.base import Store

Row = TypeVar("Row", bound=Record)
Facts = Callable[[Call], dict[str, Any]]


def _as_kept(_: Call, row: Record) -> shapes.Shape:
    return shapes.plain(row)


def register_single(
    *paths: str,
    permission: Permission,
    named: Callable[[Call], Row],
    facts: Form | Facts,
    shape: Callable[[Call, Row], shapes.Shape] = _as_kept,
    edit: Callable[[Store, Row, dict[str, Any]], Row] = plain.change,
    remove: Callable[[Store, Row], None] = plain.remove,
) -> None:
    """`named` finds what the path names; `facts` is the form that an edit is read with, or what reads it."""
    read = facts if callable(facts) else lambda call: read_form(facts, call.payload(), call.db)

    @endpoint("GET", *paths, permission=permission)
    def show(call: Call) -> Reply:
        return Reply(200, shape(call, named(call)))

    @endpoint("PATCH", *paths, permission=permission)
    def change(call: Call) -> Reply:
        return Reply(200, shape(call, edit(call.store, named(call), read(call))))

    @endpoint("DELETE", *paths, permission=permission)
    def delete(call: Call) -> Reply:
        remove(call.store, named(call))
        return Reply(204)
