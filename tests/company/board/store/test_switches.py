"""What a project's switches and its archive close: each change is refused while they say so, and done otherwise."""

from __future__ import annotations

import pytest

from dayjob.company.board.api.call import PROJECT, routes
from dayjob.company.board.errors import PaymentRequired, Refused
from dayjob.company.board.rows import Project, User
from dayjob.company.board.store import cycles, features, modules, projects, worklogs
from tests.company.board.offices import ADMIN, GUEST, MEMBER, Office, refused

SOME_ID = "0b6f9a3c-53a5-4c07-9d4a-6a3d3c2f1e10"
BODY = {
    "name": "Weeds", "title": "Weeds", "color": "#000000", "url": "https://bare.test", "duration": 5, "value": "S",
    "relation_type": "blocking", "issues": [SOME_ID], "work_item_ids": [SOME_ID], "related_issue": SOME_ID,
    "relation_definition_id": SOME_ID, "relation_definition_type": "tests", "new_cycle_id": SOME_ID,
    "issue": {"name": "Weeds"}, "external_id": "1", "external_source": "jira", "email": "zoe@bare.test",
    "display_name": "zoe", "property_type": "TEXT", "estimate_points": [{"value": "S"}], "size": 3,
    "type": "text/plain",
}  # fmt: skip
"""Something for every form."""
STAYS = {("DELETE", PROJECT), ("POST", f"{PROJECT}/archive"), ("DELETE", f"{PROJECT}/archive")}
"""What can be done with a project that is archived: bring it back, delete it, archive it again."""


def writes() -> list[tuple[str, str]]:
    """Every way to change something in a project."""
    return [
        (method, pattern)
        for method in ("POST", "PUT", "PATCH", "DELETE")
        for pattern in routes.patterns(method)
        if pattern.startswith(PROJECT)
    ]


ROLES = {"workspace administrator": (ADMIN, 0), "project administrator": (MEMBER, ADMIN), "member": (MEMBER, MEMBER),
         "guest": (GUEST, GUEST)}  # fmt: skip


def answer(office: Office, user: User, method: str, path: str) -> str | int:
    """The status of an answer, or that the project is archived; what it did is undone."""
    office.db.execute("SAVEPOINT tried")
    try:
        reply = office.board.act(user, method, path, BODY)
        body, status = reply.body, reply.status
    except Refused as refusal:
        body, status = refusal.body, refusal.status
    finally:
        office.db.execute("ROLLBACK TO tried")
        office.db.execute("RELEASE tried")
    return "archived" if body == {"error": "Archived project cannot be updated"} else status


@pytest.mark.parametrize("who", ROLES)
def test_nothing_in_an_archived_project_changes(office: Office, project: Project, who: str) -> None:
    workspace_role, role = ROLES[who]
    user = office.person("ann", workspace_role)
    if role:
        office.join(project, user, role)
    every = writes()
    assert len(every) > 80

    def answers() -> dict[tuple[str, str], str | int]:
        """What each write answers to somebody who names nothing that is there."""
        found = {}
        for method, pattern in every:
            if (method, pattern) in STAYS:
                continue
            path = pattern.replace("{slug}", "w").replace("{project_id}", project.id)
            parts = [SOME_ID if part.startswith("{") else part for part in path.split("/")]
            found[method, pattern] = answer(office, user, method, "/".join(parts))
        return found

    before = answers()
    assert "archived" not in before.values()
    projects.archive(office.store, project, on=True)
    after = answers()
    # Whoever may not is told so first; to all others the project is closed, whatever they ask for.
    assert after == {route: 403 if status == 403 else "archived" for route, status in before.items()}
    projects.archive(office.store, projects.project(office.db, "w", project.id), on=False)
    assert answers() == before


def test_an_archived_project_is_brought_back_or_deleted(office: Office, project: Project) -> None:
    base = f"/api/v1/workspaces/w/projects/{project.id}"
    for method, path, status in (("POST", "/archive", 204), ("DELETE", "/archive", 204), ("POST", "/archive", 204),
                                 ("POST", "/issues", 400), ("DELETE", "", 204), ("DELETE", "", 404)):  # fmt: skip
        try:
            answer = office.board.act(office.root, method, base + path, {"name": "Weeds"}).status
        except Refused as refusal:
            answer = refusal.status
        assert answer == status, (method, path)


def test_modules_and_cycles_are_made_and_changed_where_they_are_switched_on(office: Office) -> None:
    for column, plans in (("module_view", modules), ("cycle_view", cycles)):
        project = office.project(column, module_view=True, cycle_view=True, identifier=column.upper())
        made = plans.create(office.store, project, {"name": "Beds"})
        for on in (False, True):
            projects.edit(office.store, project, {column: on})
            project = projects.project(office.db, "w", project.id)
            row = (
                plans.module(office.db, project.id, made)
                if plans is modules
                else cycles.cycle(office.db, project.id, made)
            )
            assert office.may(plans.create, office.store, project, {"name": "Pots"}) is on, column
            assert office.may(plans.edit, office.store, project, row, {"description": "x"}) is on, column


def test_an_archived_module_takes_no_items(office: Office, project: Project) -> None:
    made = modules.create(office.store, project, {"name": "Beds", "status": "completed"})
    item = office.item(project)
    for on in (True, False):
        modules.archive(office.store, modules.module(office.db, project.id, made), on=on)
        module = modules.module(office.db, project.id, made)
        assert office.may(modules.put, office.store, module, [item.id]) is not on


def test_worklogs_are_there_where_time_is_tracked(office: Office) -> None:
    untracked, tracked = office.project("Untracked"), office.project("Tracked", is_time_tracking_enabled=True)
    assert worklogs.tracked(tracked) is tracked
    with pytest.raises(Refused) as absent:
        worklogs.tracked(untracked)
    assert absent.value.status == 404


def test_features_are_switched_or_refused_and_never_only_said(office: Office, project: Project) -> None:
    for name, value in features.of_project(project).items():
        features.switch(office.store, project, {name: value, "unknown": True})
        features.switch(office.store, project, {name: None})
        assert features.of_project(projects.project(office.db, "w", project.id)) == features.of_project(project)
    may = {"modules": 1, "cycles": 1, "views": 1, "pages": 1, "intakes": 1, "work_item_types": 1, "epics": 0,
           "workflows": 0, "parallel_cycles": 0, "project_updates": 0}  # fmt: skip
    assert set(features.NAMES) == set(may)
    for name, allowed in may.items():
        project = projects.project(office.db, "w", project.id)
        other = not features.of_project(project)[name]
        if allowed:
            features.switch(office.store, project, {name: other})
            assert features.of_project(projects.project(office.db, "w", project.id))[name] is other
        else:
            assert refused(features.switch, office.store, project, {name: other}), name
    with pytest.raises(PaymentRequired):
        features.switch(office.store, project, {"workflows": True})


def test_a_secret_project_is_not_found_by_where_it_came_from(office: Office) -> None:
    secret = office.project("Secret", network=0, external_id="1", external_source="jira")
    inside, outside = office.person("inside", MEMBER), office.person("outside", MEMBER)
    office.join(secret, inside, GUEST)
    for user, may in ((inside, True), (outside, False)):
        call = office.call(user)
        call.raw_query = b"external_id=1&external_source=jira"
        route, _ = routes.match("GET", "/api/v1/workspaces/w/projects")
        assert office.may(route.endpoint, call) is may, user.username
