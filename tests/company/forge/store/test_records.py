"""Records that are stored and read back, and what stands on them: settings, hooks, integrations, topics, job tokens."""

from __future__ import annotations

import pytest

from dayjob.company.forge.store import hooks, integrations, job_tokens, projects, push_rules, records, topics
from tests.company.forge.offices import Office, refused


def test_a_record_is_found_where_it_belongs_and_nowhere_else(office: Office) -> None:
    made = records.create(office.store, "badge", "project", 7, "b", {"name": "b"}, {"token": "t"})
    assert records.by_id(office.store, "badge", "project", 7, made.id) == made
    assert records.named(office.store, "badge", "project", 7, "b") == [made]
    assert records.listed(office.store, "badge", "project", 7) == records.of_kind(office.store, "badge") == [made]
    for place in (("flag", "project", 7), ("badge", "group", 7), ("badge", "project", 8)):
        assert records.by_id(office.store, *place, made.id) is None
        assert records.listed(office.store, *place) == []
    assert (made.values, made.secrets) == ({"name": "b"}, {"token": "t"})


def test_a_changed_record_keeps_its_secrets_and_name_unless_they_are_given(office: Office) -> None:
    made = records.create(office.store, "badge", "project", 7, "b", {"name": "b"}, {"token": "t"})
    office.company.clock.forward(hours=1)
    changed = records.change(office.store, made, {"name": "c"})
    assert (changed.values, changed.secrets, changed.name) == ({"name": "c"}, {"token": "t"}, "b")
    assert changed.updated_at == office.store.now() != changed.created_at
    records.change(office.store, made, {"name": "c"}, {}, "c")
    assert records.listed(office.store, "badge", "project", 7) == [made]
    assert (made.secrets, made.name) == ({}, "c")
    records.delete(office.store, made)
    assert records.of_kind(office.store, "badge") == []


@pytest.mark.parametrize(("environment", "taken"), [("*", True), ("production", True), ("staging", False)])
def test_a_name_is_taken_for_an_environment(office: Office, environment: str, taken: bool) -> None:
    records.create(office.store, "variable", "project", 7, "KEY", {"key": "KEY"})
    records.create(office.store, "variable", "project", 7, "KEY", {"key": "KEY", "environment_scope": "production"})
    assert records.is_taken(office.store, "variable", "project", 7, "KEY", environment) is taken
    assert not records.is_taken(office.store, "variable", "project", 8, "KEY", environment)


def test_a_setting_is_one_record(office: Office) -> None:
    assert records.setting(office.store, "pages", "project", 7) is None
    for values in ({"https": True}, {"https": False}):
        records.set_setting(office.store, "pages", "project", 7, values)
        assert records.setting(office.store, "pages", "project", 7) == values
    assert len(records.of_kind(office.store, "pages")) == 1
    records.delete_setting(office.store, "pages", "project", 7)
    assert records.setting(office.store, "pages", "project", 7) is None


def test_custom_attributes_are_set_anew_and_searched_together(office: Office) -> None:
    for scope_id, key, value in ((1, "team", "a"), (1, "team", "b"), (1, "floor", "2"), (2, "team", "b")):
        records.set_custom_attribute(office.store, "user", scope_id, key, value)
    assert len(records.of_kind(office.store, "custom_attribute")) == 3

    def with_all(**wanted: str) -> str:
        return records.with_custom_attributes(office.store, "user", "u.id", wanted)

    assert with_all() == ""
    assert with_all(team="a") == " AND u.id IN (NULL)"
    assert with_all(team="b", floor="2") == " AND u.id IN (1,2) AND u.id IN (1)"


def test_hooks_of_the_project_its_groups_and_the_instance_hear_of_it(office: Office) -> None:
    top = office.group("garden")
    below = office.group("shed", top)
    project, other = office.project("tools", below), office.project("elsewhere")
    own = {
        name: records.create(office.store, "hook", scope, scope_id, name, {"url": f"http://{name}"})
        for name, scope, scope_id in (
            ("project", "project", project.id), ("below", "group", below.id), ("top", "group", top.id),
            ("instance", "instance", 0), ("other", "project", other.id),
        )
    }  # fmt: skip
    assert {hook.name for hook in hooks.listening(office.store, project)} == {"project", "below", "top", "instance"}
    assert {hook.name for hook in hooks.listening(office.store, other)} == {"instance", "other"}
    for number in range(hooks.ATTEMPTS_KEPT + 2):
        hooks.note_attempt(office.store, own["project"], "push", str(number))
    attempts = hooks.attempts(office.store, own["project"].id)
    assert [attempt.values["response_status"] for attempt in attempts] == [
        str(number) for number in reversed(range(2, hooks.ATTEMPTS_KEPT + 2))
    ]
    assert attempts[0].values | {"response_status": ""} == {
        "url": "http://project", "trigger": "push_hooks", "response_status": "",
    }  # fmt: skip
    assert hooks.attempts(office.store, own["top"].id) == []


def test_an_integration_keeps_that_credentials_were_set_and_not_which(office: Office) -> None:
    project = office.project("shed")
    assert refused(integrations.find, office.store, project, "jira") == 404
    assert refused(integrations.activate, office.store, project, "No Slug", {}) == 404
    first = integrations.activate(office.store, project, "jira", {"url": "http://j", "api_token": "t", "Password": 1})
    assert first["properties"] == {"url": "http://j", "api_token": "[set]", "Password": 1}
    office.company.clock.forward(hours=1)
    second = integrations.activate(office.store, project, "jira", {"url": "http://k"})
    assert (second["id"], second["created_at"]) == (first["id"], first["created_at"])
    assert second["properties"] == {"url": "http://k", "api_token": "[set]", "Password": 1}
    assert [record.name for record in integrations.active(office.store, project)] == ["jira"]
    integrations.deactivate(office.store, project, "jira")
    assert integrations.active(office.store, project) == []
    assert integrations.find(office.store, project, "jira")["properties"] == {}


@pytest.mark.parametrize("kind", ["project", "group"])
def test_the_allowlist_of_job_tokens_takes_each_once(office: Office, kind: str) -> None:
    project, other, group = office.project("shed"), office.project("barn"), office.group("garden")
    target = other.id if kind == "project" else group.id
    job_tokens.allow(office.store, project, kind, target)
    allowed = [job_tokens.allowed_projects(office.store, project), job_tokens.allowed_groups(office.store, project)]
    assert allowed == ([[other], []] if kind == "project" else [[], [group]])
    assert refused(job_tokens.allow, office.store, project, kind, target) == 422
    job_tokens.disallow(office.store, project, kind, target)
    assert refused(job_tokens.disallow, office.store, project, kind, target) == 404
    assert not job_tokens.allowed_projects(office.store, project)
    assert not job_tokens.allowed_groups(office.store, project)


def test_the_use_of_job_tokens_is_limited_until_somebody_lifts_it(office: Office) -> None:
    project = office.project("shed")
    assert job_tokens.is_limited(office.store, project) is True
    job_tokens.limit(office.store, project, False)
    assert job_tokens.is_limited(office.store, project) is False


def test_merged_topics_leave_projects_with_the_target_once(office: Office) -> None:
    source, target = (records.create(office.store, "topic", "instance", 0, name, {"name": name}) for name in "ab")
    both, one = office.project("both", topics=["x", "a", "b"]), office.project("one", topics=["a"])
    assert (topics.projects_count(office.store, "A"), topics.projects_count(office.store, "b")) == (2, 1)
    for ids in ((source.id, source.id), (source.id, 99), (None, target.id)):
        assert refused(topics.merge, office.store, *ids) == 404
    assert topics.merge(office.store, source.id, target.id) == target
    assert [projects.get(office.store, project.id).topics for project in (both, one)] == ['["x","b"]', '["b"]']
    assert records.of_kind(office.store, "topic") == [target]


@pytest.mark.parametrize("kind", ["project", "group"])
def test_a_project_or_group_has_one_push_rule(office: Office, kind: str) -> None:
    source = office.project("shed") if kind == "project" else office.group("garden")
    assert (
        refused(push_rules.change, office.store, source, {}) == refused(push_rules.delete, office.store, source) == 404
    )
    made = push_rules.create(office.store, source, {"max_file_size": 5})
    switches = ("deny_delete_tag", "member_check", "prevent_secrets", "commit_committer_check",
                "commit_committer_name_check", "reject_unsigned_commits", "reject_non_dco_commits")  # fmt: skip
    patterns = ("commit_message", "commit_message_negative", "branch_name", "author_email", "file_name")
    assert made == {
        "id": source.id, f"{kind}_id": source.id, "created_at": office.store.now(), "max_file_size": 5,
        **dict.fromkeys(switches, False), **{f"{name}_regex": "" for name in patterns},
    }  # fmt: skip
    assert refused(push_rules.create, office.store, source, {}) == 422
    assert push_rules.change(office.store, source, {"member_check": True}) == {**made, "member_check": True}
    push_rules.delete(office.store, source)
    assert push_rules.find(office.store, source) is None
