"""The drive's store against plain dictionaries: any order of writing, moving, deleting, restoring and sharing.

Two people share folders with each other; what each sees, what the trash holds and what folders add up to agrees with
the model after every step.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dayjob.company.drive.errors import Conflict, DriveError, Forbidden, InsufficientStorage, MethodNotAllowed, NotFound
from dayjob.company.drive.rows import CREATE, DELETE, READ, UPDATE
from tests.company.bare import day
from tests.company.drive.offices import Office

QUOTA = 60
letters = st.sampled_from("abc")
paths = st.lists(letters, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
contents = st.binary(max_size=25)
masks = st.sampled_from([READ, READ | UPDATE, READ | CREATE, READ | DELETE, 15])
Tree = dict[str, bytes | None]  # a path's content; None is a folder


def parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def under(tree: Tree, path: str) -> list[str]:
    return [one for one in tree if one == path or one.startswith(f"{path}/")]


class StoreMachine(RuleBasedStateMachine):
    """Ann's drive is the model's tree; bob has only what ann shares with him, at the top of his own."""

    @initialize()
    def begin(self) -> None:
        self.office = Office("ann", "bob", quota=QUOTA)
        self.drive = self.office.drive
        self.tree: Tree = {"/": None}
        self.trash: dict[int, tuple[str, Tree]] = {}
        self.shared: dict[str, tuple[int, int | None]] = {}  # path → rights, last day
        self.today = 0
        for path in ("/a", "/a/b", "/b"):
            self.make_folder("ann", path)
        self.write("ann", "/a/c", b"one")

    # -- the model -----------------------------------------------------------------------------------------------

    def live(self) -> dict[str, int]:
        """Shares that still hold, and what they allow."""
        return {path: rights for path, (rights, end) in self.shared.items() if end is None or end >= self.today}

    def place(self, who: str, path: str) -> tuple[str | None, int]:
        """Where a path of somebody leads in ann's tree, and what they may do there."""
        if who == "ann":
            return path, 31
        top = f"/{path.split('/')[1]}"
        for shared, rights in self.live().items():
            if self.names.get(shared) == top:
                return shared + path[len(top) :], rights
        return None, 31

    @property
    def names(self) -> dict[str, str]:
        """What bob calls the things he was given: each at the top of his drive, as the store named it."""
        return {share.path: target for share, target in self.drive.shares.received("bob")}

    def used(self) -> int:
        return sum(len(content or b"") for content in self.tree.values())

    def expect_add(self, path: str, rights: int) -> type[DriveError] | None:
        """Why nothing can be added at a path."""
        above = self.tree.get(parent(path), b"")
        if above is not None:
            return Conflict
        return None if rights & CREATE else Forbidden

    def refused(self, error: type[DriveError] | None, what: object, *args: object) -> bool:
        """Do it; whether it was refused, as it had to be."""
        assert callable(what)
        found: DriveError | None = None
        try:
            what(*args)
        except DriveError as raised:
            found = raised
        assert type(found) is (error or type(None)), found
        return found is not None

    def forget(self, paths: list[str]) -> None:
        for path in paths:
            del self.tree[path]
            self.shared.pop(path, None)

    # -- what happens --------------------------------------------------------------------------------------------

    @rule(who=st.sampled_from(["ann", "bob"]), path=paths)
    def make_folder(self, who: str, path: str) -> None:
        real, rights = self.place(who, path)
        if real is None or (who == "bob" and real in self.live()):
            return  # bob's own top is not part of the model
        error = self.expect_add(real, rights) or (MethodNotAllowed if real in self.tree else None)
        if not self.refused(error, self.office.view(who).make_folder, path):
            self.tree[real] = None

    @rule(who=st.sampled_from(["ann", "bob"]), path=paths, content=contents)
    def write(self, who: str, path: str, content: bytes) -> None:
        real, rights = self.place(who, path)
        if real is None:
            return
        old = self.tree.get(real, b"")
        if real not in self.tree:
            error = self.expect_add(real, rights)
        elif old is None:
            error = Conflict
        else:
            error = None if rights & UPDATE else Forbidden
        more = len(content) - len(old or b"")
        if error is None and more > 0 and self.used() + more > QUOTA:
            error = InsufficientStorage
        blob = self.office.company.blobs.put(content)
        if not self.refused(error, self.office.view(who).write, path, blob, None, ""):
            self.tree[real] = content

    @rule(who=st.sampled_from(["ann", "bob"]), path=paths)
    def delete(self, who: str, path: str) -> None:
        real, rights = self.place(who, path)
        if real is None or (who == "bob" and real in self.live()):
            return
        error: type[DriveError] | None = None if rights & DELETE else Forbidden
        if real not in self.tree:
            error = NotFound
        node = self.drive.tree.get("ann", real)
        if not self.refused(error, self.office.view(who).remove, path):
            assert node is not None
            gone = under(self.tree, real)
            self.trash[node.id] = (real, {one[len(real) :]: self.tree[one] for one in gone})
            self.forget(gone)

    @rule(source=paths, goal=paths, moving=st.booleans())
    def transport(self, source: str, goal: str, moving: bool) -> None:
        view = self.office.view("ann")
        error: type[DriveError] | None = None
        if source == goal or goal.startswith(f"{source}/") or source.startswith(f"{goal}/"):
            error = Forbidden
        elif source not in self.tree:
            error = NotFound
        elif self.tree.get(parent(goal), b"") is not None:
            error = Conflict
        elif not moving and self.used() + self.weight(source) - self.weight(goal) > QUOTA and self.weight(source) > 0:
            error = InsufficientStorage
        node = self.drive.tree.get("ann", goal)
        if self.refused(error, view.move if moving else view.copy, source, goal):
            return
        gone = under(self.tree, goal)
        if node is not None:
            self.trash[node.id] = (goal, {one[len(goal) :]: self.tree[one] for one in gone})
        self.forget(gone)
        for one in under(self.tree, source):
            place = goal + one[len(source) :]
            self.tree[place] = self.tree[one]
            if moving:
                del self.tree[one]
                if one in self.shared:
                    self.shared[place] = self.shared.pop(one)

    def weight(self, path: str) -> int:
        return sum(len(self.tree[one] or b"") for one in under(self.tree, path))

    @precondition(lambda self: self.trash)
    @rule(at=st.integers(0, 99), path=paths)
    def restore(self, at: int, path: str) -> None:
        item = sorted(self.trash)[at % len(self.trash)]
        inside = self.trash[item][1]
        error: type[DriveError] | None = None
        if path in self.tree or self.tree.get(parent(path), b"") is not None:
            error = Conflict
        elif (more := sum(len(one or b"") for one in inside.values())) and self.used() + more > QUOTA:
            error = InsufficientStorage
        trash = self.drive.trash
        if not self.refused(error, trash.restore, self.office.view("ann"), trash.get("ann", item), path):
            del self.trash[item]
            self.tree.update({path + rest: content for rest, content in inside.items()})

    @precondition(lambda self: self.trash)
    @rule(at=st.integers(0, 99))
    def erase(self, at: int) -> None:
        item = sorted(self.trash)[at % len(self.trash)]
        self.drive.trash.erase(self.drive.trash.get("ann", item))
        del self.trash[item]

    @rule(path=paths, rights=masks, days=st.one_of(st.none(), st.integers(0, 2)))
    def share(self, path: str, rights: int, days: int | None) -> None:
        end = None if days is None else self.today + days
        error: type[DriveError] | None = Forbidden if path in self.live() else None
        if path not in self.tree:
            error = NotFound
        if not self.refused(error, self.office.share, "ann", path, "bob", rights, None if end is None else day(end)):
            self.shared[path] = (rights if self.tree[path] is None else rights & ~(CREATE | DELETE), end)

    @precondition(lambda self: self.live())
    @rule(at=st.integers(0, 99))
    def unshare(self, at: int) -> None:
        path = sorted(self.live())[at % len(self.live())]
        self.office.view("bob").remove(self.names[path])
        del self.shared[path]

    @rule()
    def a_day_passes(self) -> None:
        self.office.company.clock.forward(days=1)
        self.today += 1

    # -- both ----------------------------------------------------------------------------------------------------

    @invariant()
    def anns_tree_agrees(self) -> None:
        view = self.office.view("ann")
        found: Tree = {"/": None}
        for one in (top := view.locate("/"), *view.walk(top)):
            assert one.node is not None
            path = one.seen
            found[path] = (
                None if one.node.is_folder else self.office.company.blobs.path(one.node.blob or "").read_bytes()
            )
            inside = [
                content or b"" for other, content in self.tree.items() if path == "/" or other.startswith(f"{path}/")
            ]
            assert one.node.bytes == (sum(map(len, inside)) if one.node.is_folder else len(found[path] or b"")), path
        assert found == self.tree
        assert self.drive.tree.room("ann") == QUOTA - self.used()

    @invariant()
    def what_bob_sees_agrees(self) -> None:
        names = self.names
        assert names.keys() == self.live().keys()
        assert self.office.listed("bob") == {
            names[shared] + path[len(shared) :] for shared in names for path in under(self.tree, shared)
        }
        assert {share.path: share.permissions for share, _ in self.drive.shares.received("bob")} == self.live()

    @invariant()
    def the_trash_agrees(self) -> None:
        listed = {one.item: one.origin for one in self.drive.trash.items("ann")}
        assert listed == {item: origin for item, (origin, _) in self.trash.items()}
        for item, (_, inside) in self.trash.items():
            for path in inside:
                assert self.drive.trash.get("ann", item, path).is_folder is (inside[path] is None)

    def teardown(self) -> None:
        if hasattr(self, "office"):
            self.office.company.close()


StoreMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestStoreAgainstItsModel = StoreMachine.TestCase
