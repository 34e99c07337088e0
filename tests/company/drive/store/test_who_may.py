"""ownCloud's rules of who may read, write, delete and share what, as tables, asked of the store itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company.drive.errors import BadRequest, DriveError, Forbidden, NotFound
from dayjob.company.drive.rows import (
    ALL,
    CREATE,
    DELETE,
    GROUP_SHARE,
    LINK_SHARE,
    READ,
    SHARE,
    UPDATE,
    USER_SHARE,
)
from dayjob.company.drive.store import sharing
from dayjob.company.drive.store.view import LinkView, View
from tests.company import tables
from tests.company.bare import day
from tests.company.drive.offices import Office

MASKS = {
    "read": READ,
    "update": READ | UPDATE,
    "create": READ | CREATE,
    "delete": READ | DELETE,
    "share": READ | SHARE,
    "all but share": ALL & ~SHARE,
    "all": ALL,
    "upload": CREATE,
}
IN_A_SHARED_FOLDER = """
                   see read add folder overwrite rename delete away replace into out reshare
    read            +   +    -    -        -        -      -     -      -     -    +    -
    update          +   +    -    -        +        +      -     -      -     -    +    -
    create          +   +    +    +        -        -      -     -      -     +    +    -
    delete          +   +    -    -        -        -      +     +      -     -    +    -
    share           +   +    -    -        -        -      -     -      -     -    +    +
    all but share   +   +    +    +        +        +      +     +      +     +    +    -
    all             +   +    +    +        +        +      +     +      +     +    +    +
"""
BY_A_LINK = """
                   see read add folder overwrite rename delete replace
    read            +   +    -    -        -        -      -      -
    upload          -   -    +    +        -        -      -      -
    create          +   +    +    +        -        -      -      -
    all but share   +   +    +    +        +        +      +      +
"""


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office("ann", "bob", "cid", "dan")
    made.fill("ann", "/plans/", "/plans/a.txt", "/plans/b.txt", "/plans/sub/", "/other.txt")
    made.fill("bob", "/own.txt", "/own/")
    yield made
    made.company.close()


def answers(office: Office, view: View, top: str, own: bool) -> dict[str, bool]:
    """What somebody who sees the folder at `top` may do there."""
    blob = office.company.blobs.put(b"new")
    write: Callable[[str], object] = lambda path: view.write(path, blob, None, "")  # noqa: E731 - a verb like the others
    found = {
        "see": f"{top}/a.txt" in {one.seen for one in view.walk(view.locate(top or "/"))},
        "read": office.may(view.need, f"{top}/a.txt"),
        "add": office.may(write, f"{top}/new.txt"),
        "folder": office.may(view.make_folder, f"{top}/new"),
        "overwrite": office.may(write, f"{top}/a.txt"),
        "rename": office.may(view.move, f"{top}/a.txt", f"{top}/c.txt"),
        "delete": office.may(view.remove, f"{top}/a.txt"),
        "replace": office.may(view.copy, f"{top}/a.txt", f"{top}/b.txt"),
    }
    if own:
        found["away"] = office.may(view.move, f"{top}/a.txt", "/taken.txt")
        found["into"] = office.may(view.move, "/own.txt", f"{top}/own.txt")
        found["out"] = office.may(view.copy, f"{top}/a.txt", "/copied.txt")
        found["reshare"] = office.may(sharing.require_shareable, view.locate(f"{top}/a.txt"))
    return found


@pytest.mark.parametrize("way", ["with an account", "with a group", "from hand to hand"])
def test_what_a_share_allows(office: Office, way: str) -> None:
    expected = dict(tables.read(IN_A_SHARED_FOLDER))
    found = {}
    for name in expected:
        if way == "from hand to hand":
            first = office.share("ann", "/plans", "cid", MASKS[name] | SHARE)
            office.share("cid", "/plans", "bob", MASKS[name])
        else:
            first = office.share("ann", "/plans", "bob" if way == "with an account" else "bobs", MASKS[name])
        found[name] = answers(office, office.view("bob"), "/plans", own=True)
        office.drive.shares.remove(first)
        assert "/plans" not in office.listed("bob")
    assert tables.written(found) == tables.written(expected)
    assert "/plans" not in office.listed("dan")


def test_what_a_public_link_allows(office: Office) -> None:
    expected = dict(tables.read(BY_A_LINK))
    found = {}
    for name in expected:
        share = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/plans"), MASKS[name])
        found[name] = answers(office, LinkView(office.drive, share), "", own=False)
        assert not LinkView(office.drive, share).locate("/a.txt").permissions & SHARE
    assert tables.written(found) == tables.written(expected)


def test_a_link_shows_what_it_leads_to_and_nothing_else(office: Office) -> None:
    folder = LinkView(
        office.drive, sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/plans"), sharing.OPEN)
    )
    file = LinkView(
        office.drive,
        sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/plans/a.txt"), sharing.OPEN),
    )
    for path in ("/other.txt", "/plans/a.txt", "/own.txt"):
        assert folder.locate(path).node is None, path
    assert {one.seen for one in folder.walk(folder.locate("/"))} == {"/a.txt", "/b.txt", "/sub"}
    for path, there in (("/", True), ("/a.txt", True), ("/b.txt", False), ("/a.txt/a.txt", False)):
        assert (file.locate(path).node is not None) is there, path
    assert file.share.permissions == READ
    for view in (folder, file):
        assert not office.may(view.remove, "/")
        assert not office.may(view.move, "/", "/x")


def test_a_link_that_only_takes_files_in_overwrites_nothing(office: Office) -> None:
    place = office.view("ann").locate("/plans")
    takes = LinkView(office.drive, sharing.share_by_link(office.drive, "ann", place, CREATE))
    reads = LinkView(office.drive, sharing.share_by_link(office.drive, "ann", place, READ | CREATE))
    assert takes.upload_name("/a.txt") == "/a (2).txt"
    assert takes.upload_name("/new.txt") == "/new.txt"
    assert reads.upload_name("/a.txt") == "/a.txt"


LINK_RIGHTS = [  # wanted, what a folder's link gets, what a file's link gets; None is refused
    (READ, READ, READ), (CREATE, CREATE, None), (READ | CREATE, READ | CREATE, READ),
    (sharing.OPEN, sharing.OPEN, READ), (UPDATE, READ, READ), (ALL, READ, READ), (READ | DELETE, READ, READ),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "folder", "file"), LINK_RIGHTS)
def test_rights_a_new_link_gets(office: Office, wanted: int, folder: int, file: int | None) -> None:
    for path, expected in (("/plans", folder), ("/other.txt", file)):
        place = office.view("ann").locate(path)
        if expected is None:
            with pytest.raises(NotFound):
                sharing.share_by_link(office.drive, "ann", place, wanted)
        else:
            assert sharing.share_by_link(office.drive, "ann", place, wanted).permissions == expected


CHANGED_RIGHTS = [  # kind of share, of a folder or a file, wanted, becomes; None is refused
    (USER_SHARE, True, READ, READ), (USER_SHARE, True, UPDATE, READ | UPDATE), (USER_SHARE, True, ALL, ALL),
    (USER_SHARE, False, ALL, READ | UPDATE | SHARE), (USER_SHARE, False, DELETE, READ), (GROUP_SHARE, True, 15, 15),
    (USER_SHARE, True, 0, None), (USER_SHARE, True, -1, None), (USER_SHARE, True, 32, None),
    (LINK_SHARE, True, READ, READ), (LINK_SHARE, True, CREATE, CREATE), (LINK_SHARE, True, 5, 5),
    (LINK_SHARE, True, 7, sharing.OPEN), (LINK_SHARE, True, 15, 15), (LINK_SHARE, True, ALL, None),
    (LINK_SHARE, True, 3, None), (LINK_SHARE, True, 9, None), (LINK_SHARE, False, READ, READ),
    (LINK_SHARE, False, CREATE, None), (LINK_SHARE, False, 15, None),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "is_folder", "wanted", "becomes"), CHANGED_RIGHTS)
def test_rights_a_share_can_be_changed_to(
    office: Office, kind: int, is_folder: bool, wanted: int, becomes: int | None
) -> None:
    place = office.view("ann").locate("/plans" if is_folder else "/other.txt")
    if kind == LINK_SHARE:
        share = sharing.share_by_link(office.drive, "ann", place, READ)
    else:
        share = office.share("ann", place.seen, "bob" if kind == USER_SHARE else "bobs")
    if becomes is None:
        with pytest.raises(BadRequest):
            sharing.new_rights(office.drive, share, wanted, is_folder=is_folder)
    else:
        assert sharing.new_rights(office.drive, share, wanted, is_folder=is_folder) == becomes


REFUSED = [
    ("the top folder", "ann", "/", "bob", None, Forbidden),
    ("nothing", "ann", "/nothing", "bob", None, NotFound),
    ("with oneself", "ann", "/plans", "ann", None, Forbidden),
    ("with nobody", "ann", "/plans", "zoe", None, NotFound),
    ("back to its owner", "cid", "/plans", "ann", None, Forbidden),
    ("a second time", "ann", "/plans", "cid", None, Forbidden),
    ("what one may not share", "dan", "/plans", "bob", None, NotFound),
    ("more than one has", "cid", "/plans", "bob", READ | DELETE, NotFound),
]


@pytest.mark.parametrize(
    ("by", "path", "whom", "rights", "error"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED]
)
def test_what_cannot_be_shared(
    office: Office, by: str, path: str, whom: str, rights: int | None, error: type[DriveError]
) -> None:
    office.share("ann", "/plans", "cid", READ | UPDATE | SHARE)
    office.share("ann", "/plans", "dan", READ | UPDATE)
    with pytest.raises(error):
        office.share(by, path, whom, rights)


def test_a_share_gives_what_the_sharer_has_unless_told(office: Office) -> None:
    assert office.share("ann", "/plans", "bob").permissions == ALL
    assert office.share("ann", "/other.txt", "bob").permissions == READ | UPDATE | SHARE
    assert office.share("ann", "/plans/sub", "cid", READ | SHARE).permissions == READ | SHARE
    assert office.share("cid", "/sub", "dan").permissions == READ | SHARE
    assert office.share("ann", "/plans/a.txt", "cid", UPDATE | CREATE | DELETE).permissions == READ | UPDATE
    with pytest.raises(NotFound):
        sharing.share_by_link(office.drive, "cid", office.view("cid").locate("/sub"), READ | CREATE)


@given(st.lists(st.integers(1, ALL), min_size=3, max_size=3), st.integers(0, 2), st.integers(1, ALL))
@settings(max_examples=40)
def test_a_reshare_never_allows_more_than_what_it_came_from(masks: list[int], at: int, narrowed: int) -> None:
    office = Office("ann", "bob", "cid", "dan")
    office.fill("ann", "/plans/")
    shares, rights, path = [], ALL, "/plans"
    for by, whom, mask in zip(("ann", "bob", "cid"), ("bob", "cid", "dan"), masks, strict=True):
        rights &= mask | READ | (SHARE if whom != "dan" else 0)
        shares.append(office.share(by, path, whom, rights))
    changed = office.drive.shares.change(shares[at], permissions=narrowed | READ)
    after = [office.drive.shares.get(one.id) for one in shares]
    for number, one in enumerate(after):
        before = shares[number].permissions
        limit = changed.permissions if number >= at else ALL
        assert one is not None
        assert one.permissions == (changed.permissions if number == at else before & limit)
    office.company.close()


def test_a_reshare_cannot_be_widened_past_what_it_came_from(office: Office) -> None:
    office.share("ann", "/plans", "bob", READ | UPDATE | SHARE)
    again = office.share("bob", "/plans", "cid", READ)
    assert sharing.new_rights(office.drive, again, READ | UPDATE, is_folder=True) == READ | UPDATE
    with pytest.raises(NotFound):
        sharing.new_rights(office.drive, again, READ | DELETE, is_folder=True)


def test_a_reshare_ends_with_what_it_came_from(office: Office) -> None:
    first = office.share("ann", "/plans", "bob")
    office.share("bob", "/plans", "cid")
    office.share("cid", "/plans", "dan")
    office.drive.shares.remove(first)
    assert not office.drive.db.execute("SELECT count(*) FROM shares").fetchone()[0]
    assert "/plans" not in office.listed("dan")


@pytest.mark.parametrize("way", ["with an account", "with a group", "a reshare", "shortened"])
def test_a_share_holds_to_the_end_of_its_last_day_and_no_longer(office: Office, way: str) -> None:
    last = day(2)
    if way == "a reshare":
        office.share("ann", "/plans", "cid", until=last)
        again = office.share("cid", "/plans", "bob")
        link = sharing.share_by_link(office.drive, "cid", office.view("cid").locate("/plans"), READ)
        assert office.drive.shares.change(again, expires=day(9)).expires == last
        assert office.drive.shares.change(again, expires=None).expires == last
    elif way == "shortened":
        first = office.share("ann", "/plans", "cid")
        again = office.share("cid", "/plans", "bob", until=day(3))
        office.share("bob", "/plans", "dan", until=day(1))
        link = sharing.share_by_link(office.drive, "cid", office.view("cid").locate("/plans"), READ)
        office.drive.shares.change(first, expires=last)
    else:
        office.share("ann", "/plans", "bob" if way == "with an account" else "bobs", until=last)
        link = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/plans"), READ, expires=last)
    assert link.token is not None
    node = office.view("ann").need("/plans").node
    assert node is not None
    for passed in range(5):
        there = passed <= 2
        view = office.view("bob")
        assert ("/plans/a.txt" in office.listed("bob")) is there
        assert office.may(view.need, "/plans/a.txt") is there
        assert bool(view.search(view.locate("/"), "a.txt", 9)) is there
        assert bool(office.drive.shares.received("bob")) is there
        assert (office.drive.shares.by_token(link.token) is not None) is there
        assert bool(office.drive.shares.on(node)) is there
        assert bool(office.drive.shares.kinds_on([node.id])) is there
        assert (view.seen_as("ann", "/plans/a.txt") == "/plans/a.txt") is there
        office.company.clock.forward(days=1)


def test_what_is_no_longer_shared_can_be_shared_again(office: Office) -> None:
    office.share("ann", "/plans", "bob", READ, until=day(0))
    with pytest.raises(Forbidden):
        office.share("ann", "/plans", "bob", READ)
    office.company.clock.forward(days=1)
    office.share("ann", "/plans", "bob", READ)
    assert [share.expires for share, _ in office.drive.shares.received("bob")] == [None]


@pytest.mark.parametrize(
    ("text", "kept"),
    [(day(0), day(0)), (day(1), day(1)), (f"{day(1)} 12:00:00", day(1)), (day(-1), None), ("soon", None), ("", None),
     ("2026-02-30", None)],
)  # fmt: skip
def test_the_last_day_of_a_share_is_not_over(office: Office, text: str, kept: str | None) -> None:
    if kept is None:
        with pytest.raises(BadRequest):
            sharing.last_day(office.drive, text)
    else:
        assert sharing.last_day(office.drive, text) == kept


INVOLVED = """
                involved rules for-them
    ann            +       +      -
    bob            +       +      -
    cid            +       -      +
    dan            -       -      -
"""


@pytest.mark.parametrize("whom", ["cid", "cids"])
def test_whose_business_a_share_is(office: Office, whom: str) -> None:
    office.share("ann", "/plans", "bob")
    share = office.share("bob", "/plans", whom)
    for name, expected in tables.read(INVOLVED):
        assert {
            "involved": sharing.involved(office.drive, name, share.id) is not None,
            "rules": sharing.rules(share, name),
            "for-them": sharing.is_for(office.drive, share, name),
        } == expected, name
    assert sharing.involved(office.drive, "ann", 999) is None


def test_a_link_is_for_nobody_in_particular_and_a_group_is_not_an_account_of_its_name(office: Office) -> None:
    office.drive.accounts.add_group("dan")
    group = office.share("ann", "/plans", "dan")
    link = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/plans"), READ)
    assert group.kind == GROUP_SHARE
    assert not sharing.is_for(office.drive, group, "dan")
    assert not sharing.is_for(office.drive, link, "dan")


def test_a_recipient_who_ends_a_share_ends_it_for_themselves_alone(office: Office) -> None:
    office.drive.accounts.join("dan", "bobs")
    group = office.share("ann", "/plans", "bobs")
    sharing.end(office.drive, "bob", group)
    assert "/plans" not in office.listed("bob")
    assert "/plans" in office.listed("dan")
    sharing.end(office.drive, "ann", group)
    assert "/plans" not in office.listed("dan")


def test_group_shares_come_and_go_with_the_membership(office: Office) -> None:
    office.share("ann", "/plans", "bobs")
    office.drive.accounts.join("dan", "bobs")
    assert "/plans/a.txt" in office.listed("dan")
    office.drive.accounts.join("cid", "bobs", subadmin=True)
    assert "/plans" not in office.listed("cid")
    office.drive.accounts.leave("dan", "bobs")
    assert "/plans" not in office.listed("dan")
    assert "/plans" in office.listed("bob")
    office.drive.accounts.remove_group("bobs")
    assert "/plans" not in office.listed("bob")


def test_what_goes_to_another_owner_is_no_longer_shared(office: Office) -> None:
    office.fill("bob", "/own/deep/", "/own/deep/x.txt")
    office.share("ann", "/plans", "bob")
    office.share("bob", "/own/deep", "cid")
    office.share("bob", "/own/deep/x.txt", "dan")
    office.view("bob").move("/own/deep", "/own/here")
    assert {"/deep", "/x.txt"} <= office.listed("cid") | office.listed("dan")
    office.view("bob").move("/own/here", "/plans/here")
    assert "/plans/here/x.txt" in office.listed("ann")
    assert not {"/deep", "/x.txt"} & (office.listed("cid") | office.listed("dan"))
    assert "/plans" in office.listed("bob")


def test_a_received_share_lies_where_its_recipient_puts_it_but_not_in_another_share(office: Office) -> None:
    office.share("ann", "/plans", "bob")
    office.share("ann", "/other.txt", "bob")
    view = office.view("bob")
    view.move("/plans", "/own/plans")
    assert "/own/plans/a.txt" in office.listed("bob")
    assert "/plans/a.txt" in office.listed("ann")
    with pytest.raises(Forbidden):
        view.move("/other.txt", "/own/plans/other.txt")
    view.move("/own", "/mine")
    assert "/mine/plans/a.txt" in office.listed("bob")
    view.remove("/mine")
    assert "/plans/a.txt" in office.listed("bob")
    view.remove("/plans")
    assert "/plans" not in office.listed("bob")
    assert "/plans/a.txt" in office.listed("ann")


def test_a_groups_share_comes_home_for_whoever_removes_the_folder_it_lies_in_and_stays_where_it_is_for_others(
    office: Office,
) -> None:
    office.drive.accounts.join("dan", "bobs")
    office.fill("dan", "/own/")
    office.share("ann", "/plans", "bobs")
    for name in ("bob", "dan"):
        office.view(name).move("/plans", "/own/plans")
    office.view("bob").remove("/own")
    assert "/plans/a.txt" in office.listed("bob")
    assert "/own/plans/a.txt" in office.listed("dan")


@pytest.mark.parametrize(("lies", "others"), [("/plans", "/own"), ("/own/plans", "/second")])
def test_the_mark_of_a_folder_changes_with_what_is_shared_into_it(office: Office, lies: str, others: str) -> None:
    office.fill("bob", "/second/")
    office.share("ann", "/plans", "bob")
    view = office.view("bob")
    if lies != "/plans":
        view.move("/plans", lies)

    def marks() -> dict[str, str]:
        return {path: view.etag(view.locate(path)) for path in ("/", "/own", others, lies, "/own.txt")}

    before = marks()
    assert marks() == before
    office.fill("ann", "/plans/new.txt")
    changed = {path for path, mark in marks().items() if mark != before[path]}
    assert changed == {"/", lies} | ({"/own"} if lies.startswith("/own") else set())


@pytest.mark.parametrize("path", ["/nothing", "/nothing/below", "/own.txt"])
def test_what_is_no_folder_holds_nothing(office: Office, path: str) -> None:
    view = office.view("bob")
    assert view.entries(view.locate(path)) == view.walk(view.locate(path)) == []


def test_a_share_is_among_the_entries_of_the_folder_it_lies_in_and_of_no_other(office: Office) -> None:
    office.share("ann", "/plans", "bob")
    office.share("ann", "/other.txt", "bob")
    view = office.view("bob")
    view.move("/plans", "/own/plans")
    for folder, found in (
        ("/", ["/other.txt", "/own", "/own.txt"]), ("/own", ["/own/plans"]),
        ("/own/plans", ["/own/plans/a.txt", "/own/plans/b.txt", "/own/plans/sub"]),
    ):  # fmt: skip
        assert [one.seen for one in view.entries(view.locate(folder))] == found


@pytest.mark.parametrize(
    ("owner", "path", "seen"),
    [("bob", "/own.txt", "/own.txt"), ("bob", "/nothing", "/nothing"), ("ann", "/plans", "/own/plans"),
     ("ann", "/plans/a.txt", "/own/plans/a.txt"), ("ann", "/plans2", None), ("ann", "/", None),
     ("cid", "/plans", None)],
)  # fmt: skip
def test_where_a_stored_path_appears_in_a_drive(office: Office, owner: str, path: str, seen: str | None) -> None:
    office.share("ann", "/plans", "bob")
    office.view("bob").move("/plans", "/own/plans")
    assert office.view("bob").seen_as(owner, path) == seen
