"""Settings of a project, its states and labels; members of the workspace and of a project; the intake."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from tests.company.board.pages.conftest import Place, Visit, as_person, column, notice
from tests.company.pages.browser import Visitor, expect


def test_an_admin_renames_a_project_switches_features_and_puts_it_away(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", f"{trellis.at}/settings/")
    page.get_by_label("Description").fill("The scheduler of garden centres.")
    page.get_by_role("button", name="Save project").click()
    notice(page, "Project saved.")
    assert (
        trellis.one("SELECT description FROM projects WHERE id = ?", trellis.id) == "The scheduler of garden centres."
    )
    page.get_by_label("Identifier").fill("WEB")
    page.get_by_role("button", name="Save project").click()
    expect(page.get_by_role("alert")).to_be_visible()
    priya.expect_console("4[0-9][0-9]")
    priya.open("board", f"{trellis.at}/settings/")
    page.get_by_label("Modules").uncheck()
    page.get_by_role("button", name="Save features").click()
    expect(page.get_by_role("link", name="Modules")).to_have_count(0)
    page.get_by_role("button", name="Archive project").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive project").click()
    notice(page, "Trellis archived.")
    priya.open("board", f"{trellis.at}/settings/")
    page.get_by_role("button", name="Restore project").click()
    notice(page, "Trellis restored.")


def test_a_project_is_deleted_by_an_admin_who_writes_its_name(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", f"{trellis.at}/settings/")
    page.get_by_label("Project name, to be sure").fill("Trellis")
    page.get_by_role("button", name="Delete project").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete project").click()
    notice(page, "Trellis deleted.")
    assert trellis.rows("SELECT 1 FROM projects WHERE id = ?", trellis.id) == []


def test_a_member_reads_the_settings_and_saves_none(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/settings/")
    expect(page.get_by_label("Project name")).to_be_disabled()
    expect(page.get_by_role("button", name="Save project")).to_have_count(0)
    expect(page.get_by_role("button", name="Delete project")).to_have_count(0)


def test_states_are_added_changed_made_default_and_deleted(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/settings/states/")
    page.get_by_role("link", name="New state").click()
    form = page.get_by_role("dialog", name="New state")
    form.get_by_label("Name").fill("Waiting")
    form.get_by_label("Group").select_option("Unstarted")
    form.get_by_label("Colour").fill("#aa3355")
    form.get_by_role("button", name="Save state").click()
    expect(column(page, "Unstarted")).to_contain_text("Waiting")
    page.get_by_role("link", name="Edit the state Waiting").click()
    page.get_by_role("dialog", name="Edit state").get_by_label("Name").fill("Waiting for others")
    page.get_by_role("dialog", name="Edit state").get_by_role("button", name="Save state").click()
    page.get_by_role("button", name="Make default: Todo").click()
    notice(page, "New items begin in Todo.")
    page.get_by_role("button", name="Delete the state Waiting for others").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the state Waiting for others").click()
    notice(page, "Waiting for others deleted.")
    assert trellis.rows('SELECT name FROM states WHERE project = ? AND "default"', trellis.id) == [("Todo",)]
    sam.open("board", f"{trellis.at}/settings/states/new/")
    page.get_by_label("Name").fill("Done")
    page.get_by_role("button", name="Save state").click()
    expect(page.get_by_role("alert")).to_contain_text("already exists")
    sam.expect_console("400")


def test_labels_are_added_changed_and_deleted(sam: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/settings/labels/")
    page.get_by_role("link", name="New label").click()
    page.get_by_role("dialog", name="New label").get_by_label("Name").fill("paper")
    page.get_by_role("dialog", name="New label").get_by_role("button", name="Save label").click()
    page.get_by_role("link", name="Edit the label paper").click()
    page.get_by_role("dialog", name="Edit label").get_by_label("Description").fill("On paper")
    page.get_by_role("dialog", name="Edit label").get_by_role("button", name="Save label").click()
    expect(page.get_by_text("On paper")).to_be_visible()
    page.get_by_role("button", name="Delete the label paper").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the label paper").click()
    notice(page, "paper deleted.")
    assert trellis.rows("SELECT 1 FROM labels WHERE name = 'paper'") == []


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def test_members_of_a_project_are_added_get_another_role_and_are_removed(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", f"{trellis.at}/settings/members/")
    name = page.get_by_label("Person").locator("option").first.inner_text()
    page.get_by_label("Person").select_option(name)
    page.get_by_role("button", name="Add member").click()
    expect(row(page, name)).to_be_visible()
    page.get_by_label(f"Role of {name}").select_option("Guest")
    notice(page, f"{name} is guest.")
    page.get_by_role("button", name=f"Remove {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    notice(page, f"{name} is no longer in Trellis.")
    expect(row(page, name)).to_have_count(0)


def test_the_workspace_invites_changes_roles_and_removes(priya: Visitor, trellis: Place) -> None:
    page = priya.open("board", "/larkspur/settings/members/")
    page.get_by_label("Email").fill("nadia@example.com")
    page.get_by_role("button", name="Invite").click()
    expect(column(page, "Invited")).to_contain_text("nadia@example.com")
    page.get_by_role("button", name="Withdraw the invitation of nadia@example.com").click()
    expect(column(page, "Invited")).to_have_count(0)
    page.get_by_label("Role of Sam Reed").select_option("Guest")
    notice(page, "Sam Reed is guest.")
    page.get_by_role("button", name="Remove Sam Reed").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    notice(page, "Sam Reed is no longer in the workspace.")
    told = trellis.office.call(lambda: [one.words for one in trellis.office.company.changes("board")])
    assert any("sam.reed" in words for words in told), told


def test_a_member_sees_who_is_there_and_changes_nobody(sam: Visitor, trellis: Place) -> None:
    for path in ("/larkspur/settings/members/", f"{trellis.at}/settings/members/"):
        page = sam.open("board", path)
        expect(row(page, "Priya Nair")).to_be_visible()
        expect(page.get_by_role("button", name="Remove Priya Nair")).to_have_count(0)


# -- the intake --------------------------------------------------------------------------------------------------


def test_a_suggestion_waits_and_an_admin_decides(visit: Visit, sam: Visitor, priya: Visitor, trellis: Place) -> None:
    page = sam.open("board", f"{trellis.at}/intake/")
    for name in ("Plans in the calendar", "Plans by post", "Plans by pigeon", "Plans by fax"):
        page.get_by_role("link", name="Suggest a work item").click()
        form = page.get_by_role("dialog", name="Suggest a work item")
        form.get_by_label("Title").fill(name)
        form.get_by_label("Description").fill("Somebody **asked**.")
        form.get_by_role("button", name="Suggest", exact=True).click()
        expect(page.get_by_role("link", name=name)).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    keys = {
        row[0]: f"TREL-{row[1]}"
        for row in trellis.rows("SELECT name, sequence_id FROM items WHERE name LIKE 'Plans %'")
    }

    page = priya.open("board", f"{trellis.at}/intake/")
    page.get_by_role("button", name=f"Accept {keys['Plans in the calendar']}").click()
    notice(page, "Marked as accepted.")
    priya.open("board", f"{trellis.at}/intake/")
    page.get_by_role("button", name=f"Decline {keys['Plans by post']}").click()
    priya.open("board", f"{trellis.at}/intake/")
    page.get_by_label(f"Snooze {keys['Plans by pigeon']} until").fill("2026-04-01")
    page.get_by_role("button", name=f"Snooze {keys['Plans by pigeon']}").click()
    priya.open("board", f"{trellis.at}/intake/")
    page.get_by_label(f"{keys['Plans by fax']} is a duplicate of").fill("TREL-17")
    page.get_by_role("button", name=f"Mark duplicate: {keys['Plans by fax']}").click()
    assert dict(trellis.rows("SELECT items.name, status FROM intake_items JOIN items ON items.id = issue")) == {
        "Plans in the calendar": 1, "Plans by post": -1, "Plans by pigeon": 0, "Plans by fax": 2,
    }  # fmt: skip
    assert trellis.one("SELECT listed FROM items WHERE name = 'Plans in the calendar'") == 1

    page = sam.open("board", f"{trellis.at}/intake/?status=declined")
    page.get_by_role("button", name=f"Remove {keys['Plans by post']}").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    notice(page, "Suggestion removed.")


def test_a_guest_suggests_too(visit: Visit, trellis: Place) -> None:
    ines = as_person(trellis.office, visit, "ines.carvalho")
    page = ines.open("board", f"{trellis.at}/intake/new/")
    page.get_by_label("Title").fill("A quieter alarm")
    page.get_by_role("button", name="Suggest", exact=True).click()
    expect(page.get_by_role("link", name="A quieter alarm")).to_be_visible()
