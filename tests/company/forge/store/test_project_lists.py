"""Lists of projects: what narrows them, what orders them, and whose they are."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.store import project_lists
from dayjob.company.forge.store.project_lists import Filters
from tests.company.bare import day
from tests.company.forge.offices import INTERNAL, PRIVATE, PUBLIC, Office

PROJECTS: dict[str, dict[str, Any]] = {
    "fern": {"visibility": PUBLIC, "name": "b fern", "star_count": 1, "repository_size": 30, "created_at": day(3),
             "updated_at": day(1), "last_activity_at": day(2), "topics": '["Green"]'},
    "moss": {"visibility": INTERNAL, "name": "C moss", "star_count": 3, "repository_size": 10, "created_at": day(1),
             "updated_at": day(2), "last_activity_at": day(3), "description": "soft 100%", "archived": 1},
    "iris": {"visibility": PRIVATE, "name": "A iris", "star_count": 2, "repository_size": 20, "created_at": day(2),
             "updated_at": day(3), "last_activity_at": day(1), "topics": '["green", "tall"]',
             "settings": '{"issues_access_level": "disabled"}'},
}  # fmt: skip


@pytest.fixture
def garden(office: Office) -> Office:
    """Three projects that differ in everything, in a group; `ann` may do nothing and `bob` is a reporter in iris."""
    group = office.group("garden", visibility=PUBLIC)
    office.person("ann")
    bob = office.person("bob")
    for path, facts in PROJECTS.items():
        project = office.project(path, group)
        office.store.update("projects", project.id, **facts)
        if path == "iris":
            office.join(project, bob, 20)
            office.store.insert("stars", user_id=bob.id, project_id=project.id, at=day(0))
    return office


def paths(
    office: Office, viewer: str | None = "root", within: project_lists.Condition = ("1", []), **wanted: Any
) -> str:
    user = office.store.one(type(office.root), "username=?", viewer) if viewer else None
    listing = project_lists.listed(user, Filters(**{"order": "id", "sort": "asc", **wanted}), within)
    return " ".join(project.path for project in office.store.page(listing, 20, 0))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, "fern moss iris"),
        ({"search": "MOS"}, "moss"), ({"search": "a iris"}, "iris"), ({"search": "fern moss"}, ""),
        ({"search": "100%"}, "moss"), ({"search": "1%0"}, ""), ({"search": "garden"}, ""),
        ({"search": "garden", "search_namespaces": True}, "fern moss iris"),
        ({"archived": True}, "moss"), ({"archived": False}, "fern iris"),
        ({"visibility": PRIVATE}, "iris"), ({"visibility": INTERNAL}, "moss"), ({"visibility": PUBLIC}, "fern"),
        ({"topics": ["green"]}, "fern iris"), ({"topics": ["green", "TALL"]}, "iris"), ({"topics": ["gree"]}, ""),
        ({"features": ["issues"]}, "fern moss"), ({"features": ["wiki"]}, "fern moss iris"),
        ({"last_activity_after": day(2)}, "fern moss"), ({"last_activity_before": day(2)}, "fern iris"),
        ({"updated_after": day(2)}, "moss iris"), ({"updated_before": day(2)}, "fern moss"),
        ({"id_after": 1}, "moss iris"), ({"id_before": 2}, "fern"),
    ],
)  # fmt: skip
def test_projects_are_narrowed_to_what_is_wanted(garden: Office, wanted: dict[str, Any], found: str) -> None:
    assert paths(garden, **wanted) == found


@pytest.mark.parametrize(
    ("viewer", "wanted", "found"),
    [
        (None, {}, "fern"), ("ann", {}, "fern moss"), ("bob", {}, "fern moss iris"),
        ("bob", {"level": 20}, "iris"), ("bob", {"level": 30}, ""), (None, {"level": 20}, "fern"),
        ("bob", {"starred": True}, "iris"), ("ann", {"starred": True}, ""), (None, {"starred": True}, "fern"),
    ],
)  # fmt: skip
def test_projects_are_listed_for_whoever_may_see_them(
    garden: Office, viewer: str | None, wanted: dict[str, Any], found: str
) -> None:
    assert paths(garden, viewer, **wanted) == found


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("id", "fern moss iris"), ("name", "iris fern moss"), ("path", "fern iris moss"),
        ("created_at", "moss iris fern"),
        ("updated_at", "fern moss iris"), ("last_activity_at", "iris fern moss"), ("star_count", "fern iris moss"),
        ("storage_size", "moss iris fern"), ("repository_size", "moss iris fern"), ("similarity", "iris moss fern"),
        ("wiki_size", "fern moss iris"), ("packages_size", "fern moss iris"),
    ],
)  # fmt: skip
def test_projects_are_ordered_both_ways(garden: Office, order: str, found: str) -> None:
    assert paths(garden, order=order) == found
    assert paths(garden, order=order, sort="desc") == " ".join(reversed(found.split()))


def test_whose_projects_are_listed(garden: Office) -> None:
    store = garden.store
    own = garden.project("own")
    fork = garden.project("fork", forked_from=own.id)
    bob = store.required(type(garden.root), "username=?", "bob")
    store.insert("events", project_id=fork.id, author_id=bob.id, action="created", created_at=store.now())
    assert paths(garden, within=project_lists.owned_by(garden.root)) == "own fork"
    assert paths(garden, within=project_lists.owned_by(bob)) == ""
    assert paths(garden, within=project_lists.starred_by(bob)) == "iris"
    assert paths(garden, within=project_lists.contributed_to_by(bob)) == "fork"
    assert paths(garden, within=project_lists.forks_of(own)) == "fork"
    assert paths(garden, within=project_lists.forks_of(fork)) == ""


def test_a_groups_projects_with_those_below_it_and_those_shared_with_it(garden: Office) -> None:
    store, top = garden.store, garden.group("top")
    garden.project("deep", garden.group("below", top))
    garden.project("direct", top)
    garden.share(garden.project("lent"), top, 20)
    garden.share(garden.project("ended"), top, 20, until=day(0))
    for subgroups, shared, found in (
        (False, False, "direct"), (True, False, "deep direct"), (False, True, "direct lent"),
        (True, True, "deep direct lent"),
    ):  # fmt: skip
        assert paths(garden, within=project_lists.of_group(store, top, subgroups=subgroups, shared=shared)) == found
    assert paths(garden, within=project_lists.shared_with(top)) == "lent"
