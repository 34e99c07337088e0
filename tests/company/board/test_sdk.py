"""plane-sdk, as its users call it, against a board right after installation."""

# mypy: disable-error-code="call-arg"
# (plane-sdk gives its models' defaults in a way that mypy sees only with pydantic's plugin)

from __future__ import annotations

import uuid
from typing import Any

import pytest
import requests
from plane import PlaneClient
from plane.errors.errors import HttpError
from plane.models.cycles import CreateCycle, TransferCycleWorkItemsRequest, UpdateCycle
from plane.models.estimates import CreateEstimate, CreateEstimatePoint, UpdateEstimate, UpdateEstimatePoint
from plane.models.intake import CreateIntakeWorkItem, UpdateIntakeWorkItem
from plane.models.labels import CreateLabel, UpdateLabel
from plane.models.modules import CreateModule, UpdateModule
from plane.models.pages import CreatePage
from plane.models.projects import CreateProject, ProjectFeature, UpdateProject
from plane.models.query_params import (
    LiteListQueryParams,
    MemberListQueryParams,
    MemberQueryParams,
    PaginatedQueryParams,
    RetrieveQueryParams,
    WorkItemQueryParams,
)
from plane.models.states import CreateState, UpdateState
from plane.models.stickies import CreateSticky, UpdateSticky
from plane.models.work_items import (
    CreateWorkItem,
    CreateWorkItemComment,
    CreateWorkItemDependency,
    CreateWorkItemLink,
    CreateWorkItemRelation,
    RemoveWorkItemRelation,
    UpdateWorkItem,
    UpdateWorkItemAttachment,
    UpdateWorkItemComment,
    UpdateWorkItemLink,
    WorkItemAttachmentUploadRequest,
    WorkItemForIntakeRequest,
)

WS = "blank"


def item(plane: Any, project: str, name: str = "Prune the roses", **facts: object) -> str:
    made = plane.work_items.create(WS, project, CreateWorkItem(name=name, **facts))  # type: ignore[arg-type]  # facts are the model's own fields
    assert made.id is not None
    return str(made.id)


def test_the_key_says_who_i_am(plane: Any) -> None:
    me = plane.users.get_me()
    assert (me.email, me.display_name) == ("root@blank.test", "root")


def test_a_token_in_the_authorization_header_works_too(blank: object, plane: Any) -> None:
    bearer = PlaneClient(base_url=plane.config.api_root, access_token="plane_api_root")
    assert bearer.users.get_me().id == plane.users.get_me().id


def test_projects_are_made_read_changed_and_deleted(plane: Any) -> None:
    made = plane.projects.create(WS, CreateProject(name="Garden", identifier="gard", description="Beds and paths"))
    assert made.id is not None
    assert (made.identifier, made.is_member, made.member_role, made.total_members) == ("GARD", True, 20, 1)
    changed = plane.projects.update(WS, made.id, UpdateProject(description="Beds, paths and a pond"))
    assert changed.description == "Beds, paths and a pond"
    assert plane.projects.retrieve(WS, made.id).description == changed.description
    assert [one.id for one in plane.projects.list(WS).results] == [made.id]
    assert [one.identifier for one in plane.projects.list_lite(WS).results] == ["GARD"]
    assert [one.role for one in plane.projects.get_members(WS, made.id)] == [20]
    assert plane.projects.get_members_lite(WS, made.id).total_count == 1
    plane.projects.delete(WS, made.id)
    assert plane.projects.list(WS).results == []


def test_a_project_is_archived_and_brought_back(plane: Any, project: str) -> None:
    item(plane, project)
    plane.projects.archive(WS, project)
    assert plane.projects.retrieve(WS, project).archived_at is not None
    assert plane.work_items.list(WS, project).results == []
    with pytest.raises(HttpError) as closed:
        item(plane, project)
    assert (closed.value.status_code, closed.value.response) == (400, {"error": "Archived project cannot be updated"})
    plane.projects.unarchive(WS, project)
    assert plane.projects.retrieve(WS, project).archived_at is None
    assert len(plane.work_items.list(WS, project).results) == 1


def test_features_are_switched(plane: Any, project: str) -> None:
    assert plane.projects.get_features(WS, project).cycles is True
    assert plane.projects.update_features(WS, project, ProjectFeature(cycles=False)).cycles is False
    assert plane.projects.retrieve(WS, project).cycle_view is False
    with pytest.raises(HttpError) as unpaid:
        plane.projects.update_features(WS, project, ProjectFeature(workflows=True))
    assert unpaid.value.status_code == 402
    features = plane.workspaces.get_features(WS)
    features.initiatives = True
    assert plane.workspaces.update_features(WS, features).initiatives is True


def test_a_project_begins_with_planes_five_states(plane: Any, project: str) -> None:
    states = plane.states.list(WS, project).results
    assert [(one.name, one.group) for one in states] == [
        ("Backlog", "backlog"),
        ("Todo", "unstarted"),
        ("In Progress", "started"),
        ("Done", "completed"),
        ("Cancelled", "cancelled"),
    ]
    assert [one.name for one in states if one.default] == ["Backlog"]


def test_states_and_labels_are_made_changed_and_deleted(plane: Any, project: str) -> None:
    state = plane.states.create(WS, project, CreateState(name="Waiting", color="#4ECDC4", group="started"))
    assert state.id is not None
    assert plane.states.update(WS, project, state.id, UpdateState(description="For rain")).description == "For rain"
    assert plane.states.retrieve(WS, project, state.id).name == "Waiting"
    plane.states.delete(WS, project, state.id)
    with pytest.raises(HttpError) as gone:
        plane.states.retrieve(WS, project, state.id)
    assert gone.value.status_code == 404
    label = plane.labels.create(WS, project, CreateLabel(name="weeds", color="#27AE60"))
    assert label.id is not None
    assert plane.labels.update(WS, project, label.id, UpdateLabel(name="Weeds")).name == "Weeds"
    assert [one.name for one in plane.labels.list(WS, project).results] == ["Weeds"]
    with pytest.raises(HttpError) as twice:
        plane.labels.create(WS, project, CreateLabel(name="Weeds"))
    assert twice.value.status_code == 409
    plane.labels.delete(WS, project, label.id)
    assert plane.labels.list(WS, project).results == []


def test_a_work_item_lives_through_its_life(plane: Any, project: str) -> None:
    states = {one.name: one.id for one in plane.states.list(WS, project).results}
    me = plane.users.get_me().id
    assert me is not None
    made = plane.work_items.create(
        WS,
        project,
        CreateWorkItem(
            name="Prune the roses",
            description_html="<p>Before <b>March</b>.</p>",
            priority="high",
            start_date="2026-03-01",
            target_date="2026-03-10",
            assignees=[me],
        ),
    )
    assert made.id is not None
    assert (made.sequence_id, made.state, made.completed_at) == (1, states["Backlog"], None)
    done = plane.work_items.update(WS, project, made.id, UpdateWorkItem(state=states["Done"]))
    assert (done.state, done.completed_at is None) == (states["Done"], False)
    expanded = plane.work_items.retrieve(
        WS, project, made.id, params=RetrieveQueryParams(expand="state,assignees,project")
    )
    assert getattr(expanded.state, "name", None) == "Done"
    assert [getattr(one, "email", None) for one in expanded.assignees] == ["root@blank.test"]
    assert isinstance(expanded.project, dict)
    assert expanded.project["identifier"] == "GARD"
    assert plane.work_items.retrieve_by_identifier(WS, "GARD", 1).id == made.id
    plane.work_items.delete(WS, project, made.id)
    with pytest.raises(HttpError) as gone:
        plane.work_items.retrieve(WS, project, made.id)
    assert gone.value.response == {"error": "The requested resource does not exist."}


def test_lists_are_paged_by_cursor(plane: Any, project: str) -> None:
    for number in range(7):
        item(plane, project, f"Row {number}")
    seen: list[str | None] = []
    params = WorkItemQueryParams(per_page=3, order_by="sequence_id")
    while True:
        page = plane.work_items.list(WS, project, params=params)
        assert (page.total_count, page.total_pages, page.count) == (7, 3, len(page.results))
        seen += [one.name for one in page.results]
        if not page.next_page_results:
            break
        params = WorkItemQueryParams(per_page=3, order_by="sequence_id", cursor=page.next_cursor)
    assert seen == [f"Row {number}" for number in range(7)]
    assert page.prev_page_results is True


def test_items_are_searched_archived_and_restored(plane: Any, project: str) -> None:
    states = {one.name: one.id for one in plane.states.list(WS, project).results}
    roses, _ = item(plane, project, "Prune the roses", state=states["Done"]), item(plane, project, "Mow the lawn")
    assert [one.id for one in plane.work_items.search(WS, "ROSES").issues] == [roses]
    assert len(plane.work_items.search(WS, "GARD").issues) == 2
    plane.work_items.archive(WS, project, roses)
    assert [one.name for one in plane.work_items.list(WS, project).results] == ["Mow the lawn"]
    assert [one.id for one in plane.work_items.list_archived(WS, project).results] == [roses]
    plane.work_items.unarchive(WS, project, roses)
    assert len(plane.work_items.list(WS, project).results) == 2
    assert len(plane.work_items.list_workspace(WS).results) == 2


def test_comments_links_and_history(plane: Any, project: str) -> None:
    roses = item(plane, project)
    comment = plane.work_items.comments.create(WS, project, roses, CreateWorkItemComment(comment_html="<p>When?</p>"))
    assert comment.id is not None
    edited = plane.work_items.comments.update(
        WS, project, roses, comment.id, UpdateWorkItemComment(comment_html="<p>When, please?</p>")
    )
    assert (edited.comment_html, edited.edited_at is None) == ("<p>When, please?</p>", False)
    link = plane.work_items.links.create(WS, project, roses, CreateWorkItemLink(url="https://larkspur.test/roses"))
    assert link.id is not None
    renamed = plane.work_items.links.update(WS, project, roses, link.id, UpdateWorkItemLink(title="Roses"))
    assert renamed.title == "Roses"
    plane.work_items.links.delete(WS, project, roses, link.id)
    assert plane.work_items.links.list(WS, project, roses).results == []
    assert plane.work_items.comments.list(WS, project, roses).count == 1
    plane.work_items.comments.delete(WS, project, roses, comment.id)
    plane.work_items.update(WS, project, roses, UpdateWorkItem(priority="urgent"))
    history = plane.work_items.activities.list(WS, project, roses).results
    assert [(one.verb, one.field, one.new_value) for one in history] == [
        ("created", None, None),
        ("created", "link", "https://larkspur.test/roses"),
        ("deleted", "link", ""),
        ("updated", "priority", "urgent"),
    ]
    one = history[0].id
    assert one is not None
    assert plane.work_items.activities.retrieve(WS, project, roses, one).comment == "created the issue"


def test_relations_read_from_both_ends(plane: Any, project: str) -> None:
    roses, lawn = item(plane, project, "Prune the roses"), item(plane, project, "Mow the lawn")
    plane.work_items.relations.create(
        WS, project, roses, CreateWorkItemRelation(relation_type="blocking", issues=[lawn])
    )
    assert plane.work_items.relations.list(WS, project, roses).blocking == [lawn]
    assert plane.work_items.relations.list(WS, project, lawn).blocked_by == [roses]
    plane.work_items.relations.delete(WS, project, roses, RemoveWorkItemRelation(related_issue=lawn))
    assert plane.work_items.relations.list(WS, project, lawn).blocked_by == []


@pytest.mark.parametrize(
    ("kind", "inverse"),
    [
        ("blocking", "blocked_by"),
        ("blocked_by", "blocking"),
        ("start_before", "start_after"),
        ("finish_after", "finish_before"),
    ],
)
def test_dependencies_of_every_kind(plane: Any, project: str, kind: str, inverse: str) -> None:
    roses, lawn = item(plane, project, "Prune the roses"), item(plane, project, "Mow the lawn")
    wanted = CreateWorkItemDependency(relation_type=kind, work_item_ids=[lawn])  # type: ignore[arg-type]  # one of the literals
    made = plane.work_items.dependencies.create(WS, project, roses, wanted)
    assert [(one.id, one.relation_type) for one in made] == [(lawn, kind)]
    assert [one.id for one in getattr(plane.work_items.dependencies.list(WS, project, lawn), inverse)] == [roses]
    plane.work_items.dependencies.remove(WS, project, roses, lawn)
    assert getattr(plane.work_items.dependencies.list(WS, project, roses), kind) == []


def test_a_file_is_uploaded_listed_fetched_and_deleted(plane: Any, project: str) -> None:
    roses = item(plane, project)
    files = plane.work_items.attachments
    sent = files.upload_from_bytes(WS, project, roses, b"thorns\n", "roses.txt", "text/plain")
    assert sent.id is not None
    assert [one.id for one in files.list(WS, project, roses)] == [sent.id]
    fetched = requests.get(files.get_download_url(WS, project, roses, sent.id), timeout=10)
    assert (fetched.content, fetched.headers["content-type"].split(";")[0]) == (b"thorns\n", "text/plain")
    assert "roses.txt" in fetched.headers["content-disposition"]
    files.delete(WS, project, roses, sent.id)
    assert files.list(WS, project, roses) == []


def test_a_file_can_be_announced_and_confirmed_step_by_step(plane: Any, project: str) -> None:
    roses, files = item(plane, project), plane.work_items.attachments
    made = files.create(WS, project, roses, WorkItemAttachmentUploadRequest(name="a.txt", size=12, type="text/plain"))
    assert made.id is not None
    assert (made.is_uploaded, files.list(WS, project, roses)) == (False, [])
    assert files.update(WS, project, roses, made.id, UpdateWorkItemAttachment(is_uploaded=True)).is_uploaded is True
    assert [one.id for one in files.list(WS, project, roses)] == [made.id]


def test_cycles_hold_items_and_hand_over_what_is_unfinished(plane: Any, project: str) -> None:
    me = plane.users.get_me().id
    assert me is not None
    states = {one.name: one.id for one in plane.states.list(WS, project).results}

    def cycle(name: str, start: str, end: str) -> str:
        data = CreateCycle(name=name, start_date=start, end_date=end, owned_by=me or "", project_id=project)
        made = plane.cycles.create(WS, project, data)
        assert made.id is not None
        return str(made.id)

    first, second = cycle("First", "2035-03-02", "2035-03-08"), cycle("Second", "2035-03-09", "2035-03-15")
    assert plane.cycles.retrieve(WS, project, first).start_date == "2035-03-02T00:00:01Z"
    assert plane.cycles.retrieve(WS, project, first).end_date == "2035-03-08T23:59:00Z"
    open_item, closed = item(plane, project, "Open"), item(plane, project, "Closed", state=states["Done"])
    plane.cycles.add_work_items(WS, project, first, [open_item, closed])
    assert {one.id for one in plane.cycles.list_work_items(WS, project, first).results} == {open_item, closed}
    assert plane.cycles.retrieve(WS, project, first).completed_issues == 1
    plane.cycles.transfer_work_items(WS, project, first, TransferCycleWorkItemsRequest(new_cycle_id=second))
    assert [one.id for one in plane.cycles.list_work_items(WS, project, first).results] == [closed]
    assert [one.id for one in plane.cycles.list_work_items(WS, project, second).results] == [open_item]
    plane.cycles.remove_work_item(WS, project, second, open_item)
    assert plane.cycles.list_work_items(WS, project, second).results == []
    assert plane.cycles.update(WS, project, second, UpdateCycle(description="Later")).description == "Later"
    assert {one.name for one in plane.cycles.list(WS, project).results} == {"First", "Second"}
    assert plane.cycles.list_lite(WS, project).total_count == 2
    with pytest.raises(HttpError) as early:
        plane.cycles.archive(WS, project, first)
    assert early.value.response == {"error": "Only completed cycles can be archived"}
    plane.cycles.delete(WS, project, second)
    assert [one.name for one in plane.cycles.list(WS, project).results] == ["First"]


def test_a_cycle_that_is_over_is_archived_and_brought_back(plane: Any, project: str) -> None:
    me = plane.users.get_me().id
    assert me is not None
    data = CreateCycle(name="Old", start_date="2020-01-06", end_date="2020-01-10", owned_by=me, project_id=project)
    old = plane.cycles.create(WS, project, data).id
    assert old is not None
    plane.cycles.archive(WS, project, old)
    assert plane.cycles.list(WS, project).results == []
    assert [one.id for one in plane.cycles.list_archived(WS, project).results] == [old]
    plane.cycles.unarchive(WS, project, old)
    assert [one.id for one in plane.cycles.list(WS, project).results] == [old]


def test_modules_hold_items(plane: Any, project: str) -> None:
    me = plane.users.get_me().id
    assert me is not None
    made = plane.modules.create(WS, project, CreateModule(name="Beds", status="planned", lead=me, members=[me]))
    assert made.id is not None
    roses = item(plane, project)
    plane.modules.add_work_items(WS, project, made.id, [roses])
    assert [one.id for one in plane.modules.list_work_items(WS, project, made.id).results] == [roses]
    assert plane.modules.retrieve(WS, project, made.id).total_issues == 1
    assert plane.modules.list_lite(WS, project, params=LiteListQueryParams(per_page=5)).results[0].members == [me]
    plane.modules.remove_work_item(WS, project, made.id, roses)
    with pytest.raises(HttpError) as early:
        plane.modules.archive(WS, project, made.id)
    assert early.value.status_code == 400
    assert plane.modules.update(WS, project, made.id, UpdateModule(status="completed")).status == "completed"
    plane.modules.archive(WS, project, made.id)
    assert plane.modules.list(WS, project).results == []
    assert [one.id for one in plane.modules.list_archived(WS, project).results] == [made.id]
    plane.modules.unarchive(WS, project, made.id)
    plane.modules.delete(WS, project, made.id)
    assert plane.modules.list(WS, project).results == []


def test_a_suggestion_waits_in_the_intake_until_it_is_accepted(plane: Any, project: str) -> None:
    wanted = CreateIntakeWorkItem(issue=WorkItemForIntakeRequest(name="A pond", description_html="<p>Deep</p>"))
    with pytest.raises(HttpError) as off:
        plane.intake.create(WS, project, wanted)
    assert off.value.status_code == 400
    plane.projects.update(WS, project, UpdateProject(intake_view=True))
    made = plane.intake.create(WS, project, wanted)
    assert made.issue is not None
    assert (made.status, made.issue_detail.name if made.issue_detail else None) == (-2, "A pond")
    assert plane.work_items.list(WS, project).results == []
    assert [one.issue for one in plane.intake.list(WS, project).results] == [made.issue]
    accepted = plane.intake.update_status(WS, project, made.issue, UpdateIntakeWorkItem(status=1))
    assert accepted.status == 1
    assert [one.name for one in plane.work_items.list(WS, project).results] == ["A pond"]
    assert plane.intake.retrieve(WS, project, made.issue).issue == made.issue
    plane.intake.delete(WS, project, made.issue)
    assert plane.intake.list(WS, project).results == []


def test_members_are_listed_and_filtered(plane: Any) -> None:
    members = plane.workspaces.get_members(WS)
    assert [(one.display_name, one.role, one.role_slug) for one in members] == [("root", 20, "admin")]
    assert len(plane.workspaces.get_members(WS, params=MemberQueryParams(display_name="ROO", is_active=True))) == 1
    assert plane.workspaces.get_members(WS, params=MemberQueryParams(email="nobody")) == []
    assert plane.workspaces.get_members_lite(WS, params=MemberListQueryParams(per_page=100)).total_count == 1
    assert plane.workspaces.get_project_role_distribution(WS).total_memberships == 0


def test_estimates_and_their_points(plane: Any, project: str) -> None:
    made = plane.estimates.create(WS, project, CreateEstimate(name="Effort", description="Rough", type="points"))
    assert made.id is not None
    assert plane.estimates.retrieve(WS, project).id == made.id
    assert plane.estimates.update(WS, project, UpdateEstimate(name="Sweat")).name == "Sweat"
    points = plane.estimates.create_points(
        WS, project, made.id, [CreateEstimatePoint(value="1", key=0), CreateEstimatePoint(value="2", key=1)]
    )
    assert [one.value for one in plane.estimates.list_points(WS, project, made.id)] == ["1", "2"]
    point = points[0].id
    assert point is not None
    roses = plane.work_items.create(WS, project, CreateWorkItem(name="Roses", estimate_point=point))
    assert roses.estimate_point == point
    assert plane.estimates.update_point(WS, project, made.id, point, UpdateEstimatePoint(value="8")).value == "8"
    plane.estimates.delete_point(WS, project, made.id, point)
    plane.estimates.delete(WS, project)
    with pytest.raises(HttpError):
        plane.estimates.retrieve(WS, project)


def test_pages_stickies_and_time_spent(plane: Any, project: str) -> None:
    page = plane.pages.create_project_page(WS, project, CreatePage(name="Soil", description_html="<p>Clay</p>"))
    assert page.id is not None
    assert plane.pages.retrieve_project_page(WS, project, page.id).name == "Soil"
    assert plane.pages.create_workspace_page(WS, CreatePage(name="All", description_html="<p></p>")).id is not None
    sticky = plane.stickies.create(WS, CreateSticky(name="Milk", description_html="<p>two</p>"))
    assert sticky.id is not None
    assert plane.stickies.update(WS, sticky.id, UpdateSticky(name="Bread")).name == "Bread"
    assert [one.name for one in plane.stickies.list(WS, params={"per_page": 5}).results] == ["Bread"]
    plane.stickies.delete(WS, sticky.id)
    roses = item(plane, project)
    with pytest.raises(HttpError) as untracked:
        plane.work_items.work_logs.create(WS, project, roses, {"description": "dug", "duration": 90})
    assert untracked.value.status_code == 404
    plane.projects.update(WS, project, UpdateProject(is_time_tracking_enabled=True))
    log = plane.work_items.work_logs.create(WS, project, roses, {"description": "dug", "duration": 90})
    assert [one.id for one in plane.work_items.work_logs.list(WS, project, roses)] == [log.id]
    assert [(one.issue_id, one.duration) for one in plane.projects.get_worklog_summary(WS, project)] == [(roses, 90)]


def test_what_the_board_does_not_have_is_an_honest_404(plane: Any) -> None:
    with pytest.raises(HttpError) as absent:
        plane.initiatives.list(WS)
    assert (absent.value.status_code, absent.value.response) == (404, {"error": "Page not found."})


def test_an_unknown_project_is_not_there(plane: Any) -> None:
    with pytest.raises(HttpError) as gone:
        plane.projects.retrieve(WS, str(uuid.uuid4()))
    assert gone.value.status_code == 404
    assert plane.projects.list(WS, params=PaginatedQueryParams(per_page=5)).results == []
