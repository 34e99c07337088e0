"""What hangs on accounts, groups and projects as files: pictures and attachments; and the refs that repeat git's."""

from __future__ import annotations

import pytest

from dayjob.company.forge.store import avatars, records, refs, uploads, users
from tests.company.forge.offices import INTERNAL, PRIVATE, PUBLIC, Office, refused


@pytest.mark.parametrize(
    ("visibility", "who_may"),
    [(PRIVATE, {"member"}), (INTERNAL, {"member", "stranger"}), (PUBLIC, {"member", "stranger", "nobody"})],
)
def test_the_picture_of_a_project_or_group_is_for_whoever_may_see_it(
    office: Office, visibility: int, who_may: set[str]
) -> None:
    people = {"member": office.person("ann"), "stranger": office.person("bob"), "nobody": None}
    group, project = office.group("club", visibility=visibility), office.project("shed", visibility=visibility)
    for kind, place, table in (("group", group, "namespaces"), ("project", project, "projects")):
        office.store.update(table, place.id, avatar=f"hash-{kind}:{kind}.png")
        assert people["member"] is not None
        office.join(place, people["member"], 10)
        for name, user in people.items():
            if name in who_may:
                assert avatars.find(office.store, user, kind, place.id) == (f"{kind}.png", f"hash-{kind}")
            else:
                assert refused(avatars.find, office.store, user, kind, place.id) == 404


def test_a_picture_is_that_of_its_owner_and_those_of_people_and_topics_are_for_everyone(office: Office) -> None:
    plain, shown = office.project("plain", visibility=PUBLIC), office.project("shown", visibility=PUBLIC)
    office.store.update("projects", plain.id, avatar="one:a.png")
    office.store.update("projects", shown.id, avatar="two:b:c.png")
    assert avatars.find(office.store, None, "project", shown.id) == ("b:c.png", "two")
    users.set_avatar(office.store, office.root, "three:me.png")
    assert avatars.find(office.store, None, "user", office.root.id) == ("me.png", "three")
    topic = records.create(office.store, "topic", "instance", 0, "green", {"avatar": "four:leaf.png"})
    assert avatars.find(office.store, None, "topic", topic.id) == ("leaf.png", "four")
    for kind, owner in (("user", office.person("ann").id), ("project", 99), ("group", 99), ("topic", 99), ("shoe", 1)):
        assert refused(avatars.find, office.store, office.root, kind, owner) == 404


def test_an_attachment_is_its_projects_and_says_whose_it_is(office: Office) -> None:
    ann, shed, barn = office.person("ann"), office.project("shed"), office.project("barn")
    first = uploads.add(office.store, ann, shed, "plan.txt", 4, "hash")
    assert (first.filename, first.size, first.blob, first.user_id) == ("plan.txt", 4, "hash", ann.id)
    assert (first.project_id, first.created_at) == (shed.id, office.store.now())
    second = uploads.add(office.store, ann, shed, "plan.txt", 4, "hash")
    assert first.secret != second.secret
    assert uploads.of_project(office.store, shed) == [second, first]
    assert uploads.of_project(office.store, barn) == []
    assert uploads.by_secret(office.store, shed, second.secret) == second
    assert refused(uploads.by_secret, office.store, barn, second.secret) == 404
    assert refused(uploads.delete, office.store, barn, first.id) == 404
    uploads.delete(office.store, shed, first.id)
    assert uploads.of_project(office.store, shed) == [second]


def test_refs_are_those_of_their_project(office: Office) -> None:
    shed, barn = office.project("shed"), office.project("barn")
    for name in ("refs/heads/main", "refs/heads/topic", "refs/tags/v1"):
        refs.record(office.store, shed, name, "a" * 40)
    refs.record(office.store, shed, "refs/heads/main", "b" * 40)
    assert [refs.count(office.store, shed, kind) for kind in ("heads", "tags")] == [2, 1]
    assert refs.has_branch(office.store, shed.id, "topic")
    assert not refs.has_branch(office.store, shed.id, "v1")
    assert not refs.has_branch(office.store, barn.id, "topic")
    refs.copy(office.store, shed, barn)
    assert [refs.count(office.store, barn, kind) for kind in ("heads", "tags")] == [2, 1]
    refs.forget(office.store, shed, "refs/heads/topic")
    assert not refs.has_branch(office.store, shed.id, "topic")
    assert refs.has_branch(office.store, barn.id, "topic")
