"""Issue boards: their lists in order, and what is kept of them."""

from __future__ import annotations

import json

from dayjob.company.forge.store import boards, labels, records
from dayjob.company.forge.store.boards import Board
from tests.company.forge.offices import Office, refused


def kept(office: Office, board: Board) -> object:
    return json.loads(office.store.value("SELECT body FROM records WHERE id=?", board.id))


def test_a_board_belongs_to_one_project_or_group(office: Office) -> None:
    group = office.group("group")
    project = office.project("garden", group)
    records.create(office.store, "badge", "project", project.id, "Badge", {"name": "Badge", "lists": []})
    own, above = boards.create(office.store, project, "Own"), boards.create(office.store, group, "Above")
    assert boards.of(office.store, project) == [own]
    assert boards.of(office.store, group) == [above]
    assert boards.find(office.store, project, own.id) == own
    assert refused(boards.find, office.store, project, above.id) == 404
    changed = boards.change(office.store, own, name="Ours", hide_closed_list=True)
    assert boards.of(office.store, project) == [changed]
    assert kept(office, changed) == {"name": "Ours", "lists": [], "next": 1, "hide_closed_list": True}
    assert office.store.value("SELECT name FROM records WHERE id=?", own.id) == "Ours"
    boards.delete(office.store, own)
    assert boards.of(office.store, project) == []
    assert boards.of(office.store, group) == [above]


def test_lists_have_numbers_that_are_never_given_twice_and_positions_that_change(office: Office) -> None:
    project = office.project("garden")
    one, two, three = (labels.create_label(office.store, project, name) for name in ("one", "two", "three"))
    board = boards.create(office.store, project, "Plan")
    for label in (one, two, three):
        board = boards.add_list(office.store, board, label.id)
    assert [(each.id, each.label_id) for each in board.lists] == [(1, one.id), (2, two.id), (3, three.id)]

    def order(changed: Board) -> list[int]:
        assert boards.find(office.store, project, board.id) == changed
        return [each.id for each in changed.lists]

    assert order(boards.move_list(office.store, board, 3, 0)) == [3, 1, 2]
    assert order(boards.move_list(office.store, board, 1, 99)) == [2, 3, 1]
    assert order(boards.move_list(office.store, board, 2, -1)) == [2, 1, 3]
    board = boards.remove_list(office.store, board, 3)
    assert order(board) == [1, 2]
    assert order(boards.add_list(office.store, board, three.id)) == [1, 2, 4]
    assert refused(boards.move_list, office.store, board, 3, 0) == 404
    assert refused(boards.remove_list, office.store, board, 3) == 404
    assert refused(boards.add_list, office.store, board, None) == 400
    assert refused(boards.add_list, office.store, board, 999) == 400
