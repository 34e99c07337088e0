"""Any sequence of MKCOL, PUT, MOVE, COPY and DELETE leaves exactly the tree a plain dictionary would hold."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dayjob.company.world import Snapshot
from tests.company.drive.client import DAV, OC, Client
from tests.company.serving import serve

# Few names and not too deep, so that most steps hit something that is there.
names = st.sampled_from(["a", "b", "ä #1"])
paths = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
contents = st.binary(max_size=40)
snapshot: Snapshot | None = None


def parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


class DriveMachine(RuleBasedStateMachine):
    """The model maps each path to its content, None for a folder."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, bytes | None] = {"/": None}
        self.stack = ExitStack()
        assert snapshot is not None
        self.client = Client(self.stack.enter_context(serve(snapshot)).url("drive"))

    def teardown(self) -> None:
        self.client.session.close()
        self.stack.close()

    def under(self, path: str) -> list[str]:
        return [one for one in self.model if one == path or one.startswith(f"{path}/")]

    def has_folder_for(self, path: str) -> bool:
        return self.model.get(parent(path), b"") is None

    @initialize()
    def some_folders(self) -> None:
        for path in ("/a", "/a/b", "/b"):
            self.make_folder(path)
        for path in ("/a/a", "/a/b/a", "/b/b"):
            self.write(path, path.encode())

    @rule(path=paths)
    def make_folder(self, path: str) -> None:
        status = self.client.mkcol(path).status_code
        if path in self.model:
            assert status == 405
        elif not self.has_folder_for(path):
            assert status == 409
        else:
            assert status == 201
            self.model[path] = None

    @rule(path=paths, content=contents)
    def write(self, path: str, content: bytes) -> None:
        status = self.client.put(path, content).status_code
        if self.model.get(path, b"") is None or not self.has_folder_for(path):
            assert status == 409
        else:
            assert status == (204 if path in self.model else 201)
            self.model[path] = content

    @rule(path=paths)
    def delete(self, path: str) -> None:
        status = self.client.dav("DELETE", path).status_code
        assert status == (204 if path in self.model else 404)
        for one in self.under(path):
            del self.model[one]

    @rule(source=paths, goal=paths, overwrite=st.booleans(), moving=st.booleans())
    def transport(self, source: str, goal: str, overwrite: bool, moving: bool) -> None:
        target = goal  # hypothesis keeps the word for itself
        method, flag = ("MOVE" if moving else "COPY"), ("T" if overwrite else "F")
        status = self.client.transport(method, source, target, Overwrite=flag).status_code
        if source not in self.model:
            assert status == 404
            return
        if parent(target) not in self.model or not self.has_folder_for(target):
            assert status in (403, 409)
            return
        if target in self.model and not overwrite:
            assert status == 412
            return
        if source == target or target.startswith(f"{source}/") or source.startswith(f"{target}/"):
            assert status == 403
            return
        assert status == (204 if target in self.model else 201)
        for one in self.under(target):
            del self.model[one]
        for one in self.under(source):
            self.model[target + one[len(source) :]] = self.model[one]
            if moving:
                del self.model[one]

    @invariant()
    def the_tree_is_the_models(self) -> None:
        found = self.client.find("/", f"{DAV}resourcetype", f"{OC}size", depth="infinity")
        tree = {}
        for one in found:
            path = one.href.removeprefix("/remote.php/webdav").rstrip("/") or "/"
            folder = one.elements[f"{DAV}resourcetype"].find(f"{DAV}collection") is not None
            tree[path] = None if folder else self.client.get(path)
            expected = sum(len(self.model[inner] or b"") for inner in self.model if path in ("/", inner)
                           or inner.startswith(f"{path}/"))  # fmt: skip
            assert int(one.properties[f"{OC}size"]) == expected, path
        assert tree == self.model


def test_any_sequence_of_changes_leaves_the_tree_a_dictionary_would_hold(blank_snapshot: Snapshot) -> None:
    global snapshot
    snapshot = blank_snapshot
    DriveMachine.TestCase.settings = settings(
        max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    DriveMachine.TestCase("runTest").runTest()
