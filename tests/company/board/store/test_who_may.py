"""Plane's rules of who may see and change what, as tables, asked of the rules and the store themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dayjob.company.board.api import call as calls
from dayjob.company.board.api import talk
from dayjob.company.board.api.call import Call
from dayjob.company.board.errors import BadRequest, Refused
from dayjob.company.board.rows import Project, User
from dayjob.company.board.store import accounts, item_lists, modules, projects
from tests.company import tables
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office

CLASSES = """
                       workspace_member workspace_editor workspace_colleague workspace_admin project_base project_entity project_member project_lite project_admin
    administrator           rcw              rcw                rcw              rcw            rcw            rcw            -c-           ---          rcw
    member                  rcw              rcw                rcw              r--            rc-            ---            -c-           ---          ---
    guest                   rcw              r--                ---              r--            r--            ---            ---           ---          ---
    in another project      rcw              rcw                rcw              r--            rc-            ---            rc-           ---          r--
    project administrator   rcw              rcw                rcw              r--            rcw            rcw            rcw           rcw          rcw
    project member          rcw              rcw                rcw              r--            rc-            rcw            rcw           rcw          r--
    project guest           rcw              r--                ---              r--            r--            r--            r--           rcw          r--
    guest who works here    rcw              r--                ---              r--            r--            rcw            r-w           rcw          r--
    left the project        rcw              rcw                rcw              r--            rc-            ---            -c-           ---          ---
    removed                 ---              ---                ---              ---            ---            ---            ---           ---          ---
    deactivated             ---              ---                ---              ---            ---            ---            ---           ---          ---
    outsider                ---              ---                ---              ---            ---            ---            ---           ---          ---
"""  # noqa: E501 - a column for each of Plane's permission classes
"""What each class lets whom do: read, create, write (change or delete)."""

ROLES = {  # in the workspace, in the project, in another project
    "administrator": (ADMIN, 0, 0),
    "member": (MEMBER, 0, 0),
    "guest": (GUEST, 0, 0),
    "in another project": (MEMBER, 0, MEMBER),
    "project administrator": (MEMBER, ADMIN, 0),
    "project member": (MEMBER, MEMBER, 0),
    "project guest": (GUEST, GUEST, 0),
    "guest who works here": (GUEST, MEMBER, 0),
    "left the project": (MEMBER, ADMIN, 0),
    "removed": (ADMIN, ADMIN, 0),
    "deactivated": (ADMIN, ADMIN, 0),
    "outsider": (0, 0, 0),
}


def people(office: Office, project: Project) -> dict[str, User]:
    other = office.project("Other")
    found = {}
    for name, (role, here, there) in ROLES.items():
        found[name] = user = office.person(name.replace(" ", "-"), role)
        for place, given in ((project, here), (other, there)):
            if given:
                office.join(place, user, given)
    leave(office, found["left the project"], "project_members")
    for table in ("project_members", "workspace_members"):
        leave(office, found["removed"], table)
    office.db.execute("UPDATE users SET is_active = 0 WHERE id = ?", (found["deactivated"].id,))
    return found


def comes_in(office: Office, user: User) -> bool:
    """Whether a session of theirs opens the door; roles are asked behind it."""
    return accounts.user_by_session(office.db, accounts.open_session(office.db, user.id)) is not None


def leave(office: Office, user: User, table: str) -> None:
    office.db.execute(f"UPDATE {table} SET is_active = 0 WHERE member = ?", (user.id,))


def test_what_each_permission_class_lets_whom_do(office: Office) -> None:
    project = office.project()
    everyone = people(office, project)
    head, *lines = CLASSES.strip().splitlines()
    names = head.split()
    assert len(lines) == len(everyone)
    for line in lines:
        words = line.split()
        who, answers = " ".join(words[: -len(names)]), words[-len(names) :]
        for name, answer in zip(names, answers, strict=True):
            permission: Callable[[Call], bool] = getattr(calls, name)
            inside = comes_in(office, everyone[who])
            found = "".join(
                letter if inside and permission(office.call(everyone[who], method, project_id=project.id)) else "-"
                for letter, method in (("r", "GET"), ("c", "POST"), ("w", "PATCH"))
            )
            assert found == answer, (who, name)
            deleting = inside and permission(office.call(everyone[who], "DELETE", project_id=project.id))
            assert deleting is (answer[2] == "w"), (who, name)


def test_a_role_in_one_workspace_is_none_in_another(office: Office) -> None:
    office.db.execute("INSERT INTO workspaces (id, name, slug, owner, created_at) VALUES ('v', 'V', 'v', 'x', '')")
    user = office.person("ann", ADMIN)
    office.join(office.project(), user, ADMIN)
    assert accounts.workspace_role(office.db, "w", user.id) == ADMIN
    assert accounts.workspace_role(office.db, "v", user.id) == 0
    assert accounts.in_some_project(office.db, "w", user.id)
    assert not accounts.in_some_project(office.db, "v", user.id)


SEES = """
                          open secret found item
    administrator           +     -      -     +
    member                  +     -      -     -
    guest                   +     -      -     -
    in another project      +     -      -     -
    project administrator   +     +      +     +
    project member          +     +      +     +
    project guest           +     +      +     +
    guest who works here    +     +      +     +
    left the project        +     -      -     -
    removed                 +     -      -     -
    outsider                +     -      -     -
"""
"""A project that is open or secret to those in the workspace (who is in it is asked before), its items by search, and
an item by its id."""


def test_what_somebody_sees_of_a_project(office: Office) -> None:
    project = office.project(network=0)
    everyone = people(office, project)
    item = office.item(project)
    for who, answers in tables.read(SEES):
        user = everyone[who]
        project.network = 2
        found = {"open": office.may(projects.visible, office.db, project, user.id)}
        project.network = 0
        found["secret"] = office.may(projects.visible, office.db, project, user.id)
        found["found"] = bool(item_lists.search(office.db, "w", user.id, "Weeds", None, 10))
        found["item"] = bool(office.call(user).seen([item.id]))
        assert found == answers, who


def test_search_finds_nothing_of_archived_projects_and_other_workspaces(office: Office) -> None:
    project = office.project()
    item = office.item(project)
    for words in ("Weeds", "We", str(item.sequence_id), project.identifier):
        rows = item_lists.search(office.db, "w", office.root.id, words, None, 10)
        assert [row[1] for row in rows] == [item.id], words
    assert not item_lists.search(office.db, "other", office.root.id, "Weeds", None, 10)
    assert not item_lists.search(office.db, "w", office.root.id, "Weeds", "another project", 10)
    projects.archive(office.store, project, on=True)
    assert not item_lists.search(office.db, "w", office.root.id, "Weeds", None, 10)


def test_a_deactivated_account_comes_in_by_no_door(office: Office) -> None:
    user = office.person("ann", MEMBER, password="secret")
    key, token = accounts.mint_key(office.db, user.email), accounts.open_session(office.db, user.id)

    def doors() -> list[bool]:
        return [
            accounts.check_password(office.db, user.email, "secret") is not None,
            accounts.user_by_key(office.db, key) is not None,
            accounts.user_by_session(office.db, token) is not None,
        ]

    assert doors() == [True] * 3
    assert accounts.check_password(office.db, user.email, "wrong") is None
    assert accounts.check_password(office.db, "nobody@bare.test", "secret") is None
    assert accounts.check_password(office.db, office.root.email, "") is None
    assert accounts.user_by_key(office.db, "wrong") is None
    office.db.execute("UPDATE users SET is_active = 0 WHERE id = ?", (user.id,))
    assert doors() == [False] * 3


def test_new_secrets_end_the_old_ones(office: Office) -> None:
    user, other = office.person("ann", MEMBER, password="old"), office.person("bob", MEMBER, password="old")
    key, token = accounts.mint_key(office.db, user.email), accounts.open_session(office.db, user.id)
    accounts.replace_secrets(office.db, user.email, password="new", key="fresh")
    assert accounts.user_by_key(office.db, key) is None
    assert accounts.user_by_session(office.db, token) is None
    assert accounts.check_password(office.db, user.email, "old") is None
    assert accounts.check_password(office.db, user.email, "new") is not None
    assert accounts.user_by_key(office.db, "fresh") is not None
    assert accounts.check_password(office.db, other.email, "old") is not None


LAST_ADMIN = [  # who else is there, and whether root may then stop being an administrator
    ("nobody", None, True, False), ("a member", MEMBER, True, False), ("a guest", GUEST, True, False),
    ("an administrator who left", ADMIN, False, False), ("an administrator", ADMIN, True, True),
]  # fmt: skip


@pytest.mark.parametrize(("role", "active", "may"), [one[1:] for one in LAST_ADMIN], ids=[one[0] for one in LAST_ADMIN])
def test_a_workspace_keeps_an_administrator(office: Office, role: int | None, active: bool, may: bool) -> None:
    if role is not None:
        other = office.person("other", role)
        if not active:
            leave(office, other, "workspace_members")
    assert office.may(accounts.last_admin_stays, office.db, "w", office.root.id) is may
    assert office.may(accounts.set_workspace_role, office.db, "w", office.root.id, ADMIN)
    assert office.may(accounts.set_workspace_role, office.db, "w", office.root.id, MEMBER) is may
    if may:
        accounts.set_workspace_role(office.db, "w", office.root.id, MEMBER)
        assert accounts.workspace_role(office.db, "w", office.root.id) == MEMBER
    else:
        with pytest.raises(BadRequest):
            accounts.last_admin_stays(office.db, "w", office.root.id)


def test_whoever_left_can_come_back_with_another_role(office: Office) -> None:
    project, user = office.project(), office.person("ann", ADMIN)
    office.join(project, user, ADMIN)
    for table in ("project_members", "workspace_members"):
        leave(office, user, table)
    accounts.add_workspace_member(office.store, "w", user.id, GUEST)
    office.join(project, user, MEMBER)
    assert accounts.workspace_role(office.db, "w", user.id) == GUEST
    assert accounts.project_role(office.db, project.id, user.id) == MEMBER


def test_members_are_those_who_did_not_leave(office: Office) -> None:
    project = office.project()
    everyone = people(office, project)
    here = {name for name, (_, role, _) in ROLES.items() if role} - {"left the project", "removed"}
    assert not comes_in(office, everyone["deactivated"]), "and is listed all the same, as in Plane"
    listed, total = accounts.members(office.db, "project", project.id, {})
    assert {one.user.id for one in listed} == {everyone[name].id for name in here} | {office.root.id}
    assert total == len(here) + 1
    gone, _ = accounts.members(office.db, "project", project.id, {"is_active": False})
    assert {one.user.id for one in gone} == {everyone[name].id for name in ("left the project", "removed")}
    guests, count = accounts.members(office.db, "workspace", "w", {"role_slug": "guest"})
    assert {one.role for one in guests} == {GUEST}
    assert count == len(guests) == 3
    assert accounts.members(office.db, "workspace", "w", {"role_slug": "nobody"}) == ([], 0)
    named, _ = accounts.members(office.db, "workspace", "w", {"display_name": "WORKS"})
    assert [one.user.id for one in named] == [everyone["guest who works here"].id]


def test_people_change_their_own_worklogs_alone(office: Office) -> None:
    project = office.project(is_time_tracking_enabled=True)
    item = office.item(project)
    ann, bob = office.person("ann", MEMBER), office.person("bob", MEMBER)
    for user in (ann, bob):
        office.join(project, user, ADMIN)
    place = {"project_id": project.id, "issue_id": item.id}
    made = talk.create_worklog(office.call(ann, "POST", {"duration": 30, "description": "dug"}, **place)).body
    change = {"duration": 45}
    for user, may in ((bob, False), (office.root, False), (ann, True)):
        asked = office.call(user, "PATCH", change, worklog_id=made["id"], **place)
        assert office.may(talk.edit_worklog, asked) is may, user.username
    shown = talk.edit_worklog(office.call(ann, "PATCH", change, worklog_id=made["id"], **place)).body
    assert (shown["duration"], shown["description"], shown["logged_by"]) == (45, "dug", ann.id)


MODULE = """
                            delete
    who made it                +
    project administrator      +
    project member             -
    workspace administrator    -
    outsider                   -
"""


def test_who_deletes_a_module(office: Office) -> None:
    project = office.project()
    everyone = {name: office.person(name.replace(" ", "-"), MEMBER) for name, _ in tables.read(MODULE)}
    accounts.set_workspace_role(office.db, "w", everyone["workspace administrator"].id, ADMIN)
    for name, role in (("who made it", GUEST), ("project administrator", ADMIN), ("project member", MEMBER)):
        office.join(project, everyone[name], role)
    made = modules.create(office.call(everyone["who made it"]).store, project, {"name": "Beds"})
    module = modules.module(office.db, project.id, made)
    for name, answers in tables.read(MODULE):
        assert office.may(modules.delete, office.call(everyone[name]).store, module) is answers["delete"], name


def test_a_module_has_only_people_and_items_of_its_project(office: Office) -> None:
    project, other = office.project(), office.project("Other")
    inside, outside = office.person("inside", MEMBER), office.person("outside", MEMBER)
    office.join(project, inside, MEMBER)
    own, foreign = office.item(project), office.item(other)
    made = modules.create(office.store, project, {"name": "Beds", "members": [inside.id, outside.id, inside.id]})
    module = modules.module(office.db, project.id, made)
    modules.put(office.store, module, [own.id, foreign.id, own.id])
    assert modules.members(office.db, [made]) == {made: [inside.id]}
    assert office.db.execute("SELECT issue FROM module_items").fetchall() == [(own.id,)]
    with pytest.raises(Refused):
        modules.take_out(office.store, module, foreign.id)
    modules.take_out(office.store, module, own.id)
    assert not office.db.execute("SELECT 1 FROM module_items").fetchall()
