"""The drive's accounts, sessions, locks, uploads and stars, asked of the store without sockets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dayjob.company.drive.checksums import Content
from dayjob.company.drive.errors import BadRequest, Conflict, Locked, MethodNotAllowed, NotFound
from dayjob.company.drive.rows import CREATE, READ, Lock, Node
from dayjob.company.drive.store import sharing
from dayjob.company.drive.store.locks import LONGEST
from dayjob.company.drive.store.view import LinkView
from tests.company.drive.offices import Office


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office("ann", "bob", "cid")
    made.fill("ann", "/top/", "/top/a", "/top/in/", "/top/in/b", "/top0", "/beside/")
    yield made
    made.company.close()


def node(office: Office, path: str, owner: str = "ann") -> Node:
    found = office.drive.tree.get(owner, path)
    assert found is not None
    return found


# -- accounts ----------------------------------------------------------------------------------------------------


def test_only_enabled_accounts_come_in_by_name_or_address(office: Office) -> None:
    accounts = office.drive.accounts
    user = accounts.add("dan", "secret", "Dan", "Dan@bare.test")
    assert [accounts.sign_in(login, "secret") for login in ("dan", "DAN", "dan@BARE.test")] == [user] * 3
    assert accounts.sign_in("dan", "wrong") is None
    assert accounts.sign_in("nobody", "secret") is None
    assert accounts.sign_in("nobody@bare.test", "secret") is None
    session, visitors = accounts.open_session("dan"), accounts.open_session("")
    assert (accounts.session(session), accounts.session(visitors), accounts.session("wrong")) == ("dan", "", None)
    accounts.change(user, enabled=0)
    assert accounts.sign_in("dan", "secret") is None
    accounts.change(user, enabled=1)
    assert accounts.session(session) is None, "sessions end when an account is disabled"
    again = accounts.open_session("dan")
    accounts.change(user, name="Daniel")
    assert accounts.session(again) == "dan"
    accounts.change(user, password="other")
    assert accounts.session(again) is None
    assert accounts.sign_in("dan", "other") is not None
    last = accounts.open_session("dan")
    office.drive.db.execute("UPDATE users SET enabled = 0 WHERE username = 'dan'")
    assert accounts.session(last) is None
    accounts.close_session(visitors)
    assert accounts.session(visitors) is None


def test_a_link_is_open_in_the_session_its_password_was_given_in(office: Office) -> None:
    accounts = office.drive.accounts
    mine = accounts.open_session("bob")
    assert accounts.open_link(mine, 7) == mine
    visitor = accounts.open_link(None, 7)
    assert accounts.open_link("wrong", 8) not in ("wrong", mine, visitor)
    assert [accounts.has_opened(mine, share) for share in (7, 8, 77)] == [True, False, False]
    assert accounts.has_opened(visitor, 7)
    assert not accounts.has_opened(None, 7)
    assert not accounts.has_opened("wrong", 7)


def test_an_account_that_goes_takes_its_files_and_what_it_shared(office: Office) -> None:
    accounts = office.drive.accounts
    office.fill("bob", "/own", "/gone")
    office.view("bob").remove("/gone")
    office.share("ann", "/top", "bob")
    office.share("bob", "/own", "cid")
    office.share("bob", "/top", "cid")
    user = accounts.get("bob")
    assert user is not None
    accounts.set_attribute("bob", "app", "key", "value")
    office.drive.locks.take(node(office, "/top"), "bob", exclusive=True, deep=True, owner_xml="", timeout=60)
    accounts.remove(user)
    assert accounts.get("bob") is None
    assert office.listed("cid") == set()
    assert office.drive.tree.get("bob", "/") is None
    assert office.drive.trash.items("bob") == []
    assert accounts.attributes("bob", None, None) == []
    assert accounts.members("bobs") == []
    assert not office.drive.locks.any()
    assert "/top/a" in office.listed("ann")
    assert office.drive.tree.used("bob") == 0


def test_people_and_groups_are_found_by_any_part_of_a_name(office: Office) -> None:
    accounts = office.drive.accounts
    accounts.add("dan", "secret", "Zed", "mail@x.test")

    def found(text: str, *page: int) -> list[str]:
        return [one.username for one in accounts.search(text, *page)]

    assert found("") == ["ann", "bob", "cid", "dan"]
    assert (found("AN"), found("ze"), found("@x"), found("%")) == (["ann", "dan"], ["dan"], ["dan"], [])
    assert found("", 2, 1) == ["bob", "cid"]
    assert accounts.groups("b") == ["bobs"]
    assert accounts.groups("", 1, 1) == ["bobs"]
    assert (accounts.has_group("bobs"), accounts.has_group("bob")) == (True, False)


def test_membership_and_what_a_subadmin_is(office: Office) -> None:
    accounts = office.drive.accounts
    accounts.join("cid", "anns")
    accounts.join("cid", "anns", subadmin=True)
    accounts.join("cid", "anns")
    assert accounts.members("anns") == ["ann", "cid"]
    assert accounts.members("anns", subadmin=True) == ["cid"]
    assert (accounts.groups_of("cid"), accounts.groups_of("ann", subadmin=True)) == (["anns", "cids"], [])
    accounts.leave("cid", "anns", subadmin=True)
    assert (accounts.in_group("cid", "anns"), accounts.in_group("cid", "anns", subadmin=True)) == (True, False)
    accounts.leave("cid", "anns")
    assert accounts.members("anns") == ["ann"]
    assert not accounts.is_admin("ann")
    accounts.add_group("admin")
    accounts.join("ann", "admin")
    assert (accounts.is_admin("ann"), accounts.is_admin("bob")) == (True, False)


def test_private_notes_are_kept_for_each_account_and_app(office: Office) -> None:
    accounts = office.drive.accounts
    for who, app, key, value in (("ann", "x", "k", "1"), ("ann", "x", "l", "2"), ("ann", "y", "k", "3"),
                                 ("bob", "x", "k", "4"), ("ann", "x", "k", "5")):  # fmt: skip
        accounts.set_attribute(who, app, key, value)
    assert accounts.attributes("ann", None, None) == [("x", "k", "5"), ("x", "l", "2"), ("y", "k", "3")]
    assert accounts.attributes("ann", "x", None) == [("x", "k", "5"), ("x", "l", "2")]
    assert accounts.attributes("ann", "x", "k") == [("x", "k", "5")]
    accounts.delete_attribute("ann", "x", "k")
    assert accounts.attributes("ann", None, "k") == [("y", "k", "3")]
    assert accounts.attributes("bob", None, None) == [("x", "k", "4")]


# -- locks -------------------------------------------------------------------------------------------------------


def lock(
    office: Office, path: str, who: str = "ann", *, exclusive: bool = True, deep: bool = True, timeout: int = 60
) -> Lock:
    return office.drive.locks.take(
        node(office, path), who, exclusive=exclusive, deep=deep, owner_xml="", timeout=timeout
    )


STANDING = [  # a lock on /top: exclusive, deep; then another: where, exclusive, deep; whether it may be taken
    (True, True, "/top", True, True, False), (True, True, "/top", False, True, False),
    (False, True, "/top", True, True, False), (False, True, "/top", False, True, True),
    (True, True, "/top/in/b", True, False, False), (True, False, "/top/in/b", True, False, True),
    (True, True, "/top0", True, True, True), (True, False, "/", True, True, False),
    (True, False, "/", True, False, True), (False, False, "/", False, True, True),
]  # fmt: skip


@pytest.mark.parametrize(("exclusive", "deep", "path", "other", "other_deep", "may"), STANDING)
def test_which_locks_stand_beside_each_other(
    office: Office, exclusive: bool, deep: bool, path: str, other: bool, other_deep: bool, may: bool
) -> None:
    lock(office, "/top", exclusive=exclusive, deep=deep)
    assert office.may(lambda: lock(office, path, "bob", exclusive=other, deep=other_deep)) is may


def open_to(office: Office, path: str, who: str, *tokens: str, deep: bool = False) -> bool:
    try:
        office.drive.locks.require("ann", path, who, tokens, deep=deep)
    except Locked:
        return False
    return True


def test_a_lock_is_opened_by_its_token_in_its_holders_hand(office: Office) -> None:
    assert open_to(office, "/top", "bob")
    held = lock(office, "/top", deep=False)
    inner = lock(office, "/top/in/b", "bob")
    assert [open_to(office, "/top", *who) for who in (("ann",), ("ann", held.token), ("bob", held.token))] == [
        False, True, False,
    ]  # fmt: skip
    assert open_to(office, "/top/a", "bob")
    assert not open_to(office, "/top", "ann", held.token, deep=True)
    assert open_to(office, "/top/in", "ann")
    assert not open_to(office, "/top/in", "ann", deep=True)
    with pytest.raises(Locked):
        office.drive.locks.require_folder("ann", "/top/new", "bob", ())
    office.drive.locks.require_folder("ann", "/top/new", "ann", (held.token,))
    office.drive.locks.require_folder("ann", "/", "bob", ())
    office.drive.locks.release(held)
    assert open_to(office, "/top", "bob", inner.token, deep=True)


def test_of_shared_locks_one_is_enough(office: Office) -> None:
    mine, theirs = lock(office, "/top", exclusive=False), lock(office, "/top", "bob", exclusive=False)
    assert open_to(office, "/top/a", "ann", mine.token)
    assert open_to(office, "/top/a", "bob", theirs.token)
    assert not open_to(office, "/top/a", "cid")
    assert [one.username for one in office.drive.locks.on("ann", "/top")] == [
        one.username for one in sorted((mine, theirs), key=lambda one: one.token)
    ]


def test_a_lock_ends_with_its_time_and_lasts_a_week_at_most(office: Office) -> None:
    held = lock(office, "/top", timeout=60)
    office.company.clock.forward(seconds=59)
    assert not open_to(office, "/top", "bob")
    held = office.drive.locks.refresh(held, 30)
    office.company.clock.forward(seconds=29)
    assert not open_to(office, "/top", "bob")
    office.company.clock.forward(seconds=1)
    assert open_to(office, "/top", "bob")
    lock(office, "/beside", timeout=10**9)
    assert office.drive.db.execute("SELECT count(*), max(timeout) FROM locks").fetchone() == (1, LONGEST)
    assert LONGEST == 604800
    assert office.drive.locks.refresh(office.drive.locks.on("ann", "/beside")[0], 10**9).timeout == LONGEST


def test_a_lock_goes_with_what_it_lies_on_and_does_not_follow_a_move(office: Office) -> None:
    for path in ("/top", "/top0", "/beside"):
        lock(office, path, deep=False)
    lock(office, "/top/in/b", deep=False)
    office.view("ann").move("/top", "/moved")
    assert [bool(office.drive.locks.on("ann", path)) for path in ("/moved", "/moved/in/b", "/top0", "/beside")] == [
        False, False, True, True,
    ]  # fmt: skip
    office.view("ann").remove("/beside")
    assert office.drive.db.execute("SELECT count(*) FROM locks").fetchone() == (1,)


# -- what lies beside --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["remove", "move", "copy", "share"])
def test_what_happens_to_a_folder_does_not_happen_to_one_whose_name_only_begins_like_it(
    office: Office, verb: str
) -> None:
    office.share("ann", "/top0", "bob")
    if verb == "remove":
        office.view("ann").remove("/top")
        assert [one.name for one in office.drive.trash.items("ann")] == ["top"]
        assert office.drive.db.execute("SELECT count(*) FROM trash").fetchone() == (4,)
    elif verb == "share":
        office.fill("bob", "/in/")
        office.share("bob", "/in", "ann")
        office.view("ann").move("/top", "/in/top")
    else:
        getattr(office.view("ann"), verb)("/top", "/other")
        assert "/other0" not in office.listed("ann")
        assert {"/other", "/other/a", "/other/in", "/other/in/b"} <= office.listed("ann")
    assert "/top0" in office.listed("ann")
    assert "/top0" in office.listed("bob")


def test_the_tree_refuses_what_the_view_would(office: Office) -> None:
    tree, blob = office.drive.tree, office.company.blobs.put(b"x")
    with pytest.raises(Conflict):
        tree.write("ann", "/top", blob)
    with pytest.raises(Conflict):
        tree.write("ann", "/nowhere/x", blob)
    with pytest.raises(Conflict):
        tree.write("ann", "/top/a/x", blob)
    with pytest.raises(MethodNotAllowed):
        tree.make_folder("ann", "/top")
    made = tree.write("ann", "/new.txt", blob, mtime=5, checksums="SHA1:x")
    assert (made.size, made.total, made.mtime, made.mime, made.checksums) == (1, 0, 5, "text/plain", "SHA1:x")
    assert tree.write("ann", "/bare.txt", blob).checksums == ""
    tree.set_mtime(made, 9)
    assert node(office, "/new.txt").mtime == 9
    assert tree.subtree(node(office, "/top")) == [node(office, f"/top{path}") for path in ("/a", "/in", "/in/b")]


def test_a_copy_has_the_properties_of_what_it_was_made_of(office: Office) -> None:
    properties = office.drive.properties
    properties.set(node(office, "/top/a").id, "{x}color", "red")
    properties.set(node(office, "/top/a").id, "{x}color", "green")
    office.view("ann").copy("/top", "/other")
    ids = [node(office, path).id for path in ("/top/a", "/other/a", "/other/in/b")]
    assert properties.of_all(ids) == {id: {"{x}color": "green"} for id in ids[:2]}
    assert properties.of_all([-1] * 500 + ids[:1]) == {ids[0]: {"{x}color": "green"}}
    properties.remove(ids[0], "{x}color")
    assert list(properties.of_all(ids)) == ids[1:2]


def test_stars_are_everybodys_own(office: Office) -> None:
    office.share("ann", "/top", "bob")
    for who, path in (("ann", "/top/a"), ("bob", "/top/in"), ("ann", "/beside")):
        office.drive.properties.set_favorite(node(office, path).id, who, True)
    office.drive.properties.set_favorite(node(office, "/top/a").id, "ann", True)

    def starred(who: str, path: str = "/") -> list[str]:
        view = office.view(who)
        return [one.seen for one in view.favorites(view.locate(path))]

    assert starred("ann") == ["/beside", "/top/a"]
    assert starred("ann", "/top") == ["/top/a"]
    assert starred("ann", "/beside") == ["/beside"]
    assert (starred("bob"), starred("cid")) == (["/top/in"], [])
    office.drive.properties.set_favorite(node(office, "/beside").id, "ann", False)
    assert starred("ann") == ["/top/a"]


def test_where_a_file_of_another_appears(office: Office) -> None:
    office.share("ann", "/top/in", "bob")
    office.share("ann", "/top", "bob", READ)
    view = office.view("bob")
    assert view.seen_as("bob", "/anything") == "/anything"
    assert view.seen_as("ann", "/top/in/b") == "/in/b"
    assert view.seen_as("ann", "/top/a") == "/top/a"
    assert view.seen_as("ann", "/top") == "/top"
    assert view.seen_as("ann", "/top0") is None
    assert view.seen_as("cid", "/top") is None


def test_a_share_is_told_of_and_counted_once(office: Office) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    office.company.listen(lambda topic, facts: told.append((topic, facts)))
    share = office.share("ann", "/top", "bob")
    link = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/top"), READ, password="x", name="n")
    again = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/top"), READ)
    other = office.share("ann", "/top/in", "bob")
    assert told[0] == ("drive.share", {"id": share.id, "path": "/top", "by": "ann", "with": "bob"})
    assert link.token != again.token
    assert (link.name, link.password is None, again.password) == ("n", False, None)
    top, inner = node(office, "/top").id, node(office, "/top/in").id
    kinds = office.drive.shares.kinds_on([-1] * 499 + [top, inner])
    assert kinds == {top: [0, 3], inner: [0]}
    shares = office.drive.shares
    assert [one.id for one in shares.under(node(office, "/top"))] == [other.id]
    assert [one.id for one in shares.given_by("ann")] == [share.id, link.id, again.id, other.id]
    assert [one.id for one in shares.given_to("bob")] == [share.id, other.id]
    assert [one.id for one, _ in shares.received("cid")] == []
    assert shares.by_token("wrong") is None
    changed = shares.change(link, password=None, name="m", expires="2999-01-01")
    assert (changed.password, changed.name, changed.expires) == (None, "m", "2999-01-01")


def test_a_group_share_is_not_put_into_the_drive_of_who_made_it_or_owns_it(office: Office) -> None:
    for name in ("ann", "bob", "cid"):
        if name != "cid":
            office.drive.accounts.join(name, "cids")
    office.share("ann", "/top", "bob")
    office.share("bob", "/top", "cids")
    assert {name: len(office.drive.shares.received(name)) for name in ("ann", "bob", "cid")} == {
        "ann": 0, "bob": 1, "cid": 1,
    }  # fmt: skip


# -- uploads -----------------------------------------------------------------------------------------------------


def test_chunks_are_put_together_in_the_order_of_their_numbers(office: Office) -> None:
    uploads = office.drive.uploads
    assert uploads.all("ann") == []
    uploads.start("ann", "one")
    with pytest.raises(MethodNotAllowed):
        uploads.start("ann", "one")
    uploads.continue_or_start("ann", "one")
    uploads.continue_or_start("ann", "two")
    for name in ("10", "9", "0002", ".hidden-x"):
        (uploads.place("ann", "one", "0").parent / name).write_bytes(name.encode())
    assert [one.name for one in uploads.chunks("ann", "one")] == ["0002", "9", "10"]
    assert [one.size for one in uploads.chunks("ann", "one")] == [4, 1, 2]
    assert (uploads.all("ann"), uploads.all("bob")) == (["one", "two"], [])
    for id, name in (("../x", "1"), ("one", "../1"), ("one", ""), ("x" * 152, "1")):
        with pytest.raises((BadRequest, NotFound)):
            uploads.place("ann", id, name)
    for ask in (lambda: uploads.place("ann", "none", "1"), lambda: uploads.chunks("ann", "none"),
                lambda: uploads.drop("ann", "none"), lambda: uploads.chunks("bob", "one")):  # fmt: skip
        with pytest.raises(NotFound):
            ask()
    uploads.drop("ann", "one")
    assert uploads.all("ann") == ["two"]


def test_a_link_for_uploads_names_what_it_takes_and_shows_nothing(office: Office) -> None:
    share = sharing.share_by_link(office.drive, "ann", office.view("ann").locate("/top"), CREATE)
    view = LinkView(office.drive, share)
    assert view.entries(view.locate("/")) == []
    assert view.upload_name("/a") == "/a (2)"
    assert view.upload_name("/none/a") == "/none/a"
    office.view("ann").remove("/top")
    with pytest.raises(NotFound):
        LinkView(office.drive, share)


def test_a_lock_stands_in_the_way_in_a_drive_it_was_shared_into(office: Office) -> None:
    office.share("ann", "/top", "bob")
    held = office.drive.locks.take(node(office, "/top/in"), "ann", exclusive=True, deep=True, owner_xml="", timeout=60)
    for who in ("ann", "bob"):
        view = office.view(who)
        for path, how in (("/top/in/b", {}), ("/top/in/new", {"membership": True}), ("/top", {"deep": True})):
            with pytest.raises(Locked):
                view.require_unlocked(view.locate(path), (), **how)
        view.require_unlocked(view.locate("/top/a"), membership=True)
        view.require_unlocked(view.locate("/top"), membership=True)
    view = office.view("ann")
    view.require_unlocked(view.locate("/top"), (held.token,), deep=True, membership=True)


def test_those_who_listen_are_told_what_was_sent(office: Office) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    office.company.listen(lambda topic, facts: told.append((topic, facts)))
    content = Content(office.company.blobs.put(b"x"), "")
    for new in (True, False):
        place, made = office.view("ann").put("/letter", content)
        assert (place.path, made) == ("/letter", new)
        assert told.pop() == ("drive.file", {"owner": "ann", "path": "/letter", "new": new})
    assert told == []
