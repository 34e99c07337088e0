"""Releases: who learns of them, and what they may link to."""

from __future__ import annotations

import pytest

from dayjob.company.forge.rows.projects import Project, Release
from dayjob.company.forge.store import releases
from tests.company.forge.offices import PUBLIC, Office, refused


def _release(office: Office, project: Project, tag: str, released_at: str | None = None) -> Release:
    return releases.create(
        office.store, office.root, project, tag, sha=None, name=None, description=None, released_at=released_at,
        milestones=[], assets=[],
    )  # fmt: skip


def test_a_release_is_found_by_its_tag_and_a_stranger_does_not_learn_which_are_missing(office: Office) -> None:
    private, public = office.project("shed"), office.project("barn", visibility=PUBLIC)
    made = _release(office, private, "v1")
    assert (made.name, made.released_at) == ("v1", office.store.now())
    assert releases.find(office.store, None, private, "v1") == made
    for project, viewer, status in ((private, None, 403), (private, office.root, 404), (public, None, 404)):
        assert refused(releases.find, office.store, viewer, project, "v2") == status
    assert refused(releases.check_is_new, office.store, private, "v1") == 409
    releases.check_is_new(office.store, public, "v1")


def test_the_latest_release_is_the_one_released_last(office: Office) -> None:
    project = office.project("shed")
    assert refused(releases.latest, office.store, project) == 404
    _release(office, project, "v2", "2026-03-08T00:00:00.000Z")
    _release(office, project, "v1", "2026-03-01T00:00:00.000Z")
    assert releases.latest(office.store, project).tag_name == "v2"
    assert refused(releases.milestone_ids, office.store, project, ["none"]) == 400


@pytest.mark.parametrize(
    ("name", "url", "kind", "status"),
    [("b", "https://b", None, 0), ("b", "ftp://b", "image", 0), (" ", "https://b", None, 400),
     ("b", "file:///b", None, 400), ("a", "https://b", None, 400), ("b", "https://a", None, 400),
     ("b", "https://b", "odd", 400)],
)  # fmt: skip
def test_what_a_release_may_link_to(office: Office, name: str, url: str, kind: str | None, status: int) -> None:
    release = _release(office, office.project("shed"), "v1")
    first = releases.add_link(office.store, release.id, "a", "https://a", None, "/bin/a")
    assert (first.link_type, first.filepath) == ("other", "/bin/a")
    if status:
        assert refused(releases.add_link, office.store, release.id, name, url, kind) == status
    else:
        added = releases.add_link(office.store, release.id, name, url, kind)
        assert releases.links(office.store, release) == [added, first]
        assert added.link_type == (kind or "other")


def test_a_file_is_found_by_the_path_its_release_gives_it(office: Office) -> None:
    release = _release(office, office.project("shed"), "v1")
    link = releases.add_link(office.store, release.id, "Map", "https://files.test/map", path="/docs/map.pdf")
    assert releases.link_at(office.store, release, "/docs/map.pdf") == link
    assert refused(releases.link_at, office.store, release, "/map.pdf") == 404
    for path in ("map.pdf", "/", "/docs/", "//map", "/a b"):
        assert refused(releases.add_link, office.store, release.id, "M", "https://x.test", path=path) == 400
        assert refused(releases.change_link, office.store, link, {"filepath": path}) == 400
    releases.change_link(office.store, link, {"filepath": "/map.pdf"})
    assert releases.link_at(office.store, release, "/map.pdf").url == "https://files.test/map"
