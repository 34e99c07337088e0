"""Forks and stars: what they are, and how projects count them."""

from __future__ import annotations

from dayjob.company.forge.store import forks, namespaces, projects, stars
from tests.company.forge.offices import PUBLIC, Office, refused


def test_a_fork_is_no_more_open_than_its_origin_and_counts_there(office: Office) -> None:
    origin, ann = office.project("shed", visibility=10), office.person("ann")
    space = namespaces.own(office.store, ann)
    assert space is not None
    fork = forks.create(office.store, ann, origin, space, name=None, path=None, visibility=PUBLIC, description="d")
    assert (fork.full_path, fork.visibility, fork.forked_from) == ("ann/shed", 10, origin.id)
    again = {"name": None, "path": "SHED", "visibility": 0, "description": None}
    assert refused(forks.create, office.store, ann, origin, space, **again) == 409
    assert projects.get(office.store, origin.id).forks_count == 1
    assert forks.root(office.store, fork) == origin.id
    assert refused(forks.relate, office.store, fork, origin) == 409
    forks.unrelate(office.store, fork)
    assert projects.get(office.store, origin.id).forks_count == 0
    free = projects.get(office.store, fork.id)
    assert refused(forks.unrelate, office.store, free) == 404
    forks.relate(office.store, free, origin)
    assert projects.get(office.store, origin.id).forks_count == 1


def test_a_star_is_given_and_taken_back_once(office: Office) -> None:
    project = office.project("shed")
    assert [stars.star(office.store, office.root, project) for _ in range(2)] == [True, False]
    assert stars.of_project(office.store, project) == [(office.root.id, office.store.now())]
    assert projects.get(office.store, project.id).star_count == 1
    assert [stars.unstar(office.store, office.root, project) for _ in range(2)] == [True, False]
    assert projects.get(office.store, project.id).star_count == 0
