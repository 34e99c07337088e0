"""What the drive's store does with files: room, trash, copies and what lies in other places, at their edges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dayjob.company.blobs import Blob
from dayjob.company.drive.errors import Conflict, Forbidden, InsufficientStorage, MethodNotAllowed, NotFound
from dayjob.company.drive.rows import READ, UNLIMITED
from dayjob.company.drive.store import sharing
from dayjob.company.drive.store.view import LinkView
from tests.company.drive.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office("ann", "bob", "cid", quota=100)
    yield made
    made.company.close()


def put(office: Office, who: str, path: str, size: int) -> None:
    office.view(who).write(path, office.company.blobs.put(b"x" * size), None, "")


@pytest.mark.parametrize(("size", "fits"), [(59, True), (60, True), (61, False)])
def test_a_drive_takes_what_its_quota_has_room_for(office: Office, size: int, fits: bool) -> None:
    put(office, "ann", "/old", 40)
    assert office.drive.tree.room("ann") == 60
    assert office.may(put, office, "ann", "/new", size) is fits
    put(office, "ann", "/new", 10)
    assert office.may(put, office, "ann", "/new", size) is fits
    assert office.may(put, office, "ann", "/old", 0)


def test_a_quota_of_ones_own_goes_before_the_usual_one(office: Office) -> None:
    user = office.drive.accounts.get("ann")
    assert user is not None
    office.drive.accounts.change(user, quota=5)
    assert (office.drive.tree.room("ann"), office.drive.tree.room("bob")) == (5, 100)
    with pytest.raises(InsufficientStorage):
        put(office, "ann", "/six", 6)
    office.drive.accounts.change(user, quota=0)
    assert not office.may(put, office, "ann", "/one", 1)
    assert office.may(put, office, "ann", "/none", 0)


def test_an_account_without_a_quota_stores_what_the_company_has_room_for(office: Office) -> None:
    tree, user = office.drive.tree, office.drive.accounts.get("ann")
    assert user is not None
    assert not office.may(put, office, "ann", "/much", 101)
    office.drive.accounts.change(user, quota=UNLIMITED)
    assert (tree.quota("ann"), tree.available("ann"), tree.available("bob")) == (None, UNLIMITED, 100)
    assert office.may(put, office, "ann", "/much", 101)
    office.company.quota.limit = 50
    assert tree.available("ann") == tree.room("ann") == office.company.quota.left
    office.drive.accounts.change(user, quota=None)
    assert tree.quota("ann") == 100


def test_what_is_written_into_a_share_takes_its_owners_room(office: Office) -> None:
    office.fill("ann", "/plans/")
    office.share("ann", "/plans", "bob")
    put(office, "bob", "/plans/big", 70)
    put(office, "bob", "/own", 31)
    assert (office.drive.tree.room("ann"), office.drive.tree.room("bob")) == (30, 69)
    verbs = (office.view("bob").move, office.view("bob").copy)
    assert [office.may(verb, "/own", "/plans/own") for verb in verbs] == [False, False]
    assert not office.may(office.view("bob").move, "/plans/big", "/big")
    put(office, "bob", "/own", 30)
    assert [office.may(verb, "/own", "/plans/own") for verb in verbs] == [True, True]
    office.view("bob").move("/plans/big", "/big")
    assert (office.drive.tree.room("ann"), office.drive.tree.room("bob")) == (100, 0)


def deep(office: Office) -> None:
    """/top with a file, a folder and a file in that."""
    office.fill("ann", "/top/", "/top/a", "/top/in/", "/top/in/b", "/beside/")


def test_a_deleted_folder_comes_back_whole_wherever_it_is_put(office: Office) -> None:
    deep(office)
    before = office.drive.tree.used("ann")
    office.view("ann").remove("/top")
    assert office.listed("ann") == {"/beside"}
    assert office.drive.tree.used("ann") == 0
    item = office.drive.trash.items("ann")[0]
    assert (item.origin, item.name, item.is_folder, item.total) == ("/top", "top", True, before)
    assert [one.name for one in office.drive.trash.inside(item)] == ["a", "in"]
    assert [one.path for one in office.drive.trash.inside(office.drive.trash.get("ann", item.item, "/in"))] == ["/in/b"]
    office.drive.trash.restore(office.view("ann"), item, "/beside/back")
    assert office.listed("ann") == {
        "/beside", "/beside/back", "/beside/back/a", "/beside/back/in", "/beside/back/in/b",
    }  # fmt: skip
    assert office.drive.tree.used("ann") == before
    assert office.drive.trash.items("ann") == []


def test_a_part_of_what_was_deleted_cannot_be_restored_or_erased_alone(office: Office) -> None:
    deep(office)
    office.view("ann").remove("/top")
    item = office.drive.trash.items("ann")[0]
    part = office.drive.trash.get("ann", item.item, "/a")
    with pytest.raises(Forbidden):
        office.drive.trash.restore(office.view("ann"), part, "/a")
    with pytest.raises(Forbidden):
        office.drive.trash.erase(part)
    with pytest.raises(NotFound):
        office.drive.trash.get("ann", item.item, "/nothing")
    with pytest.raises(Conflict):
        office.drive.trash.restore(office.view("ann"), item, "/beside")
    with pytest.raises(Conflict):
        office.drive.trash.restore(office.view("ann"), item, "/nowhere/top")


def test_restoring_needs_room(office: Office) -> None:
    put(office, "ann", "/big", 60)
    office.view("ann").remove("/big")
    put(office, "ann", "/other", 41)
    item = office.drive.trash.items("ann")[0]
    with pytest.raises(InsufficientStorage):
        office.drive.trash.restore(office.view("ann"), item, "/big")
    put(office, "ann", "/other", 40)
    office.drive.trash.restore(office.view("ann"), item, "/big")
    assert office.drive.tree.room("ann") == 0


def test_what_is_deleted_out_of_a_share_is_in_the_trash_of_its_owner_and_of_whoever_deleted_it(office: Office) -> None:
    deep(office)
    office.share("ann", "/top", "bob")
    office.share("ann", "/top", "cid", READ)
    office.view("bob").remove("/top/a")
    assert {name: len(office.drive.trash.items(name)) for name in ("ann", "bob", "cid")} == {
        "ann": 1,
        "bob": 1,
        "cid": 0,
    }
    item = office.drive.trash.items("bob")[0]
    assert (item.username, item.deleted_by) == ("ann", "bob")
    with pytest.raises(NotFound):
        office.drive.trash.get("cid", item.item)
    with pytest.raises(Forbidden):
        office.drive.trash.restore(office.view("cid"), item, "/top/a")
    office.drive.trash.empty("bob")
    assert len(office.drive.trash.items("ann")) == 1
    office.drive.trash.restore(office.view("bob"), item, "/top/a")
    assert "/top/a" in office.listed("ann")
    office.view("ann").remove("/top/a")
    office.drive.trash.empty("ann")
    assert office.drive.trash.items("ann") == []


def test_a_shallow_copy_of_a_folder_is_empty_and_takes_no_room(office: Office) -> None:
    deep(office)
    used = office.drive.tree.used("ann")
    office.view("ann").copy("/top", "/shallow", deep=False)
    assert not [path for path in office.listed("ann") if path.startswith("/shallow/")]
    assert office.drive.tree.used("ann") == used
    office.view("ann").copy("/top", "/whole")
    assert {"/whole/a", "/whole/in/b"} <= office.listed("ann")
    assert office.drive.tree.used("ann") == 2 * used
    whole = office.drive.tree.get("ann", "/whole")
    assert whole is not None
    assert whole.bytes == used


def test_a_share_put_into_a_folder_that_goes_into_another_share_comes_home(office: Office) -> None:
    deep(office)
    office.fill("cid", "/given.txt")
    office.fill("bob", "/mine/")
    office.share("ann", "/top", "bob")
    office.share("cid", "/given.txt", "bob")
    office.view("bob").move("/given.txt", "/mine/given.txt")
    office.view("bob").move("/mine", "/top/mine")
    assert "/given.txt" in office.listed("bob")
    assert "/top/mine/given.txt" not in office.listed("ann")


def test_shares_put_into_a_folder_go_where_it_goes_and_no_others_do(office: Office) -> None:
    office.fill("ann", "/in/", "/beside/", "/before/", "/theirs/")
    for who in ("bob", "cid"):
        office.fill(who, "/mine/")
    for path, who, put in (
        ("/in", "bob", "/mine/in"), ("/before", "bob", "/a"), ("/beside", "bob", "/mine0"),
        ("/theirs", "cid", "/mine/in"),
    ):  # fmt: skip
        office.share("ann", path, who)
        office.view(who).move(path, put)
    office.view("bob").move("/mine", "/moved")
    assert office.listed("bob") == {"/a", "/moved", "/moved/in", "/mine0"}
    assert office.listed("cid") == {"/mine", "/mine/in"}
    office.view("bob").move("/moved", "/mine")
    office.view("bob").remove("/mine")
    assert office.listed("bob") == {"/a", "/in", "/mine0"}
    assert office.listed("cid") == {"/mine", "/mine/in"}


REFUSED = [
    ("/", "/new", "The top folder"), ("/", "/", "The top folder"), ("/top", "/", "The top folder"),
    ("/nothing", "/", "The top folder"), ("/top", "/top", "Something cannot"),
    ("/top", "/top/in/new", "Something cannot"), ("/top/in/b", "/top", "A folder cannot"),
    ("/top/in", "/top", "A folder cannot"),
]  # fmt: skip


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_nothing_goes_into_itself_or_in_the_place_of_what_holds_it(office: Office, verb: str) -> None:
    deep(office)
    before = office.listed("ann")
    for source, target, said in REFUSED:
        with pytest.raises(Forbidden, match=said):
            getattr(office.view("ann"), verb)(source, target)
    assert office.listed("ann") == before
    for source, target in (("/top", "/top0"), ("/top/in", "/to"), ("/top/in/b", "/top/i"), ("/top/a", "/top/in/b")):
        assert office.may(getattr(office.view("ann"), verb), source, target), (source, target)


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_the_top_of_a_link_stays_where_it_is(office: Office, verb: str) -> None:
    deep(office)
    share = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/top"), sharing.OPEN)
    view = LinkView(office.drive, share)
    for source, target in (("/", "/new"), ("/a", "/"), ("/in", "/in/new")):
        with pytest.raises(Forbidden, match="cannot be"):
            getattr(view, verb)(source, target)
    getattr(view, verb)("/a", "/in/a")
    assert "/top/in/a" in office.listed("ann")


def test_a_received_share_never_hides_what_is_there(office: Office) -> None:
    office.fill("ann", "/plans/", "/note.txt", "/deep/", "/deep/note.txt")
    office.fill("bob", "/plans/", "/note.txt")
    for path in ("/plans", "/note.txt", "/deep/note.txt"):
        office.share("ann", path, "bob")
    assert {"/plans", "/plans (2)", "/note.txt", "/note (2).txt", "/note (3).txt"} == office.listed("bob")


def test_folders_are_made_once_and_only_in_folders(office: Office) -> None:
    deep(office)
    for path, error in (("/top", MethodNotAllowed), ("/nowhere/x", Conflict), ("/top/a/x", Conflict)):
        with pytest.raises(error):
            office.view("ann").make_folder(path)
    with pytest.raises(Conflict):
        put(office, "ann", "/top", 1)


def test_a_change_reaches_the_etag_of_every_folder_above_and_no_other(office: Office) -> None:
    deep(office)
    places = ("/", "/top", "/top/in", "/beside", "/top/a")

    def etags() -> dict[str, str]:
        nodes = {path: office.drive.tree.get("ann", path) for path in places}
        return {path: node.etag for path, node in nodes.items() if node is not None}

    before = etags()
    put(office, "ann", "/top/in/b", 3)
    after = etags()
    assert {path for path in places if before[path] != after[path]} == {"/", "/top", "/top/in"}


def test_a_folder_that_holds_a_share_changes_when_the_share_does(office: Office) -> None:
    deep(office)
    office.fill("ann", "/other/")
    office.fill("bob", "/mine/", "/beside/", "/zoo/")
    office.fill("cid", "/mine/")
    for path, who in (("/top", "bob"), ("/beside", "cid")):
        office.share("ann", path, who)
        office.view(who).move(path, f"/mine{path}")
    office.share("ann", "/other", "bob")
    office.view("bob").move("/other", "/mine0")
    view = office.view("bob")

    def etags() -> list[str]:
        return [view.etag(view.locate(path)) for path in ("/", "/mine", "/beside", "/zoo")]

    for written, changed in (
        ("/top/a", [True, True, False, False]),
        ("/other/a", [True, False, False, False]),
        ("/beside/a", [False] * 4),
        ("/unshared", [False] * 4),
    ):
        before = etags()
        put(office, "ann", written, 3)
        assert [old != new for old, new in zip(before, etags(), strict=True)] == changed, written


def test_a_big_blob_is_deleted_with_the_last_thing_that_refers_to_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[str] = []
    monkeypatch.setattr(office.company.blobs, "drop", dropped.append)
    big = Blob("x" + "0" * 63, 1)
    view = office.view("ann")
    view.write("/one", big, None, "")
    view.copy("/one", "/two")
    put(office, "ann", "/one", 1)
    assert dropped == []
    view.remove("/two")
    assert dropped == []
    office.drive.trash.empty("ann")
    assert dropped == [big.hash]
    put(office, "ann", "/one", 2)  # what was there is named by its content, and may be somebody else's too
    assert dropped == [big.hash]


def test_whatever_becomes_of_a_file_its_folder_is_another_afterwards_by_its_mark(office: Office) -> None:
    view, tree, trash = office.view("ann"), office.drive.tree, office.drive.trash
    marks = [mark(office, "/")]
    for do in (
        lambda: put(office, "ann", "/a", 1),
        lambda: view.make_folder("/folder"),
        lambda: view.copy("/a", "/folder/b"),
        lambda: view.move("/folder/b", "/c"),
        lambda: view.remove("/c"),
        lambda: trash.restore(view, trash.items("ann")[0], "/back"),
    ):
        do()
        marks.append(mark(office, "/"))
    assert len(set(marks)) == len(marks)
    found = [tree.get("ann", path) for path in ("/", "/a", "/folder", "/back")]
    assert [len(bytes.fromhex(node.etag)) for node in found if node is not None] == [16] * 4


def mark(office: Office, path: str) -> str:
    node = office.drive.tree.get("ann", path)
    assert node is not None
    return node.etag
