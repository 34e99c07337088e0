"""Issue boards of projects and groups: named rows of lists, each list a label, kept as records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.errors import Refused, not_found
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed


@dataclass(frozen=True, slots=True)
class BoardList:
    id: int
    label_id: int | None


@dataclass(frozen=True, slots=True)
class Board:
    """A board. `body` is what its record keeps."""

    id: int
    body: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.body["name"])

    @property
    def milestone_id(self) -> int | None:
        number: int | None = self.body.get("milestone_id")
        return number

    @property
    def lists(self) -> list[BoardList]:
        return [BoardList(kept["id"], kept.get("label_id")) for kept in self.body["lists"]]

    def position(self, list_id: int) -> int:
        for position, one in enumerate(self.lists):
            if one.id == list_id:
                return position
        raise not_found("List")


def of(store: Store, place: Project | Namespace) -> list[Board]:
    rows = store.db.execute(
        "SELECT id, body FROM records WHERE kind='board' AND scope=? AND scope_id=? ORDER BY id",
        (_scope(place), place.id),
    )
    return [Board(row_id, json.loads(body)) for row_id, body in rows]


def _scope(place: Project | Namespace) -> str:
    return "project" if isinstance(place, Project) else "group"


def find(store: Store, place: Project | Namespace, board_id: int) -> Board:
    for board in of(store, place):
        if board.id == board_id:
            return board
    raise not_found("Board")


def create(store: Store, place: Project | Namespace, name: str) -> Board:
    body, now = {"name": name, "lists": [], "next": 1}, store.now()
    row_id = store.insert(
        "records", kind="board", scope=_scope(place), scope_id=place.id, name=name, body=packed(body), created_at=now,
        updated_at=now,
    )  # fmt: skip
    return Board(row_id, body)


def change(store: Store, board: Board, **values: Any) -> Board:
    """Another name or milestone, and whether the lists of open and closed issues are hidden."""
    return _save(store, Board(board.id, {**board.body, **values}))


def delete(store: Store, board: Board) -> None:
    store.delete("records", board.id)


def add_list(store: Store, board: Board, label_id: int | None) -> Board:
    """A list for a label, behind the others."""
    label = store.one(Label, "id=?", label_id or 0)
    if label is None:
        raise Refused(400, {"error": "label_id is missing" if label_id is None else "label_id is invalid"})
    number = board.body["next"]
    lists = [*board.body["lists"], {"id": number, "label_id": label.id}]
    return _save(store, Board(board.id, {**board.body, "lists": lists, "next": number + 1}))


def move_list(store: Store, board: Board, list_id: int, position: int) -> Board:
    """Put a list at another position, counted from 0; beyond the ends is at the end."""
    lists = list(board.body["lists"])
    moved = lists.pop(board.position(list_id))
    lists.insert(max(0, min(position, len(lists))), moved)
    return _save(store, Board(board.id, {**board.body, "lists": lists}))


def remove_list(store: Store, board: Board, list_id: int) -> Board:
    lists = list(board.body["lists"])
    lists.pop(board.position(list_id))
    return _save(store, Board(board.id, {**board.body, "lists": lists}))


def _save(store: Store, board: Board) -> Board:
    store.update("records", board.id, body=packed(board.body), name=board.name, updated_at=store.now())
    return board
