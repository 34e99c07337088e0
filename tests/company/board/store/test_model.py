"""The board against a small model of itself: any order of work leaves both with the same items, numbers and cycles."""

from __future__ import annotations

import itertools
import sqlite3
from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company import changes
from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Cycle, Item, State
from dayjob.company.board.refusals import Refused
from dayjob.company.board.rows import find
from dayjob.company.board.schema import SCHEMA, TRACKED
from dayjob.company.board.store import accounts, cycles, items, projects
from dayjob.company.ids import Ids

EPOCH = date(2035, 1, 1)


def _day(number: int) -> str:
    return f"{(EPOCH + timedelta(days=number)).isoformat()}T00:00:00.000000Z"


class BoardMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript("PRAGMA foreign_keys=ON;" + SCHEMA)
        changes.connect(self.db)
        changes.install(self.db, TRACKED)
        self.ledger = Ledger(self.db, Ids("model"), _day(-1), "")
        self.ledger.actor = accounts.add_user(
            self.ledger, username="ada", email="ada@small.test", name="Ada Low", password=None
        )
        self.db.execute(
            "INSERT INTO workspaces (id, name, slug, owner, created_at) VALUES ('w', 'W', 'w', ?, '')",
            (self.ledger.actor,),
        )
        accounts.add_workspace_member(self.ledger, "w", self.ledger.actor, accounts.ADMIN)
        id = projects.create(self.ledger, "w", {"name": "Garden", "identifier": "GARD"})
        self.project = projects.project(self.db, "w", id)
        self.states = find(self.db, State, "WHERE project = ?", (id,))
        self.items: dict[str, dict[str, Any]] = {}
        self.numbers = 0
        self.cycles: dict[str, tuple[int, int]] = {}
        self.plan: dict[str, str] = {}

    def pick(self, among: dict[str, Any], at: int) -> str:
        return sorted(among)[at % len(among)]

    @rule(state=st.integers(0, 4), name=st.text("abc", min_size=1, max_size=5))
    def create(self, state: int, name: str) -> None:
        id = items.create(self.ledger, self.project, {"name": name, "state": self.states[state].id})
        self.numbers += 1
        self.items[id] = {"name": name, "state": state, "number": self.numbers}

    @precondition(lambda self: self.items)
    @rule(at=st.integers(0, 99), state=st.integers(0, 4))
    def move(self, at: int, state: int) -> None:
        id = self.pick(self.items, at)
        items.edit(
            self.ledger, self.project, items.item(self.db, self.project.id, id), {"state": self.states[state].id}
        )
        self.items[id]["state"] = state

    @precondition(lambda self: self.items)
    @rule(at=st.integers(0, 99))
    def delete(self, at: int) -> None:
        id = self.pick(self.items, at)
        items.delete(self.ledger, items.item(self.db, self.project.id, id))
        del self.items[id]
        self.plan.pop(id, None)

    @rule(start=st.integers(0, 40), length=st.integers(0, 10))
    def plan_cycle(self, start: int, length: int) -> None:
        end = start + length
        clash = any(start <= other_end and end >= other_start for other_start, other_end in self.cycles.values())
        facts = {"name": f"{start}-{end}", "start_date": _day(start), "end_date": _day(end)}
        try:
            id = cycles.create(self.ledger, self.project, facts)
        except Refused:
            assert clash
        else:
            assert not clash
            self.cycles[id] = (start, end)

    @precondition(lambda self: self.cycles)
    @rule(at=st.integers(0, 99), start=st.integers(0, 40), length=st.integers(0, 10))
    def move_cycle(self, at: int, start: int, length: int) -> None:
        id, end = self.pick(self.cycles, at), start + length
        others = [dates for other, dates in self.cycles.items() if other != id]
        clash = any(start <= other_end and end >= other_start for other_start, other_end in others)
        cycle = cycles.cycle(self.db, self.project.id, id)
        try:
            cycles.edit(self.ledger, self.project, cycle, {"start_date": _day(start), "end_date": _day(end)})
        except Refused:
            assert clash
        else:
            assert not clash
            self.cycles[id] = (start, end)

    @precondition(lambda self: self.cycles and self.items)
    @rule(item=st.integers(0, 99), cycle=st.integers(0, 99))
    def put(self, item: int, cycle: int) -> None:
        chosen, target = self.pick(self.items, item), self.pick(self.cycles, cycle)
        cycles.put(self.ledger, cycles.cycle(self.db, self.project.id, target), [chosen])
        self.plan[chosen] = target

    @precondition(lambda self: len(self.cycles) > 1)
    @rule(source=st.integers(0, 99), onto=st.integers(0, 99))
    def transfer(self, source: int, onto: int) -> None:
        old, new = self.pick(self.cycles, source), self.pick(self.cycles, onto)
        if old == new:
            return
        here, there = (cycles.cycle(self.db, self.project.id, one) for one in (old, new))
        cycles.transfer(self.ledger, here, there)
        for id, cycle in self.plan.items():
            if cycle == old and self.items[id]["state"] < 3:
                self.plan[id] = new

    @precondition(lambda self: self.cycles)
    @rule(at=st.integers(0, 99))
    def drop_cycle(self, at: int) -> None:
        id = self.pick(self.cycles, at)
        cycles.delete(self.ledger, cycles.cycle(self.db, self.project.id, id))
        del self.cycles[id]
        self.plan = {item: cycle for item, cycle in self.plan.items() if cycle != id}

    @invariant()
    def items_agree(self) -> None:
        if not hasattr(self, "items"):
            return
        index = {one.id: at for at, one in enumerate(self.states)}
        found = {
            one.id: {"name": one.name, "state": index[one.state or ""], "number": one.sequence_id}
            for one in find(self.db, Item, "")
        }
        assert found == self.items
        for one in find(self.db, Item, ""):
            assert (one.completed_at is not None) == (self.items[one.id]["state"] == 3)

    @invariant()
    def cycles_agree(self) -> None:
        if not hasattr(self, "plan"):
            return
        rows = self.db.execute("SELECT issue, cycle FROM cycle_items").fetchall()
        assert dict(rows) == self.plan
        assert len(rows) == len(self.plan)
        spans = sorted((one.start_date or "", one.end_date or "") for one in find(self.db, Cycle, ""))
        assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))

    @invariant()
    def search_agrees(self) -> None:
        if hasattr(self, "items"):
            found = items.search(self.db, "w", self.ledger.actor, "abc", None, 1000)
            assert {row[1] for row in found} == {id for id, one in self.items.items() if "abc" in one["name"]}

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()


BoardMachine.TestCase.settings = settings(
    max_examples=100, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestBoardAgainstItsModel = BoardMachine.TestCase
