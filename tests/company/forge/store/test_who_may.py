"""GitLab's rules of who may see and do what in a project, as tables; each asked of the rule and of the list."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge import api
from dayjob.company.forge.api.routes import router
from dayjob.company.forge.errors import Refused
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import (
    access,
    approvals,
    events,
    namespaces,
    notes,
    projects,
    protection,
    users,
    visibility,
)
from tests.company import tables
from tests.company.bare import day
from tests.company.forge.offices import INTERNAL, LEVELS, PRIVATE, PUBLIC, Office

IN_A_PROJECT = {
    PRIVATE: """
                          see issue confidential note code request push push-main merge-main approve
        nobody             -    -        -         -    -     -     -       -         -         -
        stranger           -    -        -         -    -     -     -       -         -         -
        external           -    -        -         -    -     -     -       -         -         -
        guest              +    +        -         -    -     -     -       -         -         -
        planner            +    +        +         +    -     -     -       -         -         -
        reporter           +    +        +         +    +     +     -       -         -         -
        developer          +    +        +         +    +     +     +       -         -         +
        maintainer         +    +        +         +    +     +     +       +         +         +
        owner              +    +        +         +    +     +     +       +         +         +
        external guest     +    +        -         -    -     -     -       -         -         -
        external reporter  +    +        +         +    +     +     -       -         -         -
        former maintainer  -    -        -         -    -     -     -       -         -         -
        blocked maintainer -    -        -         -    -     -     -       -         -         -
        deactivated owner  -    -        -         -    -     -     -       -         -         -
        administrator      +    +        +         +    +     +     +       +         +         +
    """,
    INTERNAL: """
                          see issue confidential note code request push push-main merge-main approve
        nobody             -    -        -         -    -     -     -       -         -         -
        stranger           +    +        -         -    +     +     -       -         -         -
        external           -    -        -         -    -     -     -       -         -         -
        guest              +    +        -         -    +     +     -       -         -         -
        planner            +    +        +         +    +     +     -       -         -         -
        reporter           +    +        +         +    +     +     -       -         -         -
        developer          +    +        +         +    +     +     +       -         -         +
        maintainer         +    +        +         +    +     +     +       +         +         +
        owner              +    +        +         +    +     +     +       +         +         +
        external guest     +    +        -         -    -     -     -       -         -         -
        external reporter  +    +        +         +    +     +     -       -         -         -
        former maintainer  +    +        -         -    +     +     -       -         -         -
        blocked maintainer -    -        -         -    -     -     -       -         -         -
        deactivated owner  -    -        -         -    -     -     -       -         -         -
        administrator      +    +        +         +    +     +     +       +         +         +
    """,
    PUBLIC: """
                          see issue confidential note code request push push-main merge-main approve
        nobody             +    +        -         -    +     +     -       -         -         -
        stranger           +    +        -         -    +     +     -       -         -         -
        external           +    +        -         -    +     +     -       -         -         -
        guest              +    +        -         -    +     +     -       -         -         -
        planner            +    +        +         +    +     +     -       -         -         -
        reporter           +    +        +         +    +     +     -       -         -         -
        developer          +    +        +         +    +     +     +       -         -         +
        maintainer         +    +        +         +    +     +     +       +         +         +
        owner              +    +        +         +    +     +     +       +         +         +
        external guest     +    +        -         -    +     +     -       -         -         -
        external reporter  +    +        +         +    +     +     -       -         -         -
        former maintainer  +    +        -         -    +     +     -       -         -         -
        blocked maintainer +    +        -         -    +     +     -       -         -         -
        deactivated owner  +    +        -         -    +     +     -       -         -         -
        administrator      +    +        +         +    +     +     +       +         +         +
    """,
}  # fmt: skip


def people(office: Office, project: Project) -> dict[str, User | None]:
    """One of each of the tables' lines; whose account is not active comes in as nobody."""
    found: dict[str, User | None] = {
        "nobody": None,
        "stranger": office.person("stranger"),
        "external": office.person("external", external=True),
        "administrator": office.root,
    }
    for name, level in LEVELS.items():
        found[name] = member = office.person(name)
        office.join(project, member, level)
    for name, level in (("guest", 10), ("reporter", 20)):
        found[f"external {name}"] = member = office.person(f"external-{name}", external=True)
        office.join(project, member, level)
    found["former maintainer"] = member = office.person("former")
    office.join(project, member, 40, until=day(0))
    for name, level in (("blocked maintainer", 40), ("deactivated owner", 50)):
        member = office.person(name.replace(" ", "-"))
        office.join(project, member, level)
        session = users.open_session(office.store, member)
        office.store.update("users", member.id, state=name.split()[0])
        found[name] = users.by_session(office.store, session)
    return found


@pytest.mark.parametrize("level", IN_A_PROJECT, ids=["private", "internal", "public"])
def test_what_a_person_may_do_in_a_project(office: Office, level: int) -> None:
    store = office.store
    project = office.project("garden", visibility=level)
    issue, secret = office.issue(project), office.issue(project, confidential=1)
    note = notes.create(store, office.root, "Issue", issue.id, project.id, "between us", internal=True)
    plain = notes.create(store, office.root, "Snippet", 0, project.id, "to everybody")
    request = office.request(project)
    store.insert("protected_refs", project_id=project.id, kind="branch", name="main")
    found = {}
    for name, user in people(office, project).items():
        sees = access.can_see_project(store, user, project)
        reads = sees and access.may_read_code(store, user, project)
        found[name] = {
            "see": sees,
            "issue": sees and visibility.may_see_issue(store, user, project, issue),
            "confidential": sees and visibility.may_see_issue(store, user, project, secret),
            "note": sees and visibility.may_see_note(store, user, project, note),
            "code": reads,
            "request": reads and access.may_use(store, user, project, "merge_requests"),
            "push": user is not None and protection.may_push(store, user, project, "branch", "topic") is None,
            "push-main": user is not None and protection.may_push(store, user, project, "branch", "main") is None,
            "merge-main": user is not None and protection.may_merge(store, user, project, "main"),
            "approve": user is not None and approvals.may_approve(store, user, project, request),
        }
        listed = {
            "see": office.listed("projects", access.visible_projects(user, "t.id")),
            "issue": office.listed("issues", visibility.issues(user)) - {secret.id},
            "confidential": office.listed("issues", visibility.issues(user)) - {issue.id},
            "note": office.listed("notes", visibility.notes(user, "t") + " AND t.system=0"),
            "code": office.listed("projects", visibility.code(user, "t.id")),
            "request": office.listed("merge_requests", visibility.requests(user)),
        }
        assert visibility.may_see_note(store, user, project, plain)
        assert {what: bool(ids) for what, ids in listed.items()} == {what: found[name][what] for what in listed}, name
    assert tables.written(found) == tables.written(dict(tables.read(IN_A_PROJECT[level])))


OPEN_IN_ARCHIVED = {
    "access_tokens", "archive", "badges", "ci", "custom_attributes", "deploy_keys", "deploy_tokens", "export",
    "external_status_checks", "fork", "hooks", "housekeeping", "integrations", "job_token_scope", "members",
    "notification_settings", "protected_branches", "protected_tags", "push_rule", "remote_mirrors", "runners",
    "services", "share", "star", "transfer", "unarchive", "unstar", "variables",
}  # fmt: skip


def test_in_an_archived_project_everything_but_settings_and_members_is_only_read(office: Office) -> None:
    api.load()
    words = [one.split("/") for verb in ("POST", "PUT", "PATCH", "DELETE") for one in router.patterns(verb)]
    written = {part[5] for part in words if part[3:5] == ["projects", "{id}"] and len(part) > 5}
    project = office.project("garden")
    assert {part for part in written if access.takes_work(project, part)} == written
    office.store.update("projects", project.id, archived=1)
    kept = projects.find(office.store, project.id)
    assert kept is not None
    assert {part for part in written if access.takes_work(kept, part)} == OPEN_IN_ARCHIVED


def test_a_confidential_issue_is_there_for_its_author_and_assignees_and_counts_for_them_alone(office: Office) -> None:
    project = office.project("garden", visibility=PUBLIC)
    author, assignee, reviewer, other = (office.person(name) for name in ("ann", "bob", "rae", "kim"))
    issue = office.issue(project, author, confidential=1, assignees=[assignee.id])
    # Somebody's part in another thing of the same number is no part in this one.
    office.store.db.execute("INSERT INTO people VALUES ('MergeRequest',?,'assignee',?,0)", (issue.id, other.id))
    office.store.db.execute("INSERT INTO people VALUES ('Issue',?,'reviewer',?,0)", (issue.id, reviewer.id))
    office.issue(project)
    project = office.store.one(Project, "id=?", project.id) or project
    for user, seen in ((author, True), (assignee, True), (office.root, True), (other, False), (reviewer, False),
                       (None, False)):  # fmt: skip
        assert visibility.may_see_issue(office.store, user, project, issue) is seen
        assert (issue.id in office.listed("issues", visibility.issues(user))) is seen
        assert visibility.open_issues(office.store, user, project) == (2 if seen else 1)


MEMBERS_ONLY = """
                          issues merge_requests wiki snippets repository
        nobody              -          -          -      -         -
        stranger            -          -          -      -         -
        guest               +          -          +      +         +
        planner             +          -          +      +         +
        reporter            +          +          +      +         +
        former maintainer   -          -          -      -         -
        blocked maintainer  -          -          -      -         -
        deactivated owner   -          -          -      -         -
        administrator       +          +          +      +         +
"""


@pytest.mark.parametrize("setting", ["enabled", "private", "disabled"])
def test_a_part_of_a_project_is_for_everybody_for_members_or_switched_off(office: Office, setting: str) -> None:
    parts = ("issues", "merge_requests", "wiki", "snippets", "repository")
    levels: dict[str, Any] = {f"{part}_access_level": setting for part in parts}
    project = office.project("garden", visibility=PUBLIC, **levels)
    office.project("beside", visibility=PUBLIC, issues_access_level="disabled")
    everyone = people(office, project)
    for name, answers in tables.read(MEMBERS_ONLY):
        user = everyone[name]
        for part, may in answers.items():
            expected = {"enabled": True, "private": may, "disabled": False}[setting]
            assert access.may_use(office.store, user, project, part) is expected, (name, part)
            listed = office.listed("projects", access.open_to(user, part, "t.id"))
            assert (project.id in listed) is expected, (name, part)


GROUPS = """
                        private internal public
        nobody             -        -       +
        stranger           -        +       +
        external           -        -       +
        guest              +        +       +
        external guest     +        +       +
        below              +        +       +
        in a project       +        +       +
        by a share         +        +       +
        above              +        +       +
        former owner       -        +       +
        former below       -        +       +
        administrator      +        +       +
"""


@pytest.mark.parametrize("name", ["private", "internal", "public"])
def test_who_sees_a_group(office: Office, name: str) -> None:
    level = {"private": PRIVATE, "internal": INTERNAL, "public": PUBLIC}[name]
    top = office.group("top", visibility=level)
    group = office.group("group", top, level)
    below = office.group("below", group)
    project = office.project("deep", below)
    other = office.group("other")
    everyone: dict[str, User | None] = {"nobody": None, "administrator": office.root}
    for who, place, until in (
        ("stranger", None, None), ("external", None, None), ("guest", group, None), ("external guest", group, None),
        ("below", below, None), ("in a project", project, None), ("by a share", other, None), ("above", top, None),
        ("former owner", group, day(0)), ("former below", below, day(-1)),
    ):  # fmt: skip
        everyone[who] = user = office.person(who.replace(" ", "-"), external="external" in who)
        if place is not None:
            office.join(place, user, 10, until)
    office.share(below, other, 10)
    for who, answers in tables.read(GROUPS):
        assert access.can_see_group(office.store, everyone[who], group) is answers[name], who
        listed = office.listed("namespaces", access.visible_groups(everyone[who], "t.id"))
        assert (group.id in listed) is answers[name], who


WAYS_IN = [
    # what somebody is in where, what is shared with what, and what they are in top/mid/garden for it
    ("nothing", {}, [], 0),
    ("the project", {"garden": 30}, [], 30),
    ("its group", {"mid": 20}, [], 20),
    ("the group above", {"top": 40}, [], 40),
    ("the highest of several", {"garden": 10, "mid": 30, "top": 20}, [], 30),
    ("a group below", {"low": 50}, [], 0),
    ("a group beside", {"team": 50}, [], 0),
    ("a share caps", {"team": 50}, [("garden", "team", 20)], 20),
    ("a share gives no more than one has", {"team": 10}, [("garden", "team", 40)], 10),
    ("a share of the group", {"team": 30}, [("mid", "team", 40)], 30),
    ("a share of the group above", {"team": 30}, [("top", "team", 20)], 20),
    ("a share with the parent of one's group", {"squad": 50}, [("garden", "team", 50)], 0),
    ("a project shared with a group one has from above", {"team": 30}, [("garden", "squad", 50)], 30),
    ("a group shared with a group one has from above", {"team": 30}, [("mid", "squad", 50)], 0),
    ("a project shared with a group that is shared with one's own", {"crew": 30},
     [("garden", "team", 40), ("team", "crew", 20)], 20),
    ("a group shared with a group that is shared with one's own", {"crew": 30},
     [("mid", "team", 40), ("team", "crew", 20)], 0),
    ("a share of something else", {"team": 30}, [("low", "team", 50)], 0),
]  # fmt: skip


@pytest.mark.parametrize(("places", "shares", "level"), [way[1:] for way in WAYS_IN], ids=[way[0] for way in WAYS_IN])
def test_ways_to_a_level_in_a_project(
    office: Office, places: dict[str, int], shares: list[tuple[str, str, int]], level: int
) -> None:
    top, team, crew = office.group("top"), office.group("team"), office.group("crew")
    mid, squad = office.group("mid", top), office.group("squad", team)
    where = {"top": top, "team": team, "crew": crew, "mid": mid, "squad": squad, "low": office.group("low", mid)}
    garden = office.project("garden", mid)
    user, other = office.person("ann"), office.person("kim")
    office.join(office.project("elsewhere"), user, 50)
    for name, given in places.items():
        office.join(garden if name == "garden" else where[name], user, given)
    for name, group, cap in shares:
        office.share(garden if name == "garden" else where[name], where[group], cap)
    assert access.project_level(office.store, user, garden) == level
    assert access.project_level(office.store, other, garden) == 0
    assert access.project_level(office.store, None, garden) == 0
    for wanted in (10, 15, 20, 30, 40, 50):
        listed = office.listed("projects", f"t.id IN ({access.member_projects(user, wanted)})")
        assert (garden.id in listed) is (level >= wanted)


def test_people_own_what_is_in_their_own_namespace(office: Office) -> None:
    garden = office.project("garden")
    office.store.db.execute("DELETE FROM members")
    office.store.update("users", office.root.id, admin=0)
    owner, other = office.store.one(User, "username='root'"), office.person("kim")
    assert owner is not None
    assert access.project_level(office.store, owner, garden) == 50
    assert access.project_level(office.store, other, garden) == 0
    assert garden.id in office.listed("projects", f"t.id IN ({access.member_projects(owner, 50)})")
    assert garden.id not in office.listed("projects", f"t.id IN ({access.member_projects(other)})")


def test_what_a_person_is_in_a_group(office: Office) -> None:
    top, beside = office.group("top"), office.group("beside")
    low = office.group("low", top)
    ann, kim = office.person("ann"), office.person("kim")
    office.join(top, ann, 30)
    office.join(beside, kim, 50)
    own = namespaces.find(office.store, "ann")
    assert own is not None
    levels = {
        (name, group.path): access.group_level(office.store, user, group)
        for name, user in (("nobody", None), ("root", office.root), ("ann", ann), ("kim", kim))
        for group in (top, low, own)
    }
    assert levels == {
        ("nobody", "top"): 0, ("nobody", "low"): 0, ("nobody", "ann"): 0, ("root", "top"): 60, ("root", "low"): 60,
        ("root", "ann"): 60, ("ann", "top"): 30, ("ann", "low"): 30, ("ann", "ann"): 50, ("kim", "top"): 0,
        ("kim", "low"): 0, ("kim", "ann"): 0,
    }  # fmt: skip


@pytest.mark.parametrize("way", ["member", "group member", "share", "member of what it is shared with", "group share"])
def test_a_membership_lasts_until_its_day_and_not_a_day_longer(office: Office, way: str) -> None:
    group, team, user = office.group("group"), office.group("team"), office.person("ann")
    garden = office.project("garden", group)
    last = day(2)
    if way == "member":
        office.join(garden, user, 30, last)
    elif way == "group member":
        office.join(group, user, 30, last)
    else:
        office.join(team, user, 30, last if way.startswith("member of") else None)
        office.share(group if way == "group share" else garden, team, 30, None if way.startswith("member of") else last)
    office.issue(garden)
    office.request(garden)
    for passed in range(4):
        there = passed < 2
        assert access.project_level(office.store, user, garden) == (30 if there else 0)
        assert access.can_see_group(office.store, user, group) is there
        for table, condition in (
            ("projects", access.visible_projects(user, "t.id")),
            ("issues", visibility.issues(user)),
            ("merge_requests", visibility.requests(user)),
            ("events", visibility.events(user, "t")),
        ):
            assert bool(office.listed(table, condition)) is there, (table, passed)
        office.company.clock.forward(days=1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [(None, None), ("", None), (day(1), day(1)), ("2026-3-10", "2026-03-10"), (day(0), False), (day(-1), False),
     ("soon", False)],
)  # fmt: skip
def test_the_last_day_of_a_membership_lies_ahead(office: Office, text: str | None, kept: str | bool | None) -> None:
    if kept is False:
        with pytest.raises(Refused) as refused:
            access.last_day(office.store, text)
        assert refused.value.status == 400
    else:
        assert access.last_day(office.store, text) == kept


def test_what_has_ended_can_be_given_anew_and_nothing_else_is_forgotten(office: Office) -> None:
    garden, other, team = office.project("garden"), office.project("other"), office.group("team")
    ann, kim = office.person("ann"), office.person("kim")
    for project in (garden, other):
        office.join(project, ann, 30, day(0))
        office.share(project, team, 30, day(0))
    office.join(garden, kim, 30, day(1))
    for name, whose in (("members", ann), ("members", kim), ("group_links", team)):
        access.forget_ended(office.store, name, "Project", garden.id, whose.id)
    office.join(garden, ann, 20)
    office.share(garden, team, 20)
    assert office.store.values(
        "SELECT user_id FROM members WHERE source_id=? AND user_id<>1 ORDER BY 1", garden.id
    ) == [
        ann.id,
        kim.id,
    ]
    assert office.store.values("SELECT expires_at FROM members WHERE source_id=? AND user_id=?", other.id, ann.id)
    assert office.store.values("SELECT 1 FROM group_links WHERE source_id=?", other.id) == [1]


SNIPPETS = """
                          private internal public
        nobody               -       -       +
        stranger             -       +       +
        external             -       -       +
        author               +       +       +
        member               +       +       +
        administrator        +       +       +
"""


@pytest.mark.parametrize("within", [True, False], ids=["of a project", "personal"])
def test_who_sees_a_snippet(office: Office, within: bool) -> None:
    project = office.project("garden", visibility=PUBLIC) if within else None
    author, member = office.person("author"), office.person("member")
    if project is not None:
        office.join(project, member, 10)
    everyone = {
        "nobody": None, "stranger": office.person("stranger"), "author": author, "member": member,
        "external": office.person("external", external=True), "administrator": office.root,
    }  # fmt: skip
    now = office.store.now()
    made = {
        level: office.store.insert(
            "snippets", project_id=project.id if project else None, author_id=author.id, title=level, visibility=level,
            created_at=now, updated_at=now, files="[]",
        )
        for level in ("private", "internal", "public")
    }  # fmt: skip
    for name, answers in tables.read(SNIPPETS):
        listed = office.listed("snippets", visibility.snippets(everyone[name], "t"))
        expected = dict(answers) if within or name != "member" else {"private": False, "internal": True, "public": True}
        assert {level: one in listed for level, one in made.items()} == expected, name


def test_a_public_snippet_of_a_project_one_cannot_see_is_not_there(office: Office) -> None:
    now = office.store.now()
    hidden, off = office.project("hidden"), office.project("off", visibility=PUBLIC, snippets_access_level="disabled")
    ids = {
        office.store.insert(
            "snippets", project_id=one.id, author_id=office.root.id, title="x", visibility="public", created_at=now,
            updated_at=now, files="[]",
        )
        for one in (hidden, off)
    }  # fmt: skip
    for user in (None, office.person("stranger")):
        assert not office.listed("snippets", visibility.snippets(user, "t"))
    assert office.listed("snippets", visibility.snippets(office.root, "t")) == ids


TOLD = """
                          issue confidential internal-note request push gone
        nobody              +        -            -           -     -     -
        stranger            +        -            -           -     -     -
        guest               +        -            -           +     +     -
        planner             +        +            +           +     +     -
        reporter            +        +            +           +     +     +
        former maintainer   +        -            -           -     -     -
        blocked maintainer  +        -            -           -     -     -
        deactivated owner   +        -            -           -     -     -
        administrator       +        +            +           +     +     +
"""


def test_events_and_to_dos_are_for_those_who_see_what_they_tell_of(office: Office) -> None:
    store = office.store
    project = office.project("garden", visibility=PUBLIC, repository_access_level="private")
    plain, secret = office.issue(project), office.issue(project, confidential=1)
    note = notes.create(store, office.root, "Issue", plain.id, project.id, "between us", internal=True)
    request = office.request(project)
    store.db.execute("DELETE FROM events")
    told = {}
    for name, facts in (
        ("issue", {"kind": "Issue", "target_id": plain.id}),
        ("confidential", {"kind": "Issue", "target_id": secret.id}),
        ("internal-note", {"kind": "Note", "target_id": note.id}),
        ("request", {"kind": "MergeRequest", "target_id": request.id}),
        ("push", {"push": {"ref": "main"}}),
        ("gone", {"kind": "Issue", "target_id": 999}),
    ):
        events.happened(store, office.root, project.id, "did", **facts)
        told[name] = store.value("SELECT max(id) FROM events")
    everyone = people(office, project)
    for name, answers in tables.read(TOLD):
        user = everyone[name]
        listed = office.listed("events", visibility.events(user, "t"))
        assert {what: one in listed for what, one in told.items()} == answers, name
        if user is None:
            continue
        for kind, target in (("Issue", plain), ("Issue", secret), ("MergeRequest", request), ("Project", project)):
            notes.todo(store, user.id, office.root, "marked", kind, target.id, project.id, "")
        todos = store.db.execute(
            f"SELECT target_type, target_id FROM todos WHERE user_id=? AND {visibility.todos(user)}", (user.id,)
        ).fetchall()
        waiting = {("Issue", plain.id): "issue", ("Issue", secret.id): "confidential",
                   ("MergeRequest", request.id): "request"}  # fmt: skip
        expected = {place for place, what in waiting.items() if answers[what]} | {("Project", project.id)}
        assert set(todos) == expected, name
