"""Who may push, merge, tag and approve, by role and by what is protected: GitLab's rules as tables."""

from __future__ import annotations

import json

import pytest

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, protection
from tests.company import tables
from tests.company.forge.offices import LEVELS, Office, refused


def members(office: Office, project: Project) -> dict[str, User]:
    found = {"stranger": office.person("stranger"), "administrator": office.root}
    for name, level in LEVELS.items():
        found[name] = office.person(name)
        office.join(project, found[name], level)
    return found


def protect(
    office: Office, project: Project, name: str, push: int, merge: int, kind: str = "branch", **more: int
) -> None:
    office.store.insert(
        "protected_refs", project_id=project.id, kind=kind, name=name, push_level=push, merge_level=merge, **more
    )


BRANCHES = """
                   free  main:push main:merge main:delete shared:push shared:merge closed:push closed:merge
    stranger         -       -         -          -            -           -            -           -
    guest            -       -         -          -            -           -            -           -
    reporter         -       -         -          -            -           -            -           -
    developer        +       -         -          -            +           +            -           -
    maintainer       +       +         +          -            +           +            -           -
    owner            +       +         +          -            +           +            -           -
    administrator    +       +         +          -            +           +            -           -
"""
"""`main` is for maintainers, `shared/…` for developers, `closed` for no one (level 0); nobody deletes by pushing."""


def test_who_pushes_to_and_merges_into_a_branch(office: Office) -> None:
    project, store = office.project("garden", office.group("group")), office.store
    protect(office, project, "main", 40, 40)
    protect(office, project, "shared/*", 30, 30)
    protect(office, project, "closed", 0, 0)
    found = {}
    for name, user in members(office, project).items():

        def pushes(branch: str, user: User = user, *, deleting: bool = False) -> bool:
            return protection.may_push(store, user, project, "branch", branch, deleting=deleting) is None

        def merges(branch: str, user: User = user) -> bool:
            return protection.may_merge(store, user, project, branch)

        assert pushes("topic") is merges("topic") is pushes("topic", deleting=True) is pushes("mainly"), name
        found[name] = {
            "free": pushes("topic"),
            "main:push": pushes("main"),
            "main:merge": merges("main"),
            "main:delete": pushes("main", deleting=True),
            "shared:push": pushes("shared/a/b"),
            "shared:merge": merges("shared/a/b"),
            "closed:push": pushes("closed"),
            "closed:merge": merges("closed"),
        }
    del found["planner"]
    assert tables.written(found) == tables.written(dict(tables.read(BRANCHES)))


def test_who_cannot_delete_a_protected_branch_is_told_who_can(office: Office) -> None:
    project = office.project("garden")
    protect(office, project, "main", 30, 30)
    everyone = members(office, project)
    said = {
        name: protection.may_push(office.store, everyone[name], project, "branch", "main", deleting=True) or ""
        for name in ("reporter", "developer", "maintainer")
    }
    assert "push code to this project" in said["reporter"]
    assert "Only a project maintainer or owner" in said["developer"]
    assert "using the web interface" in said["maintainer"]


def test_the_first_push_to_an_empty_project_may_make_a_protected_branch(office: Office) -> None:
    project = office.project("garden")
    developer, reporter = office.person("dev"), office.person("rep")
    office.join(project, developer, 30)
    office.join(project, reporter, 20)
    protect(office, project, "main", 40, 40)
    assert protection.may_push(office.store, developer, project, "branch", "main", empty=True) is None
    assert protection.may_push(office.store, reporter, project, "branch", "main", empty=True) is not None


def test_the_widest_of_several_rules_counts_and_those_of_groups_above_do_too(office: Office) -> None:
    top = office.group("top")
    project = office.project("garden", office.group("mid", top))
    developer = office.person("dev")
    office.join(project, developer, 30)
    body = {"name": "release/*", "push_level": 40, "merge_level": 40, "allow_force_push": 0}
    office.store.insert(
        "records", kind="protected_branch", scope="group", scope_id=top.id, name="", body=json.dumps(body),
        created_at="", updated_at="",
    )  # fmt: skip

    def pushes(kind: str = "branch") -> bool:
        return protection.may_push(office.store, developer, project, kind, "release/1") is None

    assert not pushes()
    assert not protection.may_merge(office.store, developer, project, "release/1")
    assert pushes("tag")
    protect(office, project, "release/1", 40, 30)
    assert not pushes()
    assert protection.may_merge(office.store, developer, project, "release/1")
    protect(office, project, "release/?", 30, 40)
    assert not pushes(), "a question mark is a letter, not a wildcard"
    protect(office, project, "*/1", 30, 40)
    assert pushes()


def test_who_may_push_may_merge(office: Office) -> None:
    project, developer = office.project("garden"), office.person("dev")
    office.join(project, developer, 30)
    protect(office, project, "main", 30, 40)
    assert protection.may_merge(office.store, developer, project, "main")


@pytest.mark.parametrize(
    ("rules", "protected"),
    [([], False), ([0], True), ([1], False), ([0, 1], False)],
    ids=["none", "strict", "forced", "both"],
)
def test_a_branch_moves_only_forward_unless_a_rule_lets_it_be_forced(
    office: Office, rules: list[int], protected: bool
) -> None:
    project = office.project("garden")
    for number, forced in enumerate(rules):
        protect(office, project, "ma" + "*" * (number + 1), 40, 40, allow_force_push=forced)
    assert protection.protects_history(office.store, project, "main") is protected
    assert not protection.protects_history(office.store, project, "topic")


TAGS = """
                   create change delete v:create v:change v:delete
    reporter          -      -      -       -        -        -
    developer         +      -      -       -        -        -
    maintainer        +      +      +       +        -        -
    owner             +      +      +       +        -        -
"""
"""Tags that are protected (`v*`, for maintainers) are made, and then stay as they are."""


def test_who_tags(office: Office) -> None:
    project = office.project("garden")
    protect(office, project, "v*", 40, 40, "tag")
    found = {}
    for name, user in members(office, project).items():
        found[name] = {
            f"{prefix}{what}": protection.may_push(
                office.store, user, project, "tag", tag, exists=what != "create", deleting=what == "delete"
            )
            is None
            for prefix, tag in (("", "nightly"), ("v:", "v1"))
            for what in ("create", "change", "delete")
        }
    expected = dict(tables.read(TAGS))
    assert tables.written({name: found[name] for name in expected}) == tables.written(expected)
    assert not any(found["stranger"].values())


APPROVE = """
                             open own-allowed own-forbidden approved closed merged
    reporter                   -       -            -          -       -      -
    developer                  +       +            -          -       -      -
    maintainer                 +       +            -          -       -      -
    administrator              +       +            -          -       -      -
"""


def test_who_approves_what(office: Office) -> None:
    project = office.project("garden")
    strict = office.project("strict", merge_requests_author_approval=False)
    everyone = members(office, project)
    for name, level in LEVELS.items():
        office.join(strict, everyone[name], level)
    found = {}
    for name in dict(tables.read(APPROVE)):
        user = everyone[name]
        author = everyone["owner"]
        given = office.request(project, author)
        approvals.approve(office.store, user, project, given)
        asked = {
            "open": (project, office.request(project, author)),
            "own-allowed": (project, office.request(project, user)),
            "own-forbidden": (strict, office.request(strict, user)),
            "approved": (project, given),
            "closed": (project, office.request(project, author, state="closed")),
            "merged": (project, office.request(project, author, state="merged")),
        }
        found[name] = {
            what: approvals.may_approve(office.store, user, place, request) for what, (place, request) in asked.items()
        }
        assert approvals.may_approve(office.store, user, strict, office.request(strict, author)) is (name != "reporter")
    assert tables.written(found) == tables.written(dict(tables.read(APPROVE)))


def test_an_approval_is_given_once_taken_back_once_and_told_of(office: Office) -> None:
    project, ann, bob = office.project("garden"), office.person("ann"), office.person("bob")
    for user in (ann, bob):
        office.join(project, user, 30)
    request, other = office.request(project), office.request(project)
    for user, one in ((ann, request), (bob, request), (ann, other)):
        approvals.approve(office.store, user, project, one)
    assert approvals.unapprove(office.store, ann, project, request) is True
    assert approvals.unapprove(office.store, ann, project, request) is False
    assert approvals.may_approve(office.store, ann, project, request)
    left = office.store.db.execute("SELECT merge_request_id, user_id FROM approvals ORDER BY 1").fetchall()
    assert left == [(request.id, bob.id), (other.id, ann.id)]
    assert set(office.store.values("SELECT created_at FROM approvals")) == {office.store.now()}
    told = office.store.values("SELECT body FROM notes WHERE noteable_id=? AND system=1 ORDER BY id", request.id)
    assert told == ["approved this merge request"] * 2 + ["unapproved this merge request"]


def test_the_default_branch_stays_and_only_maintainers_remove_protected_ones(office: Office) -> None:
    project = office.project("tools", office.group("garden"), default_branch="main")
    who = members(office, project)
    protection.create(office.store, project, "branch", "kept/*")
    assert refused(protection.check_removal, office.store, who["owner"], project, "main") == 400
    assert refused(protection.check_removal, office.store, who["developer"], project, "kept/a") == 405
    for name, branch in (("maintainer", "kept/a"), ("developer", "free")):
        protection.check_removal(office.store, who[name], project, branch)


def test_a_rule_is_made_once_and_changed_where_it_is_said(office: Office) -> None:
    project, group = office.project("tools"), office.group("garden")
    rule = protection.create(office.store, project, "branch", "main", push_level=30)
    assert (rule.push_level, rule.merge_level, rule.allow_force_push) == (30, 40, 0)
    assert refused(protection.create, office.store, project, "branch", "main") == 409
    assert protection.protect(office.store, project, "branch", "main", merge_level=30).push_level == 30
    protection.unprotect(office.store, project, "branch", "main")
    protection.unprotect(office.store, project, "branch", "main")
    assert refused(protection.get, office.store, project, "branch", "main") == 404
    levels = {"push_level": 40, "merge_level": 30, "allow_force_push": 0}
    protection.create_in_group(office.store, group, "main", **levels)
    assert refused(protection.create_in_group, office.store, group, "main", **levels) == 409
    changed = protection.change_in_group(office.store, group, "main", **{**levels, "push_level": 0})
    assert (changed.push_level, changed.merge_level) == (0, 30)
    assert [rule.name for rule in protection.rules(office.store, office.project("x", group), "branch", "main")] == [
        "main"
    ]
    protection.unprotect_in_group(office.store, group, "main")
    assert refused(protection.unprotect_in_group, office.store, group, "main") == 404
