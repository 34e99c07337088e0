"""Locks in full, unfinished uploads, questions about many files at once, and where shares appear."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dayjob.company.drive.rows import GROUP_SHARE, USER_SHARE, Node
from tests.company.drive.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office("ann", "bob", "cid")
    made.fill("ann", "/top/", "/top/a")
    yield made
    made.company.close()


def node(office: Office, path: str) -> Node:
    found = office.drive.tree.get("ann", path)
    assert found is not None
    return found


@pytest.mark.parametrize("at", [0, 1, 499, 500, 501, 999, 1000])
def test_many_files_are_asked_about_at_once_and_each_is_answered_once(office: Office, at: int) -> None:
    file = node(office, "/top/a")
    office.share("ann", "/top/a", "bob")
    office.share("ann", "/top/a", "cids")
    office.drive.properties.set(file.id, "{x}colour", "red")
    office.drive.properties.set(file.id, "{x}size", "big")
    asked = [10**6 + number for number in range(1001)]
    asked[at] = file.id
    assert office.drive.shares.kinds_on(asked) == {file.id: [USER_SHARE, GROUP_SHARE]}
    assert office.drive.properties.of_all(asked) == {file.id: {"{x}colour": "red", "{x}size": "big"}}
    office.drive.properties.remove(file.id, "{x}size")
    assert office.drive.properties.of_all(asked) == {file.id: {"{x}colour": "red"}}
    assert office.drive.shares.kinds_on([]) == {}
    assert office.drive.properties.of_all([]) == {}


def test_what_is_kept_of_a_lock_and_a_refreshed_one(office: Office) -> None:
    locks, file = office.drive.locks, node(office, "/top/a")
    made = locks.take(file, "ann", exclusive=False, deep=True, owner_xml="<o/>", timeout=60)
    assert (made.username, made.exclusive, made.deep, made.owner_xml, made.timeout) == ("ann", False, True, "<o/>", 60)
    assert (made.node_owner, made.node_path) == ("ann", "/top/a")
    assert made.token.startswith("opaquelocktoken:")
    assert locks.on("ann", "/top/a") == [made]
    other = locks.take(file, "bob", exclusive=False, deep=False, owner_xml="", timeout=60)
    assert other.token != made.token
    office.company.clock.forward(seconds=30)
    longer = locks.refresh(made, 90)
    assert (longer.token, longer.timeout, longer.owner_xml, longer.node_path) == (made.token, 90, "<o/>", "/top/a")
    office.company.clock.forward(seconds=30)
    assert locks.on("ann", "/top/a") == [longer], "the other one's time is up"
    office.company.clock.forward(seconds=59)
    assert locks.on("ann", "/top/a") == [longer]
    office.company.clock.forward(seconds=1)
    assert locks.on("ann", "/top/a") == []
    locks.take(file, "bob", exclusive=True, deep=False, owner_xml="", timeout=60)
    assert office.drive.db.execute("SELECT count(*) FROM locks").fetchone() == (1,), "what is over is swept away"


@pytest.mark.parametrize(
    ("name", "good"),
    [("a", True), ("_a-B.9", True), ("x" * 151, True), ("x" * 152, False), (".a", False), ("", False), ("a/b", False),
     ("ä", False)],
)  # fmt: skip
def test_how_uploads_and_their_chunks_are_named(office: Office, name: str, good: bool) -> None:
    uploads = office.drive.uploads
    uploads.start("ann", "fine")
    assert office.may(uploads.place, "ann", "fine", name) is good
    assert office.may(uploads.start, "ann", name) is good


def test_an_upload_is_started_once_and_is_ones_own(office: Office) -> None:
    uploads = office.drive.uploads
    assert uploads.all("ann") == []
    uploads.start("ann", "one")
    assert not office.may(uploads.start, "ann", "one")
    uploads.continue_or_start("ann", "one")
    uploads.continue_or_start("ann", "two")
    assert (uploads.all("ann"), uploads.all("bob")) == (["one", "two"], [])
    for call in (uploads.chunks, uploads.drop):
        assert not office.may(call, "bob", "one")
        assert not office.may(call, "ann", "three")
    assert not office.may(uploads.place, "bob", "one", "1")
    uploads.drop("ann", "one")
    assert uploads.all("ann") == ["two"]


def test_a_file_that_is_shared_twice_appears_where_it_was_shared_first(office: Office) -> None:
    bob = office.view("bob")
    inner = office.share("ann", "/top/a", "bob")
    outer = office.share("ann", "/top", "bob")
    assert inner.id < outer.id
    bob.move("/a", "/z")
    assert bob.seen_as("ann", "/top/a") == "/z"
    assert bob.seen_as("ann", "/top") == "/top"
    office.drive.shares.remove(inner)
    assert bob.seen_as("ann", "/top/a") == "/top/a"
    again = office.share("ann", "/top/a", "bob")
    assert again.id > outer.id
    assert bob.seen_as("ann", "/top/a") == "/top/a"
    assert bob.seen_as("ann", "/topmost") is None
    assert bob.seen_as("cid", "/top/a") is None


def test_a_share_with_a_group_reaches_those_of_its_members_who_have_a_drive(office: Office) -> None:
    office.drive.accounts.join("ghost", "bobs")
    made = office.share("ann", "/top", "bobs")
    assert office.drive.shares.mount_of(made, "bob") == "/top"
    assert office.drive.shares.mount_of(made, "ghost") is None
