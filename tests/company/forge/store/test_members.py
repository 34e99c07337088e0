"""Members and shares: who is one, by which membership, and who may become or stay one."""

from __future__ import annotations

import pytest

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import access, groups, members, namespaces, projects, shares
from dayjob.company.forge.store.members import Source
from tests.company import tables
from tests.company.bare import day
from tests.company.forge.offices import LEVELS, PUBLIC, Office, refused


def _levels(office: Office, source: Source, **more: bool) -> dict[int, int]:
    rows = office.store.page(members.listed(office.store, source, **more), 20, 0)  # type: ignore[arg-type]  # one flag
    return {member.user_id: member.access_level for member in rows}


def test_inherited_members_count_by_their_highest_membership(office: Office) -> None:
    top = office.group("garden")
    project = office.project("shed", office.group("tools", top))
    ann, bob = office.person("ann"), office.person("bob")
    office.join(top, ann, LEVELS["reporter"])
    office.join(project, ann, LEVELS["guest"])
    office.join(project, bob, LEVELS["developer"])
    office.join(top, bob, LEVELS["developer"])
    assert _levels(office, project) == {ann.id: 10, bob.id: 30}
    assert _levels(office, project, inherited=True) == {ann.id: 20, bob.id: 30}
    assert members.find(office.store, project, ann.id, inherited=True).source_type == "Namespace"
    assert members.find(office.store, project, bob.id, inherited=True).source_type == "Project"
    assert refused(members.find, office.store, project, office.root.id) == 404
    named = members.listed(office.store, project, search="AN", user_ids=[ann.id, bob.id])
    assert [member.user_id for member in office.store.page(named, 20, 0)] == [ann.id]
    assert office.store.page(members.listed(office.store, project, user_ids=[]), 20, 0) == []
    assert [user.id for user in office.store.page(members.users_of(office.store, project), 20, 0)] == [ann.id, bob.id]
    assert members.count(office.store, top) == 2


def test_people_become_members_together_or_not_at_all(office: Office) -> None:
    project, ann, bob = office.project("shed", office.group("garden")), office.person("ann"), office.person("bob")
    office.join(project, bob, 30, day(-1))
    assert refused(members.add, office.store, office.root, project, [ann, bob], 30, day(0)) == 400
    added = members.add(office.store, office.root, project, [ann, bob], 30, day(2))
    assert [(member.user_id, member.expires_at, member.created_by) for member in added] == [
        (ann.id, day(2), office.root.id), (bob.id, day(2), office.root.id),
    ]  # fmt: skip
    cat = office.person("cat")
    assert refused(members.add, office.store, office.root, project, [cat, bob], 30, None) == 409
    assert _levels(office, project) == {ann.id: 30, bob.id: 30}


@pytest.mark.parametrize(("level", "status"), [(access.MAINTAINER, 0), (access.OWNER, 403)])
def test_only_owners_make_others_owners_of_a_project(office: Office, level: int, status: int) -> None:
    project, ann, bob = office.project("shed", office.group("garden")), office.person("ann"), office.person("bob")
    office.join(project, ann, access.MAINTAINER)
    if status:
        assert refused(members.add, office.store, ann, project, [bob], level, None) == status
    else:
        assert members.add(office.store, ann, project, [bob], level, None)[0].access_level == level


def test_a_membership_changes_its_level_and_only_when_asked_its_end(office: Office) -> None:
    project, ann = office.project("shed"), office.person("ann")
    [member] = members.add(office.store, office.root, project, [ann], 30, day(2))
    members.change(office.store, member, 20)
    assert members.find(office.store, project, ann.id).expires_at == day(2)
    assert refused(members.change, office.store, member, 20, expires_at=day(0)) == 400
    members.change(office.store, member, 40, expires_at=None)
    changed = members.find(office.store, project, ann.id)
    assert (changed.access_level, changed.expires_at) == (40, None)


def test_the_last_owner_of_a_group_at_the_top_stays(office: Office) -> None:
    top = namespaces.create_group(office.store, office.root, name="garden", path="garden")
    below = namespaces.create_group(office.store, office.root, name="shed", path="shed", parent=top)
    ann, may = office.person("ann"), office.person("may")

    def leave(group: Source, user: User) -> None:
        members.remove(office.store, members.find(office.store, group, user.id))

    leave(below, office.root)
    assert refused(leave, top, office.root) == 403
    members.add(office.store, office.root, top, [may], access.MAINTAINER, None)
    assert refused(leave, top, office.root) == 403
    members.add(office.store, office.root, top, [ann], access.OWNER, None)
    leave(top, office.root)
    assert refused(leave, top, ann) == 403
    assert _levels(office, top) == {ann.id: 50, may.id: 40}


@pytest.mark.parametrize("kind", ["project", "group"])
def test_something_is_shared_with_a_group_once_and_until_its_last_day(office: Office, kind: str) -> None:
    home, guests, hidden = office.group("garden"), office.group("guests", visibility=PUBLIC), office.group("hidden")
    source: Source = office.project("shed", home) if kind == "project" else home
    shares.share(office.store, source, guests, 30, day(1))
    shares.share(office.store, source, hidden, 20, None)
    assert refused(shares.share, office.store, source, guests, 30, None) == 409
    ann = office.person("ann")
    seen = [(link.access_level, group) for link, group in shares.visible(office.store, ann, source)]
    assert seen == [(30, guests)]
    assert [group for _, group in shares.visible(office.store, office.root, source)] == [guests, hidden]
    office.company.clock.forward(hours=24)
    assert shares.visible(office.store, ann, source) == []
    shares.share(office.store, source, guests, 10, None)
    shares.unshare(office.store, source, guests.id)
    assert refused(shares.unshare, office.store, source, guests.id) == 404


def test_a_group_is_put_only_under_one_that_the_actor_owns(office: Office) -> None:
    ann = office.person("ann")
    garden, court, barn = (namespaces.create_group(office.store, ann, name=name, path=name) for name in "gcb")
    office.store.update("members", members.find(office.store, barn, ann.id).id, access_level=access.MAINTAINER)
    assert groups.transfer_locations(office.store, ann, garden) == [court]
    for parent, status in ((99, 404), (barn.id, 400), (None, 400)):
        assert refused(groups.transfer, office.store, ann, garden, parent) == status
    moved = groups.transfer(office.store, ann, garden, court.id)
    assert moved.full_path == "c/g"
    assert groups.transfer_locations(office.store, ann, moved) == []
    assert refused(groups.transfer, office.store, ann, moved, court.id) == 400
    assert groups.transfer(office.store, ann, moved, None).full_path == "g"


def test_a_group_goes_with_everything_below_it(office: Office) -> None:
    garden = office.group("garden")
    shed = office.group("shed", garden)
    project, other = office.project("tools", shed), office.project("elsewhere")
    office.join(shed, office.person("ann"), 30)
    groups.remove(office.store, garden)
    assert namespaces.find(office.store, shed.id) is None
    assert office.listed("projects", "1") == {other.id} != {project.id}
    assert office.listed("members", "source_type='Namespace'") == set()


def test_a_project_goes_only_where_the_actor_is_a_maintainer(office: Office) -> None:
    garden, barn, hidden = office.group("garden"), office.group("barn"), office.group("hidden")
    project, ann = office.project("shed", garden), office.person("ann")
    for group, level in ((garden, 50), (barn, 30)):
        office.join(group, ann, level)
    for group, status in ((hidden, 404), (barn, 403), (garden, 400)):
        assert refused(groups.transfer_project, office.store, ann, project, group.path) == status
    members.change(office.store, members.find(office.store, barn, ann.id), 40)
    groups.transfer_project(office.store, ann, project, str(barn.id))
    assert projects.get(office.store, project.id).full_path == "barn/shed"


def test_where_a_project_may_go_is_where_it_can_be_put(office: Office) -> None:
    garden, ann = office.group("garden"), office.person("ann")
    project = office.project("shed", garden)
    office.join(garden, ann, access.OWNER)
    for level in (*access.LEVELS, 0):
        for creators in ("developer", "maintainer", "owner", "noone"):
            group = office.group(f"{creators}-{level}")
            groups.change(office.store, group, {}, {"project_creation_level": creators}, None)
            if level:
                office.join(group, ann, level)
    offered = groups.project_transfer_locations(office.store, ann, project)

    def goes(path: str) -> bool:
        office.store.db.execute("SAVEPOINT tried")
        try:
            groups.transfer_project(office.store, ann, project, path)
        except Refused:
            return False
        finally:
            office.store.db.execute("ROLLBACK TO tried")
            office.store.db.execute("RELEASE tried")
        return True

    every = namespaces.descendants(office.store, garden.id) + sorted(office.listed("namespaces", "kind='group'"))
    assert {group.id for group in offered} == {one for one in every if goes(str(one))}
    assert len(offered) == 5


OWNERS_SET = """
                     name  visibility  archived
    maintainer         +        -          -
    owner              +        +          +
    administrator      +        +          +
"""


def test_who_sees_a_project_and_its_archive_are_its_owners_to_set(office: Office) -> None:
    project = office.project("shed")
    for who, may in tables.read(OWNERS_SET):
        user = office.person(who, admin=who == "administrator")
        office.join(project, user, {"maintainer": 40, "owner": 50}.get(who, 10))
        for column, allowed in may.items():
            if allowed:
                access.may_set(office.store, user, project, [column, "description"])
            else:
                assert refused(access.may_set, office.store, user, project, [column, "description"]) == 403
