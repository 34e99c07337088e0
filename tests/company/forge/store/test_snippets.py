"""Snippets: who may change them."""

from __future__ import annotations

from dayjob.company.forge.store import snippets
from tests.company.forge.offices import PUBLIC, Office, refused


def test_who_may_change_a_snippet(office: Office) -> None:
    project, ann, bob = office.project("shed", visibility=PUBLIC), office.person("ann"), office.person("bob")
    office.join(project, bob, 40)
    own, shared = (
        snippets.create(
            office.store, ann, home, title="t", description=None, visibility="public", files={"f": "x"}, user_agent=""
        )
        for home in (None, project)
    )
    for user, home, snippet, status in (
        (ann, None, own, 0), (office.root, None, own, 0), (bob, None, own, 403), (bob, project, shared, 0),
        (office.person("cat"), project, shared, 403),
    ):  # fmt: skip
        if status:
            assert refused(snippets.check_may_change, office.store, user, home, snippet) == status
        else:
            snippets.check_may_change(office.store, user, home, snippet)
    assert refused(snippets.find, office.store, ann, project, own.id) == 404
    assert snippets.find(office.store, None, None, own.id).contents == {"f": "x"}
