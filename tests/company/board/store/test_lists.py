"""Which items, projects and pages a list holds, and in which order."""

from __future__ import annotations

from dayjob.company.board.rows import Item, Project
from dayjob.company.board.store import cycles, item_filters, item_lists, items, notes, projects, talk
from dayjob.company.board.store.item_filters import Filter
from dayjob.company.board.store.lists import Listing, always, by
from dayjob.company.board.store.plans import CYCLES
from tests.company.bare import day
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, refused, states


def names(office: Office, listing: Listing[Item], order: str | None = None) -> list[str]:
    rows = listing.rows(office.db, order)
    assert listing.count(office.db) == len(rows)
    return [one.name for one in rows]


def test_an_order_that_is_not_known_counts_as_not_asked(office: Office) -> None:
    order = by("name", "created_at")
    assert order("name") == '"name" ASC, rowid ASC'
    assert order(None) == order("nonsense") == order("-nonsense") == '"created_at" DESC, rowid DESC'
    assert by("a", default="a")("-b") == '"a" ASC, rowid ASC'
    assert always("x")("name") == "x"


def test_a_list_can_be_narrowed_emptied_and_asked_for_one_row(office: Office, project: Project) -> None:
    beds, weeds = (office.item(project, name) for name in ("Beds", "Weeds"))
    listing = item_lists.of_project(project)
    assert names(office, listing, "name") == ["Beds", "Weeds"]
    assert [one.name for one in listing.rows(office.db, "name", 1, 1)] == ["Weeds"]
    assert names(office, listing.narrowed("name = ?", "Beds")) == ["Beds"]
    assert names(office, listing.unless(False), "name") == ["Beds", "Weeds"]
    assert names(office, listing.unless("2026")) == []
    assert listing.one(office.db, weeds.id).name == "Weeds"
    assert refused(listing.narrowed("name = ?", "Weeds").one, office.db, beds.id)


def test_a_page_finds_items_by_each_of_its_conditions(office: Office, project: Project) -> None:
    root, found = office.root.id, states(office, project)
    label = projects.add_label(office.store, "w", project.id, {"name": "bug"})
    full = office.item(
        project, "Weeds 7", state=found["Done"].id, priority="high", assignees=[root], labels=[label],
        start_date=day(1), target_date=day(3),
    )  # fmt: skip
    office.item(project, "Beds", parent=full.id)
    office.item(office.project("Other"), "Weeds")

    def listed(fixed: tuple[str, str] | None = None, **wanted: object) -> list[str]:
        return names(office, item_filters.filtered(project, Filter(**wanted), fixed), "name")  # type: ignore[arg-type]  # the fields, one by one

    assert listed() == ["Beds", "Weeds 7"]
    for name, value in (("state", found["Done"].id), ("priority", "high"), ("assignee", root), ("label", label)):
        assert listed(chosen={name: [value]}) == ["Weeds 7"], name
        assert listed((name, value)) == ["Weeds 7"], name
    for name in ("assignee", "label"):
        assert listed(chosen={name: ["none"]}) == ["Beds"], name
        assert listed(chosen={name: ["none", root, label]}) == ["Beds", "Weeds 7"], name
    assert listed(chosen={"priority": ["none"]}) == ["Beds"]
    assert listed(chosen={"priority": ["none", "high"]}) == ["Beds", "Weeds 7"]
    assert listed(chosen={"cycle": ["none"]}) == listed(chosen={"module": ["none"]}) == ["Beds", "Weeds 7"]
    assert listed(chosen={"state": ["none"]}) == []
    assert listed(dates={"due_from": day(3), "due_to": day(3), "start_from": day(1), "start_to": day(1)}) == ["Weeds 7"]
    for dates in ({"due_from": day(4)}, {"due_to": day(2)}, {"start_from": day(2)}, {"start_to": day(0)}):
        assert listed(dates=dates) == [], dates
    assert listed(search="WEED") == ["Weeds 7"]
    assert listed(search="2") == listed(search="GARDE-2") == ["Beds"]
    assert listed(sub_items=False) == ["Weeds 7"]


def test_groups_follow_one_another_and_are_counted(office: Office, project: Project) -> None:
    for name, priority in (("c", "low"), ("a", "high"), ("b", "low")):
        office.item(project, name, priority=priority)
    listing = item_filters.filtered(project, Filter())
    assert item_filters.group_counts(office.db, listing, "priority") == {"high": 1, "low": 2}
    assert names(office, item_filters.in_group(listing, "priority", "low"), "name") == ["b", "c"]
    assert names(office, item_filters.by_groups(listing, "priority", ["high", "low"], "name")) == ["a", "b", "c"]
    assert names(office, item_filters.by_groups(listing, "priority", ["low", "high"], "-name")) == ["c", "b", "a"]


def test_what_somebody_was_given_is_counted_by_how_it_stands(office: Office, project: Project) -> None:
    ann, bob = office.person("ann", MEMBER), office.person("bob", MEMBER)
    office.join(project, ann, MEMBER)
    found = states(office, project)
    for name, state, due in (("late", "Todo", day(1)), ("begun", "In Progress", day(9)), ("done", "Done", day(1))):
        office.item(project, name, state=found[state].id, target_date=due, assignees=[ann.id])
    office.item(project, "other", assignees=[office.root.id])
    load = item_lists.workload(office.db, ann.id, "w", day(5))
    assert (load.open, load.started, load.overdue, load.completed) == (2, 1, 1, 1)
    assert item_lists.workload(office.db, ann.id, "v", day(5)).open == 0
    assert item_lists.open_count(office.db, project.id) == 3
    assert names(office, item_lists.open_work(ann.id, "w"), "name") == ["begun", "late"]
    assert names(office, item_lists.assigned(ann.id, "w", ann.id), "name") == ["begun", "done", "late"]
    assert names(office, item_lists.created(ann.id, "w", office.root.id), "name") == ["begun", "done", "late", "other"]
    assert names(office, item_lists.assigned(bob.id, "w", ann.id)) == []


def test_items_lie_where_they_were_put_in_a_column(office: Office, project: Project) -> None:
    first, second, third = (office.item(project, name) for name in "abc")
    assert items.sort_order(office.db, third, third.state, None) > second.sort_order
    assert items.sort_order(office.db, third, third.state, "") < first.sort_order
    assert first.sort_order < items.sort_order(office.db, third, third.state, first.id) < second.sort_order
    assert items.sort_order(office.db, first, first.state, third.id) == third.sort_order + 10000
    assert items.sort_order(office.db, first, states(office, project)["Done"].id, None) == 65535.0


def test_a_plan_offers_what_is_not_in_it(office: Office, project: Project) -> None:
    made = cycles.cycle(office.db, project.id, cycles.create(office.store, project, {"name": "May"}))
    inside = office.item(project, "Beds")
    office.item(project, "Weeds")
    cycles.put(office.store, made, [inside.id])
    assert names(office, CYCLES.candidates(project, made.id, "")) == ["Weeds"]
    assert names(office, CYCLES.candidates(project, made.id, "BED")) == []
    assert names(office, CYCLES.listing(project, made.id)) == ["Beds"]
    assert names(office, CYCLES.listing(project, made.id, "nothing")) == []
    assert [one.issue for one in CYCLES.places(office.db, made.id)] == [inside.id]


def test_a_secret_project_is_listed_for_those_in_it(office: Office, project: Project) -> None:
    ann, bob = office.person("ann", MEMBER), office.person("bob", MEMBER)
    secret = office.project("Secret", network=0)
    office.join(secret, ann, GUEST)
    away = office.project("Away")
    projects.archive(office.store, away, on=True)
    for user, seen in ((ann, ["Away", "Garden", "Secret"]), (bob, ["Away", "Garden"])):
        listing = projects.seen("w", user.id)
        assert [one.name for one in listing.rows(office.db, "name")] == seen
        assert listing.count(office.db) == len(seen)
        assert [one.name for one in projects.open_by_name(office.db, "w", user.id)] == seen[1:]
        brief = projects.seen_briefly("w", user.id, archived=False)
        assert [one.name for one in brief.rows(office.db, "name")] == seen[1:]
    assert projects.seen("w", ann.id).rows(office.db)[0].name == "Secret"  # the one she is in
    assert [one.name for one in projects.joined(office.db, "w", ann.id)] == ["Secret"]
    told = projects.summary(office.db, secret.id, ann.id)
    assert (told.members, told.cycles, told.modules, told.role) == (2, 0, 0, GUEST)
    assert projects.summary(office.db, secret.id, office.root.id).role == ADMIN
    assert projects.summary(office.db, secret.id, bob.id).role is None


def test_a_private_page_is_its_owners_alone(office: Office, project: Project) -> None:
    ann = office.person("ann", MEMBER)
    own = notes.add_page(office.store, "w", None, {"name": "Diary", "access": 1})
    open_page = notes.add_page(
        office.store, "w", None, {"name": "Rules", "description_html": "<p>x</p><script>y</script>"}
    )
    assert open_page.description_html == "<p>x</p>"

    def listed(user: str, kind: str = "all", words: str | None = None) -> list[str]:
        return [one.name for one in notes.page_listing("w", None, user, kind, words).rows(office.db, "name")]

    assert listed(office.root.id) == ["Diary", "Rules"]
    assert listed(ann.id) == ["Rules"]
    assert (listed(office.root.id, "private"), listed(office.root.id, "public")) == (["Diary"], ["Rules"])
    assert listed(office.root.id, words="RUL") == ["Rules"]
    assert refused(notes.page, office.call(ann).store, "w", None, own.id)
    assert refused(notes.page, office.store, "w", project.id, own.id)
    assert refused(notes.remove_page, office.store, own)
    notes.archive_page(office.store, own, on=True)
    assert (listed(office.root.id), listed(office.root.id, "archived")) == (["Rules"], ["Diary"])
    notes.remove_page(office.store, notes.page(office.store, "w", None, own.id))
    assert listed(office.root.id, "archived") == []
    locked = notes.edit_page(office.store, open_page, {"is_locked": True})
    assert refused(notes.edit_page, office.store, locked, {"name": "x"})
    assert not refused(notes.edit_page, office.store, locked, {"is_locked": False})
    assert refused(notes.edit_page, office.store, open_page, {"parent": open_page.id})


def test_pages_are_ordered_as_asked(office: Office) -> None:
    for name, made, changed in (("b", 1, 3), ("c", 2, 1), ("a", 3, 2)):
        page = notes.add_page(office.store, "w", None, {"name": name})
        office.db.execute("UPDATE pages SET created_at = ?, updated_at = ? WHERE id = ?", (made, changed, page.id))
    listing = notes.page_listing("w", None, office.root.id, "all", None)
    for asked, names in (
        (None, "acb"), ("created_at", "bca"), ("-created_at", "acb"), ("updated_at", "cab"), ("-updated_at", "bac"),
        ("name", "abc"), ("-name", "cba"), ("color", "acb"),
    ):  # fmt: skip
        assert "".join(one.name for one in listing.rows(office.db, asked)) == names, asked


def test_files_are_listed_once_they_were_sent(office: Office, project: Project) -> None:
    item = office.item(project)
    made = talk.announce_attachment(office.store, item, {"attributes": {"name": "a.txt"}, "size": 1.0})
    assert talk.attachments(item.id).rows(office.db) == []
    talk.confirm_attachment(office.store, item, made)
    talk.keep_content(office.db, made.asset, "blob")
    [sent] = talk.attachments(item.id).rows(office.db)
    assert (sent.id, sent.blob) == (made.id, "blob")
    assert talk.attachment_at(office.db, made.asset) == sent
    assert talk.attachment_at(office.db, "elsewhere") is None
