"""Activity feeds: what they can be narrowed to."""

from __future__ import annotations

from dayjob.company.forge.store import events, feeds
from tests.company.forge.offices import Office

SAID = {  # what an event says, and the name that GitLab has for it
    "approved": "approved", "closed": "closed", "commented on": "commented", "opened": "created",
    "destroyed": "destroyed", "expired": "expired", "joined": "joined", "left": "left", "accepted": "merged",
    "pushed to": "pushed", "pushed new": "pushed", "deleted": "pushed", "reopened": "reopened", "updated": "updated",
}  # fmt: skip


def test_a_feed_is_narrowed_to_what_was_done(office: Office) -> None:
    project = office.project("garden")
    office.store.db.execute("DELETE FROM events")
    for said in SAID:
        events.happened(office.store, office.root, project.id, said)
    assert set(feeds.ACTIONS) == set(SAID.values())
    for name in feeds.ACTIONS:
        found = office.store.page(feeds.events(office.root, action=name, sort="asc"), 20, 0)
        assert [one.action for one in found] == [said for said, called in SAID.items() if called == name]
    assert len(office.store.page(feeds.events(office.root), 20, 0)) == len(SAID)
