"""The instance's settings: what holds until somebody changes it."""

from __future__ import annotations

from dayjob.company.forge.store import milestones, notes, settings
from tests.company.forge.offices import Office

NUMBERS = {
    "id": 1, "default_projects_limit": 100_000, "default_branch_protection": 2, "max_attachment_size": 100,
    "session_expire_delay": 7 * 24 * 60, "container_registry_token_expire_delay": 5, "deletion_adjourned_period": 7,
    "throttle_authenticated_api_requests_per_period": 2 * 3600, "throttle_authenticated_api_period_in_seconds": 3600,
    "wiki_page_max_content_bytes": 50 * 2**20, "max_import_size": 0, "first_day_of_week": 0, "issues_create_limit": 0,
}  # fmt: skip
ON = {
    "password_authentication_enabled_for_web", "password_authentication_enabled_for_git", "user_oauth_applications",
    "allow_local_requests_from_web_hooks_and_services", "allow_local_requests_from_hooks_and_services",
    "project_export_enabled",
}  # fmt: skip


def test_a_new_instance_has_the_limits_and_switches_of_a_new_gitlab(office: Office) -> None:
    found = settings.current(office.store)
    assert {name: value for name, value in found.items() if type(value) is int} == NUMBERS
    assert {name for name, value in found.items() if value is True} == ON


def test_a_setting_holds_until_it_is_changed_and_changes_no_other(office: Office) -> None:
    before = settings.current(office.store)
    settings.change(office.store, "max_attachment_size", 5)
    assert settings.get(office.store, "max_attachment_size") == 5
    assert settings.get(office.store, "session_expire_delay") == before["session_expire_delay"]
    assert settings.current(office.store) == {**before, "max_attachment_size": 5}


def test_the_instance_counts_what_it_holds(office: Office) -> None:
    before = settings.statistics(office.store)
    assert {name: count for name, count in before.items() if count} == {"users": 1, "active_users": 1}
    group, shed = office.group("club"), office.project("shed")
    office.project("fork", group, forked_from=shed.id)
    office.person("left", state="blocked")
    office.person("robot", bot=True)
    office.request(shed)
    issue = office.issue(shed)
    notes.create(office.store, office.root, "Issue", issue.id, shed.id, "hello")
    milestones.create(office.store, shed, "one")
    after = settings.statistics(office.store)
    assert {name: count for name, count in after.items() if count} == {
        "forks": 1, "issues": 1, "merge_requests": 1, "notes": 1, "milestones": 1, "users": 3, "projects": 2,
        "groups": 1, "active_users": 1,
    }  # fmt: skip
    assert {name for name, count in after.items() if not count} == {"snippets", "ssh_keys"}
