"""Approval rules: who may approve, whose approval counts for which rule, and when nothing is missing any more."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.git.writing import Author, commit_actions
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, merge_requests, projects, users
from dayjob.company.forge.store.approvals import Rule
from tests.company import tables
from tests.company.forge.offices import Office, refused


def team(office: Office, project: Project, **levels: int) -> dict[str, User]:
    found = {}
    for name, level in levels.items():
        found[name] = users.find(office.store, name) or office.person(name)
        office.join(project, found[name], level)
    return found


def ask(office: Office, place: Project | MergeRequest, required: int, *people: User, **more: Any) -> Rule:
    scope = "project" if isinstance(place, Project) else "merge_request"
    rule = Rule(None, more.pop("name", "Review"), required, tuple(one.id for one in people), **more)
    return approvals.add_rule(office.store, scope, place.id, rule)


def left(office: Office, project: Project, request: MergeRequest) -> int:
    return approvals.state_of(office.store, project, request).left


def give(office: Office, project: Project, request: MergeRequest, *people: User) -> None:
    for one in people:
        approvals.approve(office.store, one, project, request)


MAY = """
                 no-rule any-one number named-dev named-reporter named-group named-and-any named-given
    guest           -       -      -        -           -            -            -            -
    reporter        -       -      -        -           +            -            -            -
    developer       +       +      +        +           -            -            +            +
    other           +       +      +        -           -            -            +            +
    maintainer      +       +      +        -           -            -            +            +
    member          +       +      +        -           -            +            +            +
    stranger        -       -      -        -           -            -            -            -
    administrator   +       +      +        -           -            -            +            +
"""
"""`other` is a developer too, and `member` one who is in a group. A rule that names people waits for them alone, unless
another asks for anybody, or it has been given what it asks for."""


def test_who_may_approve_under_which_rule(office: Office) -> None:
    group = office.group("reviewers")
    found: dict[str, dict[str, bool]] = {}
    for what in next(tables.read(MAY))[1]:
        project = office.project(what, approvals_before_merge=int(what == "number"))
        people = team(office, project, guest=10, reporter=20, developer=30, other=30, maintainer=40, member=30)
        people |= {"stranger": users.find(office.store, "stranger") or office.person("stranger")}
        people |= {"administrator": office.root}
        request = office.request(project, team(office, project, author=30)["author"])
        if what == "any-one":
            ask(office, project, 1, rule_type=approvals.ANY_APPROVER)
        elif what == "named-reporter":
            ask(office, project, 1, people["reporter"], people["guest"])
        elif what == "named-group":
            if not office.store.value("SELECT 1 FROM members WHERE source_id=? AND source_type='Namespace'", group.id):
                office.join(group, people["member"], 10)
            ask(office, project, 1, group_ids=(group.id,))
        elif what.startswith("named"):
            ask(office, project, 1, people["developer"])
        if what == "named-and-any":
            ask(office, project, 1, name="Any", rule_type=approvals.ANY_APPROVER)
        if what == "named-given":
            second = team(office, project, second=30)["second"]
            approvals.change_rule(
                office.store, "project", project.id,
                Rule(approvals.rules_of(office.store, "project", project.id)[0].id, "Review", 1,
                     (people["developer"].id, second.id)),
            )  # fmt: skip
            give(office, project, request, second)
        for name, user in people.items():
            may = approvals.may_approve(office.store, user, project, request)
            found.setdefault(name, {})[what] = may
    assert tables.written(found) == tables.written(dict(tables.read(MAY)))


def test_only_those_a_rule_names_count_for_it(office: Office) -> None:
    project = office.project("garden")
    people = team(office, project, ann=30, bob=30, cleo=20, dan=10)
    rule = ask(office, project, 2, people["ann"], people["cleo"], people["dan"])
    assert approvals.named_approvers(office.store, project, rule) == [people["ann"].id, people["cleo"].id]
    request, other = office.request(project), office.request(project)
    give(office, project, request, people["bob"], people["dan"])
    assert left(office, project, request) == 2
    give(office, project, request, people["ann"])
    assert left(office, project, request) == 1
    give(office, project, request, people["cleo"])
    assert left(office, project, request) == 0
    assert left(office, project, other) == 2
    state = approvals.state_of(office.store, project, request)
    assert (state.required, state.rules[0].approved_by) == (2, (people["ann"].id, people["cleo"].id))
    assert [user_id for user_id, _ in state.given] == [people[name].id for name in ("bob", "dan", "ann", "cleo")]


def test_every_rule_has_to_be_given_what_it_asks_for(office: Office) -> None:
    project = office.project("garden", approvals_before_merge=2)
    people = team(office, project, ann=30, bob=30, cleo=30)
    ask(office, project, 1, people["ann"], name="Security")
    ask(office, project, 1, people["bob"], name="Design")
    request = office.request(project)
    assert left(office, project, request) == 4
    give(office, project, request, people["ann"], people["cleo"])
    assert left(office, project, request) == 1, "an approval for a named rule is one by anybody as well"
    give(office, project, request, people["bob"])
    assert left(office, project, request) == 0
    assert approvals.state_of(office.store, project, request).required == 4


@pytest.mark.parametrize(("required", "given", "missing"), [(1, 0, 1), (1, 1, 0), (1, 2, 0), (2, 1, 1), (0, 0, 0)])
def test_a_number_is_reached_or_not(office: Office, required: int, given: int, missing: int) -> None:
    project = office.project("garden", approvals_before_merge=required)
    people = list(team(office, project, ann=30, bob=30).values())
    request = office.request(project)
    give(office, project, request, *people[:given])
    assert left(office, project, request) == missing


def test_a_rule_that_too_few_could_fulfil_keeps_nobody_from_merging(office: Office) -> None:
    project = office.project("garden")
    ann = team(office, project, ann=30)["ann"]
    ask(office, project, 2, ann, name="Two")
    ask(office, project, 1, name="Nobody")
    request = office.request(project)
    state = approvals.state_of(office.store, project, request)
    assert ([one.left for one in state.rules], [one.invalid for one in state.rules]) == ([1, 0], [True, True])
    give(office, project, request, ann)
    assert left(office, project, request) == 0


def test_somebody_who_has_left_or_is_blocked_counts_no_longer(office: Office) -> None:
    project = office.project("garden")
    people = team(office, project, ann=30, bob=30, cleo=30)
    ask(office, project, 2, *people.values())
    request = office.request(project)
    give(office, project, request, people["ann"], people["bob"])
    assert left(office, project, request) == 0
    office.store.update("users", people["ann"].id, state="blocked")
    assert left(office, project, request) == 1
    office.store.db.execute("DELETE FROM members WHERE user_id=? AND source_id=?", (people["bob"].id, project.id))
    assert [one.approvers for one in approvals.state_of(office.store, project, request).rules] == [(people["cleo"].id,)]


def test_a_merge_requests_own_rule_takes_the_place_of_the_projects_or_stands_beside_it(office: Office) -> None:
    project = office.project("garden")
    people = team(office, project, ann=30, bob=30, cleo=30)
    kept = ask(office, project, 1, people["ann"], name="Kept")
    replaced = ask(office, project, 2, people["ann"], people["bob"], name="Replaced")
    request, other = office.request(project), office.request(project)
    ask(office, request, 1, people["cleo"], name="Own")
    ask(office, request, 1, people["bob"], name="Replaced here", project_rule_id=replaced.id)
    names = [rule.name for rule in approvals.rules_for(office.store, project, request)]
    assert names == ["Kept", "Own", "Replaced here"]
    assert [rule.id for rule in approvals.rules_for(office.store, project, other)] == [kept.id, replaced.id]
    assert (left(office, project, request), left(office, project, other)) == (3, 3)


def test_the_projects_own_number_gives_way_to_a_rule_for_anybody(office: Office) -> None:
    project = office.project("garden", approvals_before_merge=3)
    ask(office, project, 1, rule_type=approvals.ANY_APPROVER)
    assert [
        rule.approvals_required for rule in approvals.rules_for(office.store, project, office.request(project))
    ] == [1]


def test_an_author_approves_where_the_project_allows_it(office: Office) -> None:
    for allowed in (True, False):
        project = office.project(f"garden-{allowed}", merge_requests_author_approval=allowed, approvals_before_merge=1)
        people = team(office, project, ann=30, bob=30)
        request = office.request(project, people["ann"])
        ask(office, project, 1, *people.values())
        may = [approvals.may_approve(office.store, one, project, request) for one in people.values()]
        assert may == [allowed, True]
        give(office, project, request, people["ann"])
        assert left(office, project, request) == (0 if allowed else 2)


@pytest.mark.parametrize("forbidden", [True, False])
def test_who_has_a_commit_in_it_approves_where_the_project_allows_it(office: Office, forbidden: bool) -> None:
    project = office.project("garden", merge_requests_disable_committers_approval=forbidden)
    people = team(office, project, ann=30, bob=30, cleo=30, dan=30)
    office.store.insert("emails", user_id=people["bob"].id, email="Bob@home.test", confirmed_at=office.store.now())
    repo = office.store.repos.open(project.id)

    def written(branch: str, path: str, email: str, start: str | None) -> str:
        who = Author("Somebody", email, 1_700_000_000)
        action = {"action": "create", "file_path": path, "content": path}
        before = ref_sha(repo, f"refs/heads/{branch}")
        return commit_actions(repo, branch, start, [action], path, who, who, before)

    base = written("main", "README.md", "dan@bare.test", None)
    head = written("topic", "b", "bob@home.test", written("topic", "a", "ANN@bare.test", base))
    request = office.request(project)
    merge_requests.set_version(office.store, request, head, base, base)
    request = merge_requests.get(office.store, request.id)
    may = {name: approvals.may_approve(office.store, one, project, request) for name, one in people.items()}
    assert may == {"ann": not forbidden, "bob": not forbidden, "cleo": True, "dan": True}


def test_a_push_takes_approvals_away_where_the_project_says_so(office: Office) -> None:
    for resets in (True, False):
        project = office.project(f"garden-{resets}", reset_approvals_on_push=resets)
        ann = team(office, project, ann=30)["ann"]
        request, other = office.request(project), office.request(project)
        give(office, project, request, ann)
        give(office, project, other, ann)
        approvals.pushed(office.store, project, request)
        kept = [len(approvals.state_of(office.store, project, one).given) for one in (request, other)]
        assert kept == [0 if resets else 1, 1]


@pytest.mark.parametrize(("required", "status"), [(-1, 400), (0, 0), (100, 0), (101, 400)])
def test_a_rule_asks_for_none_to_a_hundred(office: Office, required: int, status: int) -> None:
    project = office.project("garden")
    if status:
        assert refused(ask, office, project, required) == status
    else:
        assert ask(office, project, required).approvals_required == required


def test_a_rule_has_a_name_of_its_own_and_one_kind(office: Office) -> None:
    project, other = office.project("garden"), office.project("other")
    rule = ask(office, project, 1, name="Review")
    assert refused(ask, office, project, 1, name="Review") == 400
    assert refused(ask, office, project, 1, name="x", rule_type="code_owner") == 400
    assert ask(office, other, 1, name="Review").id != rule.id
    ask(office, project, 1, name="Any", rule_type=approvals.ANY_APPROVER)
    assert refused(ask, office, project, 1, name="Any too", rule_type=approvals.ANY_APPROVER) == 400
    again = approvals.change_rule(office.store, "project", project.id, rule)
    assert approvals.find_rule(office.store, "project", project.id, rule.id or 0) == again == rule
    assert refused(approvals.find_rule, office.store, "project", other.id, rule.id) == 404
    approvals.remove_rule(office.store, rule)
    assert refused(approvals.find_rule, office.store, "project", project.id, rule.id) == 404


def test_rules_of_one_merge_request_are_refused_where_the_project_forbids_them(office: Office) -> None:
    approvals.check_overriding(office.project("garden"))
    strict = office.project("strict", disable_overriding_approvers_per_merge_request=True)
    assert refused(approvals.check_overriding, strict) == 403


def test_changed_settings_are_kept_beside_the_others(office: Office) -> None:
    project = office.project("garden", mirror=True)
    text = projects.settings_with(project, {"reset_approvals_on_push": True})
    assert text == '{"mirror":true,"reset_approvals_on_push":true}'
