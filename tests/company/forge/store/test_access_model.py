"""Membership against a plain model of GitLab's rules: any groups, members, shares and days give both one level."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, issues, namespaces, projects, visibility
from tests.company.bare import day
from tests.company.forge.offices import Office

levels = st.sampled_from([10, 15, 20, 30, 40, 50])
visibilities = st.sampled_from([0, 10, 20])
ends = st.one_of(st.none(), st.integers(1, 3))
any_one = st.integers(0, 99)
Place = tuple[str, int]  # ("group" or "project", id)


class AccessMachine(RuleBasedStateMachine):
    """The model: parents of groups and projects, members and shares as (place, whose) → (level, last day)."""

    @initialize()
    def begin(self) -> None:
        self.office = Office()
        self.store = self.office.store
        self.people = [self.office.person("ann"), self.office.person("bob"), self.office.person("eve", external=True)]
        self.today = 0
        self.parents: dict[Place, Place | None] = {}
        self.open: dict[Place, int] = {}
        self.members: dict[tuple[Place, int], tuple[int, int | None]] = {}
        self.shares: dict[tuple[Place, Place], tuple[int, int | None]] = {}
        self.issues: dict[int, tuple[Place, int, bool, int | None]] = {}
        top = self.found("group", self.office.group("top"))
        self.found("project", self.office.project("first", self.row(top)))  # type: ignore[arg-type]  # it is a group

    def found(self, kind: str, row: Namespace | Project) -> Place:
        place = (kind, row.id)
        above = row.parent_id if isinstance(row, Namespace) else row.namespace_id
        self.parents[place] = ("group", above) if above is not None else None
        self.open[place] = row.visibility
        return place

    def row(self, place: Place) -> Namespace | Project:
        row = namespaces.find(self.store, place[1]) if place[0] == "group" else projects.find(self.store, place[1])
        assert row is not None
        return row

    def pick(self, among: Any, at: int) -> Any:
        listed = sorted(among)
        return listed[at % len(listed)]

    def groups(self) -> list[Place]:
        return [place for place in self.parents if place[0] == "group"]

    # -- what happens --------------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.parents) < 8)
    @rule(at=any_one, top=st.booleans())
    def add_group(self, at: int, top: bool) -> None:
        parent = None if top else self.row(self.pick(self.groups(), at))
        assert not isinstance(parent, Project)
        self.found("group", self.office.group(f"g{len(self.parents)}", parent))

    @precondition(lambda self: len(self.parents) < 8)
    @rule(at=any_one, visibility=visibilities)
    def add_project(self, at: int, visibility: int) -> None:
        group = self.row(self.pick(self.groups(), at))
        assert isinstance(group, Namespace)
        self.found("project", self.office.project(f"p{len(self.parents)}", group, visibility))

    @rule(at=any_one, who=any_one, level=levels, end=ends)
    def join(self, at: int, who: int, level: int, end: int | None) -> None:
        place, user = self.pick(self.parents, at), self.people[who % 3]
        last = None if end is None else self.today + end
        kind = "Project" if place[0] == "project" else "Namespace"
        self.store.db.execute(
            "DELETE FROM members WHERE source_type=? AND source_id=? AND user_id=?", (kind, place[1], user.id)
        )
        self.office.join(self.row(place), user, level, None if last is None else day(last))
        self.members[place, user.id] = (level, last)

    @rule(at=any_one, whose=any_one, level=levels, end=ends)
    def share(self, at: int, whose: int, level: int, end: int | None) -> None:
        place, group = self.pick(self.parents, at), self.pick(self.groups(), whose)
        if place == group or (place, group) in self.shares:
            return
        last = None if end is None else self.today + end
        target = self.row(group)
        assert isinstance(target, Namespace)
        self.office.share(self.row(place), target, level, None if last is None else day(last))
        self.shares[place, group] = (level, last)

    @rule(at=any_one, who=any_one, confidential=st.booleans(), assigned=st.booleans())
    def open_issue(self, at: int, who: int, confidential: bool, assigned: bool) -> None:
        place = self.pick([one for one in self.parents if one[0] == "project"], at)
        author, assignee = self.people[who % 3], self.people[(who + 1) % 3]
        project = self.row(place)
        assert isinstance(project, Project)
        issue = issues.create(
            self.store, author, project, "x", confidential=int(confidential),
            assignees=[assignee.id] if assigned else None,
        )  # fmt: skip
        self.issues[issue.id] = (place, author.id, confidential, assignee.id if assigned else None)

    @rule()
    def a_day_passes(self) -> None:
        self.office.company.clock.forward(days=1)
        self.today += 1

    # -- the model -----------------------------------------------------------------------------------------------

    def lasts(self, end: int | None) -> bool:
        return end is None or end > self.today

    def direct(self, place: Place, user: int) -> int:
        level, end = self.members.get((place, user), (0, None))
        return level if self.lasts(end) else 0

    def shared(self, place: Place) -> list[tuple[Place, int]]:
        return [(group, level) for (at, group), (level, end) in self.shares.items() if at == place and self.lasts(end)]

    def level(self, place: Place | None, user: int) -> int:
        """A share of a project reaches all members of the group, a share of a group only its direct ones."""
        if place is None:
            return 0
        reach = self.level if place[0] == "project" else self.direct
        lent = [min(level, reach(group, user)) for group, level in self.shared(place)]
        return max(self.direct(place, user), self.level(self.parents[place], user), *lent, 0)

    # -- both ----------------------------------------------------------------------------------------------------

    @invariant()
    def levels_agree(self) -> None:
        for user in self.people:
            expected = {place: self.level(place, user.id) for place in self.parents}
            got = {}
            for place in self.parents:
                row = self.row(place)
                ask = access.project_level if isinstance(row, Project) else access.group_level
                got[place] = ask(self.store, user, row)  # type: ignore[arg-type]  # each is asked for its own kind
            assert got == expected
            for wanted in (10, 20, 50):
                mine = self.office.listed("projects", f"t.id IN ({access.member_projects(user, wanted)})")
                assert mine == {id for (kind, id), level in expected.items() if kind == "project" and level >= wanted}
                mine = self.office.listed("namespaces", f"t.id IN ({access.member_groups(user, wanted)})")
                assert mine == {id for (kind, id), level in expected.items() if kind == "group" and level >= wanted}

    @invariant()
    def lists_agree(self) -> None:
        for user in self.people:
            floor = 20 if user.external else 10
            seen = {
                place
                for place in self.parents
                if place[0] == "project" and (self.open[place] >= floor or self.level(place, user.id))
            }
            assert self.office.listed("projects", access.visible_projects(user, "t.id")) == {id for _, id in seen}
            assert self.office.listed("issues", visibility.issues(user)) == {
                id
                for id, (place, author, confidential, assignee) in self.issues.items()
                if place in seen
                and (not confidential or user.id in (author, assignee) or self.level(place, user.id) >= 15)
            }

    def teardown(self) -> None:
        if hasattr(self, "office"):
            self.office.company.close()


AccessMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestMembershipAgainstItsModel = AccessMachine.TestCase
