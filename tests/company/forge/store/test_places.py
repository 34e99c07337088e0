"""Groups and projects: what they can be called, where they move, what goes with them."""

from __future__ import annotations

import pytest

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import namespaces, notes, projects, tokens
from tests.company.forge.offices import INTERNAL, PRIVATE, PUBLIC, Office, refused


@pytest.mark.parametrize(
    ("path", "status"),
    [("fine", 0), ("a.b-c_d", 0), ("-no", 400), ("no.git", 400), ("no.atom", 400), ("no.", 400), ("a b", 400),
     ("admin", 400), ("Admin", 400), ("taken", 400), ("TAKEN", 400)],
)  # fmt: skip
def test_what_a_group_can_be_called(office: Office, path: str, status: int) -> None:
    top = office.group("taken")
    if status:
        assert refused(office.group, path) == status
    else:
        assert office.group(path).full_path == path
    if path in ("admin", "Admin"):
        assert office.group(path, top).full_path == f"taken/{path}"


@pytest.mark.parametrize("path", [
    "-", "admin", "api", "assets", "dashboard", "explore", "files", "groups", "health_check", "help", "import", "jwt",
    "login", "oauth", "profile", "projects", "public", "s", "search", "snippets", "uploads", "users", "v2",
])  # fmt: skip
def test_the_forges_own_addresses_are_no_groups_at_the_top(office: Office, path: str) -> None:
    assert refused(office.group, path) == 400
    if path != "-":
        assert office.group(path, office.group("top")).full_path == f"top/{path}"


NEW_PROJECT = {
    "merge_method": "merge", "squash_option": "default_off", "lfs_enabled": False, "request_access_enabled": True,
    "shared_runners_enabled": True, "merge_pipelines_enabled": False, "only_allow_merge_if_pipeline_succeeds": False,
    "allow_merge_on_skipped_pipeline": None, "only_allow_merge_if_all_discussions_are_resolved": False,
    "remove_source_branch_after_merge": True, "printing_merge_request_link_enabled": True, "auto_devops_enabled": False,
    "auto_devops_deploy_strategy": "continuous", "autoclose_referenced_issues": True, "approvals_before_merge": 0,
    "reset_approvals_on_push": False, "disable_overriding_approvers_per_merge_request": False,
    "merge_requests_author_approval": True, "merge_requests_disable_committers_approval": False,
    "public_jobs": True, "build_timeout": 3600, "auto_cancel_pending_pipelines": "enabled", "ci_config_path": None,
    "ci_default_git_depth": 20, "ci_forward_deployment_enabled": True, "ci_separated_caches": True,
    "build_git_strategy": "fetch", "keep_latest_artifact": True, "resolve_outdated_diff_discussions": False,
    "service_desk_enabled": False, "suggestion_commit_message": None, "merge_commit_template": None,
    "squash_commit_template": None, "issue_branch_template": None, "enforce_auth_checks_on_uploads": True,
    "emails_enabled": True, "emails_disabled": False, "packages_enabled": True, "mirror": False,
    "security_and_compliance_access_level": "private",
    **{f"{part}_access_level": "enabled" for part in (
        "issues", "merge_requests", "wiki", "snippets", "builds", "forking", "repository", "releases", "environments",
        "feature_flags", "pages", "container_registry", "analytics", "monitor", "infrastructure", "model_experiments",
        "model_registry", "requirements",
    )},
}  # fmt: skip


def test_what_a_new_project_is_set_to(office: Office) -> None:
    assert office.project("garden").options == NEW_PROJECT
    assert office.project("other", mirror=True).options == {**NEW_PROJECT, "mirror": True}


def test_a_project_moves_with_its_path_or_under_another(office: Office) -> None:
    group, project = office.group("group"), office.project("garden")
    office.project("taken", group)
    projects.move(office.store, project, group)
    moved = projects.find(office.store, "group/garden")
    assert moved is not None
    assert refused(projects.move, office.store, moved, group, "taken") == 400
    projects.move(office.store, moved, group, "yard")
    found = projects.find(office.store, str(project.id))
    assert found is not None
    assert (found.full_path, found.path, found.name) == ("group/yard", "yard", "garden")
    assert projects.find(office.store, str(2**63)) is None
    office.company.clock.forward(days=1)
    projects.touch(office.store, project.id)
    touched = projects.find(office.store, project.id)
    assert touched is not None
    assert touched.last_activity_at == touched.updated_at == office.store.now() > touched.created_at


@pytest.mark.parametrize("above", [PRIVATE, INTERNAL, PUBLIC])
@pytest.mark.parametrize("below", [PRIVATE, INTERNAL, PUBLIC])
def test_a_group_is_no_more_open_than_the_one_above(office: Office, above: int, below: int) -> None:
    top = office.group("top", visibility=above)
    if below > above:
        assert refused(office.group, "in", top, below) == 400
    else:
        assert office.group("in", top, below).visibility == below


def test_the_maker_of_a_group_owns_it(office: Office) -> None:
    ann = office.person("ann")
    group = namespaces.create_group(office.store, ann, name="Team", path="team")
    assert office.store.values("SELECT access_level FROM members WHERE source_id=?", group.id) == [50]


def test_everything_below_a_group_moves_along(office: Office) -> None:
    top, other = office.group("top"), office.group("other")
    mid, beside = office.group("mid", top), office.group("middle", top)
    low = office.group("low", mid)
    project = office.project("garden", low)
    namespaces.move(office.store, mid, path="centre", parent=other)
    found = {one.id: one.full_path for one in office.store.all(Namespace, "kind='group'")}
    assert (found[mid.id], found[low.id], found[beside.id]) == ("other/centre", "other/centre/low", "top/middle")
    moved = projects.find(office.store, project.id)
    assert moved is not None
    assert moved.full_path == "other/centre/low/garden"
    assert refused(namespaces.move, office.store, other, parent=namespaces.find(office.store, low.id)) == 400
    assert refused(namespaces.move, office.store, top, path="other") == 400
    namespaces.move(office.store, namespaces.find(office.store, mid.id), parent=None)  # type: ignore[arg-type]  # it is there
    assert namespaces.ancestors(office.store, low.id) == [low.id, mid.id]
    assert set(namespaces.descendants(office.store, mid.id)) == {mid.id, low.id}


def test_a_group_moves_nothing_whose_path_only_looks_like_its_own(office: Office) -> None:
    for path in ("a_b", "axb", "a-b", "A_Bc"):
        office.project("garden", office.group(path))
    office.group("low", namespaces.find(office.store, "a_b"))
    namespaces.move(office.store, namespaces.find(office.store, "a_b"), path="new")  # type: ignore[arg-type]  # it is there
    assert office.store.values("SELECT full_path FROM namespaces WHERE kind='group' ORDER BY id") == [
        "new", "axb", "a-b", "A_Bc", "new/low",
    ]  # fmt: skip
    paths = office.store.values("SELECT full_path FROM projects ORDER BY id")
    assert paths == ["new/garden", "axb/garden", "a-b/garden", "A_Bc/garden"]


def test_a_new_path_of_a_group_is_as_good_as_a_new_groups(office: Office) -> None:
    group, taken = office.group("group"), office.group("taken")
    office.project("garden", taken)
    for path, status in (("-no", 400), ("taken", 400), ("TAKEN", 400), ("admin", 400), ("no.git", 400)):
        assert refused(namespaces.move, office.store, group, path=path) == status, path
    assert refused(namespaces.move, office.store, group, path="garden", parent=taken) == 400
    namespaces.move(office.store, group, path="admin", parent=taken)
    assert refused(namespaces.move, office.store, namespaces.find(office.store, group.id), parent=None) == 400
    namespaces.move(office.store, namespaces.find(office.store, group.id), path="GROUP", parent=None)  # type: ignore[arg-type]  # it is there
    namespaces.move(office.store, namespaces.find(office.store, group.id), path="group")  # type: ignore[arg-type]  # it is there
    moved = namespaces.find(office.store, "group")
    assert moved is not None
    assert (moved.id, moved.path, moved.parent_id) == (group.id, "group", None)
    assert refused(namespaces.move, office.store, moved, parent=moved) == 400


def test_what_a_new_group_and_project_keep(office: Office) -> None:
    top, ann = office.group("top", visibility=PUBLIC), office.person("ann")
    group = namespaces.create_group(
        office.store, ann, name="Team", path="team", parent=top, visibility=INTERNAL, description="us", avatar="a.png",
        emails_enabled=False,
    )  # fmt: skip
    now = office.store.now()
    assert (group.kind, group.name, group.path, group.full_path, group.parent_id, group.owner_id) == (
        "group", "Team", "team", "top/team", top.id, None,
    )  # fmt: skip
    assert (group.visibility, group.description, group.avatar, group.options, group.created_at) == (
        INTERNAL, "us", "a.png", {"emails_enabled": False}, now,
    )  # fmt: skip
    assert (top.description, top.avatar, top.options) == ("", None, {})
    members = "SELECT source_type, source_id, user_id, access_level, created_at, created_by FROM members ORDER BY id"
    assert office.store.db.execute(members).fetchall() == [("Namespace", group.id, ann.id, 50, now, ann.id)]
    project = projects.create(
        office.store, ann, group, name=None, path="garden", visibility=PRIVATE, description="d", default_branch="trunk",
        forked_from=None, avatar="p.png", topics=["a", "b"],
    )  # fmt: skip
    assert (project.name, project.path, project.full_path, project.namespace_id) == (
        "garden", "garden", "top/team/garden", group.id,
    )  # fmt: skip
    assert (project.visibility, project.description, project.default_branch, project.creator_id, project.avatar) == (
        PRIVATE, "d", "trunk", ann.id, "p.png",
    )  # fmt: skip
    assert (project.topics, project.created_at, project.updated_at, project.last_activity_at) == (
        '["a","b"]', now, now, now,
    )  # fmt: skip
    named = projects.create(office.store, ann, group, name="My Yard", path=None)
    assert (named.name, named.path, named.topics, named.visibility) == ("My Yard", "my-yard", "[]", PRIVATE)
    bare = namespaces.create_group(office.store, None, name="Bare", path="bare")
    assert (bare.visibility, bare.description, bare.avatar) == (PRIVATE, "", None)
    assert len(office.store.values("SELECT 1 FROM members")) == 1, "a group's project has the group's members"
    own = namespaces.find(office.store, "ann", "user")
    assert own is not None
    mine = projects.create(office.store, office.root, own, name="mine", path="mine")
    assert office.store.db.execute(members).fetchall()[1:] == [("Project", mine.id, ann.id, 50, now, office.root.id)]


@pytest.mark.parametrize("kind", [None, "group", "user"])
def test_namespaces_are_found_by_number_or_path_and_kind(office: Office, kind: str | None) -> None:
    group, ann = office.group("group"), office.person("ann")
    own = namespaces.find(office.store, "ann")
    assert own is not None
    assert own.owner_id == ann.id
    for one, its in ((group, "group"), (own, "user")):
        for name in (one.id, str(one.id), one.full_path):
            assert namespaces.find(office.store, name, kind) == (one if kind in (None, its) else None), (name, kind)
    for missing in (999, "999", "nothing", str(2**63), "\u00b2"):
        assert namespaces.find(office.store, missing, kind) is None


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [("Garden two", "garden-two", 0), ("garden", "other", 400), ("Other", "GARDEN", 400), ("-x", "x", 400),
     (" ", "x", 400), ("Fine", "no.git", 400), ("Sub", "sub", 400)],
)  # fmt: skip
def test_what_a_project_can_be_called(office: Office, name: str, path: str, status: int) -> None:
    group = office.group("group")
    office.group("sub", group)
    office.project("garden", group)
    if status:
        assert refused(projects.create, office.store, office.root, group, name=name, path=path) == status
    else:
        made = projects.create(office.store, office.root, group, name=name, path=path)
        assert made.full_path == f"group/{path}"


NAME_TAKEN = {"name": ["has already been taken"]}
ALL_TAKEN = {key: ["has already been taken"] for key in ("project_namespace.name", "name", "path")}


@pytest.mark.parametrize(
    ("name", "path", "problems"),
    [("The Garden", "other", NAME_TAKEN), ("garden", "the-garden", None), ("Other", "garden", ALL_TAKEN),
     ("THE GARDEN", "GARDEN", ALL_TAKEN), ("Sub", "sub", ALL_TAKEN)],
)  # fmt: skip
def test_a_project_that_cannot_be_called_so_is_told_which_of_its_names_is_taken(
    office: Office, name: str, path: str, problems: dict[str, list[str]] | None
) -> None:
    group = office.group("group")
    office.group("sub", group)
    projects.create(office.store, office.root, group, name="The Garden", path="garden")
    if problems is None:
        assert projects.create(office.store, office.root, group, name=name, path=path).name == name
        return
    with pytest.raises(Refused) as refusal:
        projects.create(office.store, office.root, group, name=name, path=path)
    assert refusal.value.body == {"message": problems}


@pytest.mark.parametrize(
    ("name", "slug"), [("Über Garten!", "uber-garten"), ("a.b_c", "a.b_c"), ("--x--", "x"), ("✿", "project")]
)
def test_a_projects_path_is_made_of_its_name(name: str, slug: str) -> None:
    assert projects.slug(name) == slug


def snippet(office: Office, project: Project) -> int:
    now = office.store.now()
    return office.store.insert(
        "snippets", project_id=project.id, author_id=office.root.id, title="x", visibility="private", created_at=now,
        updated_at=now, files="[]",
    )  # fmt: skip


def test_a_deleted_project_leaves_nothing_of_its_own_and_everything_of_others(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    discarded: list[int] = []
    monkeypatch.setattr(office.store.repos, "discard", discarded.append)
    group = office.group("group")
    doomed, kept = office.project("doomed", group), office.project("kept", group)
    fork, other_fork = (office.project(f"fork-{one.path}", group, forked_from=one.id) for one in (doomed, kept))
    office.store.db.execute("UPDATE projects SET forks_count=1")
    notes.create(office.store, office.root, "Commit", 0, doomed.id, "of a commit")
    notes.create(office.store, office.root, "Commit", 0, kept.id, "of a commit")
    user = office.person("ann")
    for project in (doomed, kept):
        office.join(project, user, 30)
        office.share(project, group, 30)
        issue = office.issue(project, labels=["bug"], assignees=[user.id])
        notes.create(office.store, office.root, "Issue", issue.id, project.id, "@ann look")
        notes.create(office.store, office.root, "MergeRequest", office.request(project).id, project.id, "well")
        now = office.store.now()
        for kind, item in (("Issue", issue.id), ("Snippet", snippet(office, project))):
            office.store.insert(
                "award_emoji", awardable_type=kind, awardable_id=item, name="x", user_id=user.id, created_at=now
            )
            office.store.db.execute(
                "INSERT INTO subscriptions (item_type, item_id, user_id, subscribed) VALUES (?,?,?,1)",
                (kind, item, user.id),
            )
        for scope in ("project", "group"):
            office.store.insert(
                "records", kind="x", scope=scope, scope_id=project.id, name="", body="{}", created_at=now,
                updated_at=now,
            )  # fmt: skip
        for kind in ("project", "deploy_project", "group"):
            tokens.issue(office.store, kind, "t", [], "", source_id=project.id)
        for owner in ("project", "group"):
            office.store.insert(
                "wiki_pages", owner_type=owner, owner_id=project.id, slug="x", title="x", format="markdown", content=""
            )
    # What only looks like a part of the project: of a group of its number.
    office.store.db.execute("DELETE FROM records WHERE scope='group' AND scope_id<>?", (doomed.id,))
    office.store.db.execute("DELETE FROM tokens WHERE kind='group' AND source_id<>?", (doomed.id,))
    office.store.db.execute("DELETE FROM wiki_pages WHERE owner_type='group' AND owner_id<>?", (doomed.id,))
    tables = (
        "members", "group_links", "issues", "merge_requests", "notes", "todos", "people", "label_links", "events",
        "award_emoji", "subscriptions", "resource_events", "snippets",
    )  # fmt: skip
    others = ("records", "tokens", "wiki_pages")

    def counts() -> dict[str, int]:
        return {name: office.store.value(f"SELECT count(*) FROM {name}") for name in tables}

    before = counts()
    projects.delete(office.store, doomed)
    assert counts() == {name: count // 2 for name, count in before.items()}
    assert min(before.values()) > 1
    left = {name: office.store.value(f"SELECT count(*) FROM {name}") for name in others}
    assert left == {"records": 2, "tokens": 3, "wiki_pages": 2}
    assert office.store.value("SELECT forked_from FROM projects WHERE id=?", fork.id) is None
    assert office.store.value("SELECT forked_from FROM projects WHERE id=?", other_fork.id) == kept.id
    assert discarded == [doomed.id]
    projects.delete(office.store, other_fork)
    assert office.store.value("SELECT forks_count FROM projects WHERE id=?", kept.id) == 0
