"""Issues, merge requests and labels against a plain model: whatever people do, both tell the same story of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.rows.items import Issue, Label, MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import approvals, issues, items, labels, merge_requests
from tests.company.forge.offices import Office

any_one = st.integers(0, 99)
names = st.sampled_from(["bug", "task", " bug ", "1", "2", "", "a,b", "x" * 255, "x" * 256])
ROLES = {"owner": 50, "developer": 30, "second": 30, "reporter": 20}


@dataclass
class Story:
    """What the model knows of an issue or a merge request."""

    kind: str
    number: int
    author: int
    state: str = "opened"
    labels: set[int] = field(default_factory=set)
    approved: set[int] = field(default_factory=set)
    ended: tuple[str, int] | None = None  # when it was closed or merged, and by whom
    changed: str = ""
    notes: list[str] = field(default_factory=list)
    traces: list[tuple[str, str, str | None]] = field(default_factory=list)


def answered(what: Any, *args: Any) -> int:
    """The status something is refused with; 0 if it is done."""
    try:
        what(*args)
    except Refused as refused:
        return refused.status
    return 0


class ForgeMachine(RuleBasedStateMachine):
    """The model: stories by kind and id, labels by id, and the feed in order."""

    @initialize(own=st.sampled_from([True, False, None]))
    def begin(self, own: bool | None) -> None:
        self.office = Office()
        self.store = self.office.store
        group = self.office.group("group")
        self.own = own is not False
        self.project = self.office.project("garden", group, merge_requests_author_approval=own)
        self.places = {"project_id": self.project, "group_id": group}
        self.people = [self.office.person(name) for name in ROLES]
        for user, level in zip(self.people, ROLES.values(), strict=True):
            self.office.join(self.project, user, level)
        self.stories: dict[tuple[str, int], Story] = {}
        self.labels: dict[int, tuple[str, str]] = {}
        self.numbers = {"Issue": 0, "MergeRequest": 0}
        self.feed: list[tuple[str, str, int, int, int, str]] = []

    # -- what happens --------------------------------------------------------------------------------------------

    @rule(who=any_one, kind=st.sampled_from(["Issue", "MergeRequest"]))
    def open(self, who: int, kind: str) -> None:
        author = self.people[who % 4]
        self.numbers[kind] += 1
        row = (self.office.issue if kind == "Issue" else self.office.request)(self.project, author)
        self.stories[kind, row.id] = Story(kind, self.numbers[kind], author.id, changed=self.store.now())
        if kind == "Issue":
            self.tell("opened", kind, row.id, author)

    @precondition(lambda self: self.stories)
    @rule(at=any_one, who=any_one, event=st.sampled_from(["close", "reopen", "nonsense"]))
    def set_state(self, at: int, who: int, event: str) -> None:
        story, row, actor = self.chosen(at, who)
        change: Any = issues.set_state if story.kind == "Issue" else merge_requests.set_state
        change(self.store, actor, row, self.project, event)
        was, state = {"close": ("opened", "closed"), "reopen": ("closed", "opened")}.get(event, ("", ""))
        if story.state == was:
            story.state, story.changed = state, self.store.now()
            story.ended = (self.store.now(), actor.id) if state == "closed" else None
            self.leaves(story, row.id, actor, "closed" if state == "closed" else "reopened")

    @precondition(lambda self: any(one.kind == "MergeRequest" for one in self.stories.values()))
    @rule(at=any_one, who=any_one, squashed=st.sampled_from([None, "squashed"]))
    def merge(self, at: int, who: int, squashed: str | None) -> None:
        story, row, actor = self.chosen(at, who, "MergeRequest")
        if story.state != "opened":
            return
        assert isinstance(row, MergeRequest)
        merge_requests.mark_merged(self.store, actor, row, self.project, "merged", squashed)
        kept = merge_requests.get(self.store, row.id)
        assert (kept.merge_commit_sha, kept.squash_commit_sha, kept.merge_status) == (
            "merged", squashed, "can_be_merged",
        )  # fmt: skip
        story.state, story.ended, story.changed = "merged", (self.store.now(), actor.id), self.store.now()
        self.leaves(story, row.id, actor, "merged", told="accepted")

    @precondition(lambda self: any(one.kind == "MergeRequest" for one in self.stories.values()))
    @rule(at=any_one, who=any_one)
    def approve(self, at: int, who: int) -> None:
        story, row, actor = self.chosen(at, who, "MergeRequest")
        assert isinstance(row, MergeRequest)
        may = (
            ROLES[actor.username] >= 30
            and story.state == "opened"
            and actor.id not in story.approved
            and (self.own or actor.id != story.author)
        )
        assert approvals.may_approve(self.store, actor, self.project, row) is may
        if may:
            approvals.approve(self.store, actor, self.project, row)
            story.approved.add(actor.id)
            story.notes.append("approved this merge request")

    @precondition(lambda self: any(one.kind == "MergeRequest" for one in self.stories.values()))
    @rule(at=any_one, who=any_one)
    def unapprove(self, at: int, who: int) -> None:
        story, row, actor = self.chosen(at, who, "MergeRequest")
        assert isinstance(row, MergeRequest)
        assert approvals.unapprove(self.store, actor, self.project, row) is (actor.id in story.approved)
        if actor.id in story.approved:
            story.approved.discard(actor.id)
            story.notes.append("unapproved this merge request")

    @precondition(lambda self: self.stories)
    @rule(at=any_one)
    def delete(self, at: int) -> None:
        story, row, _ = self.chosen(at, 0)
        if isinstance(row, Issue):
            issues.delete(self.store, row)
        else:
            merge_requests.delete(self.store, row)
        del self.stories[story.kind, row.id]

    @rule(place=st.sampled_from(["project_id", "group_id"]), name=names)
    def add_label(self, place: str, name: str) -> None:
        expected = self.answer(place, name)
        assert answered(labels.create_label, self.store, self.places[place], name) == expected
        if not expected:
            self.labels[self.store.value("SELECT max(id) FROM labels")] = (place, name.strip())

    @precondition(lambda self: self.labels)
    @rule(at=any_one, name=names)
    def rename_label(self, at: int, name: str) -> None:
        id = sorted(self.labels)[at % len(self.labels)]
        place, old = self.labels[id]
        label = self.store.one(Label, "id=?", id)
        assert label is not None
        expected = 0 if name.strip() == old else self.answer(place, name)
        assert answered(labels.rename_label, self.store, label, name) == expected
        if not expected:
            self.labels[id] = (place, name.strip())

    @precondition(lambda self: self.labels)
    @rule(at=any_one)
    def delete_label(self, at: int) -> None:
        id = sorted(self.labels)[at % len(self.labels)]
        label = self.store.one(Label, "id=?", id)
        assert label is not None
        labels.delete_label(self.store, label)
        del self.labels[id]
        for story in self.stories.values():
            story.labels.discard(id)

    @precondition(lambda self: self.stories)
    @rule(at=any_one, who=any_one, wanted=st.lists(st.sampled_from(["bug", " bug", "task", "1", "2", " "]), max_size=3))
    def set_labels(self, at: int, who: int, wanted: list[str]) -> None:
        story, row, actor = self.chosen(at, who)
        items.set_labels(self.store, actor, self.project, story.kind, row.id, wanted)
        self.learn_new_labels()
        found = set()
        for name in {one.strip() for one in wanted} - {""}:
            same = {place: id for id, (place, has) in self.labels.items() if has == name}
            found.add(same.get("project_id") or same["group_id"])
        added, removed = sorted(found - story.labels), sorted(story.labels - found)
        if added or removed:
            words = [f"added ~{self.labels[id][1]}" for id in added] + [
                f"removed ~{self.labels[id][1]}" for id in removed
            ]
            story.notes.append(" ".join(words) + " labels")
        story.traces += [("label", "add", str(id)) for id in added] + [("label", "remove", str(id)) for id in removed]
        story.labels = found

    @rule()
    def time_passes(self) -> None:
        self.office.company.clock.forward(hours=1)

    # -- the model -----------------------------------------------------------------------------------------------

    def chosen(self, at: int, who: int, kind: str | None = None) -> tuple[Story, Issue | MergeRequest, User]:
        among = sorted(key for key in self.stories if kind in (None, key[0]))
        name, id = among[at % len(among)]
        row = issues.get(self.store, id) if name == "Issue" else merge_requests.get(self.store, id)
        return self.stories[name, id], row, self.people[who % 4]

    def answer(self, place: str, name: str) -> int:
        """How a label of that name is answered: 0 for taken up."""
        name = name.strip()
        if not name or "," in name or len(name) > 255:
            return 400
        return 409 if (place, name) in self.labels.values() else 0

    def learn_new_labels(self) -> None:
        """Labels that an item was given and nobody had are the project's."""
        for id, project, name in self.store.db.execute("SELECT id, project_id, name FROM labels").fetchall():
            if id not in self.labels:
                assert project == self.project.id
                assert name not in {has for _, has in self.labels.values()}
                self.labels[id] = ("project_id", name)

    def leaves(self, story: Story, id: int, actor: User, what: str, told: str | None = None) -> None:
        story.notes.append(what)
        story.traces.append(("state", what, None))
        self.tell(told or what, story.kind, id, actor)

    def tell(self, action: str, kind: str, id: int, actor: User) -> None:
        self.feed.append((action, kind, id, self.stories[kind, id].number, actor.id, self.store.now()))

    # -- both ----------------------------------------------------------------------------------------------------

    @invariant()
    def items_agree(self) -> None:
        rows: list[Any] = [*self.store.all(Issue, "1"), *self.store.all(MergeRequest, "1")]
        assert {(type(one).__name__, one.id) for one in rows} == set(self.stories)
        for row in rows:
            story = self.stories[type(row).__name__, row.id]
            assert (row.iid, row.author_id, row.state) == (story.number, story.author, story.state)
            merged = story.state == "merged"
            assert (row.closed_at, row.closed_by) == (story.ended if story.ended and not merged else (None, None))
            if story.kind == "MergeRequest":
                assert (row.merged_at, row.merged_by) == (story.ended if story.ended and merged else (None, None))
            assert row.updated_at == story.changed
            assert row.label_names == sorted(self.labels[id][1] for id in story.labels)
        open_ones = [one for one in self.stories.values() if one.kind == "Issue" and one.state == "opened"]
        counted = self.store.value("SELECT open_issues_count FROM projects WHERE id=?", self.project.id)
        assert counted == len(open_ones)

    @invariant()
    def stories_agree(self) -> None:
        def told(sql: str) -> dict[tuple[str, int], list[Any]]:
            found: dict[tuple[str, int], list[Any]] = {key: [] for key in self.stories}
            for kind, id, *rest in self.store.db.execute(sql):
                found[kind, id].append(tuple(rest) if len(rest) > 1 else rest[0])
            return found

        assert told("SELECT noteable_type, noteable_id, body FROM notes WHERE system=1 ORDER BY id") == {
            key: one.notes for key, one in self.stories.items()
        }
        assert told("SELECT item_type, item_id, kind, action, value FROM resource_events ORDER BY id") == {
            key: one.traces for key, one in self.stories.items()
        }
        given = told("SELECT 'MergeRequest', merge_request_id, user_id FROM approvals")
        assert {key: set(ids) for key, ids in given.items()} == {key: one.approved for key, one in self.stories.items()}

    @invariant()
    def labels_agree(self) -> None:
        found = {
            one.id: ("project_id" if one.project_id else "group_id", one.name) for one in self.store.all(Label, "1")
        }
        assert found == self.labels

    @invariant()
    def the_feed_agrees(self) -> None:
        told = self.store.db.execute(
            "SELECT action, target_type, target_id, target_iid, author_id, created_at FROM events ORDER BY id"
        ).fetchall()
        assert told == self.feed

    def teardown(self) -> None:
        if hasattr(self, "office"):
            self.office.company.close()


ForgeMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestItemsAgainstTheirModel = ForgeMachine.TestCase
