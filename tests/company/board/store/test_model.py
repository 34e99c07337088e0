"""The board against a small model of itself: any order of work leaves both with the same items, states, cycles, modules
and comments, and each item with the same history."""

from __future__ import annotations

import itertools
import sqlite3
from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company import changes
from dayjob.company.board.errors import Refused
from dayjob.company.board.rows import Cycle, Item, Module, State
from dayjob.company.board.schema import SCHEMA, TRACKED
from dayjob.company.board.store import accounts, counting, cycles, item_lists, items, modules, projects, talk
from dayjob.company.board.store.base import Store
from dayjob.company.ids import Ids
from dayjob.company.rows import by_id, find

EPOCH = date(2035, 1, 1)


def _day(number: int) -> str:
    return f"{(EPOCH + timedelta(days=number)).isoformat()}T00:00:00.000000Z"


def done(what: Any, *args: Any, **more: Any) -> bool:
    """Whether the board does it, or refuses."""
    try:
        what(*args, **more)
    except Refused:
        return False
    return True


UNFINISHED = ("backlog", "unstarted", "started")
GROUPS = (*UNFINISHED, "completed", "cancelled")
any_one = st.integers(0, 99)
History = list[tuple[str, str | None, str | None]]


class BoardMachine(RuleBasedStateMachine):
    """The model: dictionaries by id. An item is its name, state, number, whether it is put away, and its history."""

    @initialize()
    def begin(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript("PRAGMA foreign_keys=ON;" + SCHEMA)
        changes.connect(self.db)
        changes.install(self.db, TRACKED)
        self.store = Store(self.db, Ids("model"), _day(-1), "")
        self.store.actor = accounts.add_user(
            self.store, username="ada", email="ada@small.test", name="Ada Low", password=None
        )
        self.db.execute(
            "INSERT INTO workspaces (id, name, slug, owner, created_at) VALUES ('w', 'W', 'w', ?, '')",
            (self.store.actor,),
        )
        accounts.add_workspace_member(self.store, "w", self.store.actor, accounts.ADMIN)
        id = projects.create(self.store, "w", {"name": "Garden", "identifier": "GARD"})
        self.project = projects.project(self.db, "w", id)
        self.states = {one.id: (one.name, one.group) for one in find(self.db, State, "WHERE project = ?", (id,))}
        self.default = next(id for id, (name, _) in self.states.items() if name == "Backlog")
        self.items: dict[str, dict[str, Any]] = {}
        self.history: dict[str, History] = {}
        self.numbers = 0
        self.cycles: dict[str, tuple[int, int]] = {}
        self.plan: dict[str, str] = {}
        self.modules: dict[str, str] = {}
        self.parts: set[tuple[str, str]] = set()
        self.comments: dict[str, tuple[str, str]] = {}

    def pick(self, among: Any, at: int) -> Any:
        return sorted(among)[at % len(among)]

    def group(self, item: str) -> str:
        found: str = self.states[self.items[item]["state"]][1]
        return found

    # -- items ---------------------------------------------------------------------------------------------------

    @rule(state=st.one_of(st.none(), any_one), name=st.text("abc", min_size=1, max_size=5))
    def create(self, state: int | None, name: str) -> None:
        stands = self.default if state is None else self.pick(self.states, state)
        facts = {"name": name} if state is None else {"name": name, "state": stands}
        id = items.create(self.store, self.project, facts)
        self.numbers += 1
        self.items[id] = {"name": name, "state": stands, "number": self.numbers, "away": False}
        self.history[id] = [("created", None, None)]

    @precondition(lambda self: self.items)
    @rule(at=any_one, state=any_one)
    def move(self, at: int, state: int) -> None:
        id, new = self.pick(self.items, at), self.pick(self.states, state)
        items.edit(self.store, self.project, items.item(self.db, self.project.id, id), {"state": new})
        if new != self.items[id]["state"]:
            self.history[id].append(("updated", "state", self.states[new][0]))
        self.items[id]["state"] = new

    @precondition(lambda self: self.items)
    @rule(at=any_one, on=st.booleans())
    def archive(self, at: int, on: bool) -> None:
        id = self.pick(self.items, at)
        may = not on or self.group(id) in ("completed", "cancelled")
        assert done(items.archive, self.store, items.item(self.db, self.project.id, id), on=on) is may
        if may:
            self.items[id]["away"] = on
            self.history[id].append(("updated", "archived_at", "archive" if on else "restore"))

    @precondition(lambda self: self.items)
    @rule(at=any_one)
    def delete(self, at: int) -> None:
        id = self.pick(self.items, at)
        items.delete(self.store, items.item(self.db, self.project.id, id))
        del self.items[id], self.history[id]
        self.plan.pop(id, None)
        self.parts = {(item, module) for item, module in self.parts if item != id}
        self.comments = {one: (item, text) for one, (item, text) in self.comments.items() if item != id}

    # -- states --------------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.states) < 8)
    @rule(name=st.sampled_from(["Todo", "Review", "Next"]), group=st.sampled_from(GROUPS), default=st.booleans())
    def add_state(self, name: str, group: str, default: bool) -> None:
        may = name not in {has for has, _ in self.states.values()}
        facts = {"name": name, "color": "#000", "group": group, "default": default}
        assert done(projects.add_state, self.store, "w", self.project.id, facts) is may
        if may:
            [made] = find(self.db, State, "WHERE project = ? AND name = ?", (self.project.id, name))
            self.states[made.id] = (name, group)
            self.default = made.id if default else self.default

    @rule(at=any_one, name=st.sampled_from(["Todo", "Review", "Next"]), default=st.booleans())
    def edit_state(self, at: int, name: str, default: bool) -> None:
        id = self.pick(self.states, at)
        may = name not in {has for other, (has, _) in self.states.items() if other != id}
        state = by_id(self.db, State, id)
        assert state is not None
        facts = {"name": name, "default": True} if default else {"name": name}
        assert done(projects.edit_state, self.store, state, facts) is may
        if may:
            self.states[id] = (name, self.states[id][1])
            self.default = id if default else self.default

    @rule(at=any_one)
    def remove_state(self, at: int) -> None:
        id = self.pick(self.states, at)
        may = id != self.default and id not in {one["state"] for one in self.items.values()}
        state = by_id(self.db, State, id)
        assert state is not None
        assert done(projects.remove_state, self.store, state) is may
        if may:
            del self.states[id]

    # -- cycles --------------------------------------------------------------------------------------------------

    @rule(start=st.integers(0, 40), length=st.integers(0, 10))
    def plan_cycle(self, start: int, length: int) -> None:
        end = start + length
        clash = any(start <= other_end and end >= other_start for other_start, other_end in self.cycles.values())
        facts = {"name": f"{start}-{end}", "start_date": _day(start), "end_date": _day(end)}
        assert done(cycles.create, self.store, self.project, facts) is not clash
        if not clash:
            [made] = find(self.db, Cycle, "WHERE start_date LIKE ? || '%'", (_day(start)[:10],))
            self.cycles[made.id] = (start, end)

    @precondition(lambda self: self.cycles)
    @rule(at=any_one, start=st.integers(0, 40), length=st.integers(0, 10))
    def move_cycle(self, at: int, start: int, length: int) -> None:
        id, end = self.pick(self.cycles, at), start + length
        others = [dates for other, dates in self.cycles.items() if other != id]
        clash = any(start <= other_end and end >= other_start for other_start, other_end in others)
        cycle = cycles.cycle(self.db, self.project.id, id)
        facts = {"name": f"{start}-{end}", "start_date": _day(start), "end_date": _day(end)}
        assert done(cycles.edit, self.store, self.project, cycle, facts) is not clash
        if not clash:
            self.cycles[id] = (start, end)

    @precondition(lambda self: self.cycles and self.items)
    @rule(item=any_one, cycle=any_one)
    def put(self, item: int, cycle: int) -> None:
        chosen, target = self.pick(self.items, item), self.pick(self.cycles, cycle)
        cycles.put(self.store, cycles.cycle(self.db, self.project.id, target), [chosen])
        self.planned(chosen, target)

    def planned(self, item: str, cycle: str) -> None:
        if self.plan.get(item) != cycle:
            self.history[item].append(
                ("updated" if item in self.plan else "created", "cycles", "{}-{}".format(*self.cycles[cycle]))
            )
        self.plan[item] = cycle

    @precondition(lambda self: self.plan)
    @rule(item=any_one)
    def unplan(self, item: int) -> None:
        chosen = self.pick(self.plan, item)
        cycles.take_out(self.store, cycles.cycle(self.db, self.project.id, self.plan[chosen]), chosen)
        del self.plan[chosen]
        self.history[chosen].append(("deleted", "cycles", ""))

    @precondition(lambda self: len(self.cycles) > 1)
    @rule(source=any_one, onto=any_one)
    def transfer(self, source: int, onto: int) -> None:
        old, new = self.pick(self.cycles, source), self.pick(self.cycles, onto)
        if old == new:
            return
        here, there = (cycles.cycle(self.db, self.project.id, one) for one in (old, new))
        cycles.transfer(self.store, here, there)
        for id, cycle in list(self.plan.items()):
            if cycle == old and self.group(id) in UNFINISHED:
                self.planned(id, new)

    @precondition(lambda self: self.cycles)
    @rule(at=any_one)
    def drop_cycle(self, at: int) -> None:
        id = self.pick(self.cycles, at)
        cycles.delete(self.store, cycles.cycle(self.db, self.project.id, id))
        del self.cycles[id]
        for item in [item for item, cycle in self.plan.items() if cycle == id]:
            del self.plan[item]
            self.history[item].append(("deleted", "cycles", ""))

    # -- modules -------------------------------------------------------------------------------------------------

    @rule(name=st.sampled_from(["Beds", "Paths", "Pond"]))
    def add_module(self, name: str) -> None:
        may = name not in self.modules.values()
        assert done(modules.create, self.store, self.project, {"name": name, "status": "planned"}) is may
        if may:
            [made] = find(self.db, Module, "WHERE name = ?", (name,))
            self.modules[made.id] = name

    @precondition(lambda self: self.modules)
    @rule(at=any_one, name=st.sampled_from(["Beds", "Paths", "Pond"]))
    def rename_module(self, at: int, name: str) -> None:
        id = self.pick(self.modules, at)
        may = name not in {has for other, has in self.modules.items() if other != id}
        module = modules.module(self.db, self.project.id, id)
        assert done(modules.edit, self.store, self.project, module, {"name": name}) is may
        if may:
            self.modules[id] = name

    @precondition(lambda self: self.modules and self.items)
    @rule(item=any_one, module=any_one)
    def put_in_module(self, item: int, module: int) -> None:
        chosen, target = self.pick(self.items, item), self.pick(self.modules, module)
        modules.put(self.store, modules.module(self.db, self.project.id, target), [chosen])
        if (chosen, target) not in self.parts:
            self.history[chosen].append(("created", "modules", self.modules[target]))
        self.parts.add((chosen, target))

    @precondition(lambda self: self.parts)
    @rule(at=any_one)
    def take_out_of_module(self, at: int) -> None:
        item, module = self.pick(self.parts, at)
        modules.take_out(self.store, modules.module(self.db, self.project.id, module), item)
        self.parts.remove((item, module))
        self.history[item].append(("deleted", "modules", ""))

    @precondition(lambda self: self.modules)
    @rule(at=any_one)
    def drop_module(self, at: int) -> None:
        id = self.pick(self.modules, at)
        modules.delete(self.store, modules.module(self.db, self.project.id, id))
        del self.modules[id]
        for item, module in [one for one in self.parts if one[1] == id]:
            self.parts.remove((item, module))
            self.history[item].append(("deleted", "modules", ""))

    # -- comments ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.items)
    @rule(item=any_one, text=st.sampled_from(["a", "b"]))
    def say(self, item: int, text: str) -> None:
        chosen = self.pick(self.items, item)
        row = items.item(self.db, self.project.id, chosen)
        made = talk.add_comment(self.store, row, {"comment_html": f"<p>{text}</p>"})
        self.comments[made] = (chosen, f"<p>{text}</p>")
        self.history[chosen].append(("created", "comment", f"<p>{text}</p>"))

    @precondition(lambda self: self.comments)
    @rule(at=any_one, text=st.sampled_from(["a", "b"]))
    def say_otherwise(self, at: int, text: str) -> None:
        id = self.pick(self.comments, at)
        item, old = self.comments[id]
        row, new = items.item(self.db, self.project.id, item), f"<p>{text}</p>"
        talk.edit_comment(self.store, row, talk.comment(self.db, item, id), {"comment_html": new})
        self.comments[id] = (item, new)
        if new != old:
            self.history[item].append(("updated", "comment", new))

    @precondition(lambda self: self.comments)
    @rule(at=any_one)
    def unsay(self, at: int) -> None:
        id = self.pick(self.comments, at)
        item, _ = self.comments.pop(id)
        row = items.item(self.db, self.project.id, item)
        talk.remove_comment(self.store, row, talk.comment(self.db, item, id))
        self.history[item].append(("deleted", "comment", None))

    # -- both ----------------------------------------------------------------------------------------------------

    @invariant()
    def items_agree(self) -> None:
        rows = find(self.db, Item, "")
        found = {
            one.id: {"name": one.name, "state": one.state, "number": one.sequence_id,
                     "away": one.archived_at is not None}
            for one in rows
        }  # fmt: skip
        assert found == self.items
        for one in rows:
            assert (one.completed_at is not None) == (self.group(one.id) == "completed")
        there = {id for id, one in self.items.items() if not one["away"]}
        assert counting.total(self.db, self.store.actor, "w") == len(there)
        listed = item_lists.search(self.db, "w", self.store.actor, "abc", None, 1000)
        assert {row[1] for row in listed} == {id for id in there if "abc" in self.items[id]["name"]}

    @invariant()
    def histories_agree(self) -> None:
        told: dict[str, History] = {id: [] for id in self.items}
        for item, *line in self.db.execute("SELECT issue, verb, field, new_value FROM activities ORDER BY rowid"):
            told[item].append((line[0], line[1], line[2]))
        assert told == self.history

    @invariant()
    def states_agree(self) -> None:
        rows = find(self.db, State, "")
        assert {one.id: (one.name, one.group) for one in rows} == self.states
        assert [one.id for one in rows if one.default] == [self.default]
        stands = projects.default_state(self.db, self.project.id)
        assert stands is not None
        assert stands.id == self.default

    @invariant()
    def cycles_agree(self) -> None:
        rows = self.db.execute("SELECT issue, cycle FROM cycle_items").fetchall()
        assert dict(rows) == self.plan
        assert len(rows) == len(self.plan)
        spans = sorted((one.start_date or "", one.end_date or "") for one in find(self.db, Cycle, ""))
        assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
        planned = [(item, cycle) for item, cycle in self.plan.items()]
        assert cycles.counts(self.db, list(self.cycles)) == self.counted(self.cycles, planned)

    @invariant()
    def modules_agree(self) -> None:
        assert {one.id: one.name for one in find(self.db, Module, "")} == self.modules
        assert set(self.db.execute("SELECT issue, module FROM module_items").fetchall()) == self.parts
        found = modules.counts(self.db, list(self.modules))
        assert found == self.counted(self.modules, sorted(self.parts))

    def counted(self, places: Any, inside: list[tuple[str, str]]) -> dict[str, dict[str, int]]:
        """How many items that are not put away each place holds, in all and by group."""
        shown = [(item, place) for item, place in inside if not self.items[item]["away"]]
        return {
            place: {
                "total_issues": sum(at == place for _, at in shown),
                **{f"{group}_issues": sum(at == place and self.group(item) == group for item, at in shown)
                   for group in GROUPS},
            }
            for place in places
        }  # fmt: skip

    @invariant()
    def comments_agree(self) -> None:
        found = {id: (item, text) for id, item, text in self.db.execute("SELECT id, issue, comment_html FROM comments")}
        assert found == self.comments

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()


BoardMachine.TestCase.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestBoardAgainstItsModel = BoardMachine.TestCase
