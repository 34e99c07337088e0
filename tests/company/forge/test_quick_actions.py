"""Orders in comments and descriptions, given with python-gitlab as a person would write them."""

from __future__ import annotations

from typing import Any

import gitlab
import pytest

from tests.company.forge.conftest import api, person, project_with_readme
from tests.company.serving import Served


@pytest.fixture
def garden(gl: gitlab.Gitlab) -> Any:
    project = project_with_readme(gl, visibility="public")
    person(gl, "lee")
    person(gl, "ada")
    project.labels.create({"name": "bug", "color": "#ff0000"})
    project.labels.create({"name": "needs water", "color": "#0000ff"})
    project.milestones.create({"title": "Spring"})
    return project


def opened(project: Any, description: str = "") -> Any:
    change = {"file_path": "fern.md", "branch": "ferns", "content": "Ferns", "commit_message": "Add ferns"}
    project.branches.create({"branch": "ferns", "ref": "main"})
    project.files.create(change)
    facts = {"source_branch": "ferns", "target_branch": "main", "title": "Ferns", "description": description}
    return project.mergerequests.create(facts)


def usernames(people: list[Any]) -> list[str]:
    return [one["username"] for one in people]


def test_a_merge_requests_reviewers_state_and_approval_are_ordered_by_comments(garden: Any) -> None:
    request = opened(garden)

    def after(text: str) -> Any:
        request.notes.create({"body": text})
        return garden.mergerequests.get(request.iid)

    assert usernames(after("Please look.\n/assign_reviewer @lee @ada").reviewers) == ["lee", "ada"]
    assert usernames(after("/unassign_reviewer @lee").reviewers) == ["ada"]
    assert usernames(after("/reviewer lee").reviewers) == ["ada", "lee"]
    assert usernames(after("/reassign_reviewer @lee").reviewers) == ["lee"]
    assert usernames(after("/request_review me").reviewers) == ["lee", "root"]
    assert (after("/draft").title, after("/ready").title) == ("Draft: Ferns", "Ferns")
    assert usernames([one["user"] for one in after("/approve").approvals.get().approved_by]) == ["root"]
    assert after("/unapprove").approvals.get().approved_by == []
    assert usernames(after("/assign @ada\n/reassign @lee").assignees) == ["lee"]
    assert after("/close").state == "closed"
    assert [one.body for one in request.notes.list(iterator=True) if not one.system] == ["Please look."]


def test_threads_and_replies_run_quick_actions_too(garden: Any) -> None:
    issue = garden.issues.create({"title": "Water"})
    thread = issue.discussions.create({"body": "Dry.\n/label ~bug"})
    assert thread.attributes["notes"][0]["body"] == "Dry."
    reply = thread.notes.create({"body": "Watered.\n/unlabel ~bug\n/close"})
    assert (reply.body, set(reply.commands_changes)) == ("Watered.", {"unlabel", "close"})
    again = garden.issues.get(issue.iid)
    assert (again.labels, again.state, again.user_notes_count) == ([], "closed", 2)


def test_a_thread_or_reply_of_nothing_but_quick_actions_leaves_no_comment(garden: Any, served: Served) -> None:
    issue = garden.issues.create({"title": "Water"})
    thread = issue.discussions.create({"body": "Dry."})
    path = f"/projects/{garden.id}/issues/{issue.iid}/discussions"
    begun = api(served, "POST", path, json={"body": "/assign @lee"})
    assert (begun.status_code, begun.json()["summary"]) == (202, ["Applied assign."])
    answered = api(served, "POST", f"{path}/{thread.id}/notes", json={"body": "/weight 2"})
    assert (answered.status_code, answered.json()["commands_changes"]) == (202, {"weight": "2"})
    assert api(served, "POST", path, json={"body": "/milestone %Never"}).status_code == 400
    again = garden.issues.get(issue.iid)
    assert (usernames(again.assignees), again.weight, again.user_notes_count) == (["lee"], 2, 1)


def test_orders_in_a_description_are_done_and_are_no_part_of_it(garden: Any) -> None:
    text = (
        'The ferns are dry.\n/label ~bug ~"needs water"\n/assign @lee\n/due 2026-03-20\n/milestone %Spring\n/weight 3'
    )
    issue = garden.issues.create({"title": "Water", "description": text})
    assert (issue.description, sorted(issue.labels)) == ("The ferns are dry.", ["bug", "needs water"])
    assert (usernames(issue.assignees), issue.due_date, issue.weight) == (["lee"], "2026-03-20", 3)
    assert issue.milestone["title"] == "Spring"
    issue.description = "Still dry.\n/remove_label ~bug\n/clear_weight\n/confidential"
    issue.save()
    again = garden.issues.get(issue.iid)
    assert (again.description, again.labels, again.weight) == ("Still dry.", ["needs water"], None)
    assert again.confidential is True
    request = opened(garden, "Adds ferns.\n/assign_reviewer @lee\n/draft")
    assert (request.title, request.description, usernames(request.reviewers)) == (
        "Draft: Ferns",
        "Adds ferns.",
        ["lee"],
    )


def test_what_is_no_order_stays_text(garden: Any, gl: gitlab.Gitlab) -> None:
    text = "/etc/hosts has it\n/unknown thing\n```\n/close\n```\nsee a/close"
    issue = garden.issues.create({"title": "Hosts", "description": text})
    assert (issue.description, issue.state) == (text, "opened")
    issue.notes.create({"body": "/draft"})  # of merge requests only
    assert garden.issues.get(issue.iid).title == "Hosts"
    _, stranger = person(gl, "stranger")
    stranger.projects.get(garden.id).issues.get(issue.iid).notes.create({"body": "/close"})
    assert garden.issues.get(issue.iid).state == "opened"


def test_nobody_approves_their_own_request_where_the_project_forbids_it(garden: Any) -> None:
    garden.approvals.update(new_data={"merge_requests_author_approval": False})
    request = opened(garden)
    with pytest.raises(gitlab.GitlabCreateError, match="Could not apply approve command"):
        request.notes.create({"body": "/approve"})
    assert garden.mergerequests.get(request.iid).approvals.get().approved_by == []


def test_a_reporter_orders_nothing_of_somebody_elses_request(garden: Any, gl: gitlab.Gitlab) -> None:
    request = opened(garden)
    user, ned = person(gl, "ned")
    garden.members.create({"user_id": user.id, "access_level": 20})
    for order in ("/close", "/draft", "/assign_reviewer @ned"):
        ned.projects.get(garden.id).mergerequests.get(request.iid).notes.create({"body": order})
    after = garden.mergerequests.get(request.iid)
    assert (after.state, after.title, after.reviewers) == ("opened", "Ferns", [])


def test_quick_actions_check_and_note_as_the_api_does(garden: Any) -> None:
    issue = garden.issues.create({"title": "Water"})

    def say(text: str) -> Any:
        return issue.notes.create({"body": text})

    say("/title Water daily\n/due 2026-03-20\n/lock\n/confidential\n/estimate 1h\n/spend 30m\n/milestone %Spring")
    told = [one.body for one in issue.notes.list(iterator=True, sort="asc", order_by="created_at") if one.system]
    assert told == [
        "changed title from **Water** to **Water daily**", "changed due date to March 20, 2026",
        "locked the discussion in this issue", "made the issue confidential", "changed time estimate to 1h",
        "added 30m of time spent", 'changed milestone to %"Spring"',
    ]  # fmt: skip
    for text in ("/due 2026-02-30", "/spend -1h", "/title", "/milestone %Autumn", "/weight heavy", "/estimate soon"):
        with pytest.raises(gitlab.GitlabCreateError) as refusal:
            say(text)
        assert refusal.value.response_code == 400
    answer = say("/unlock\n/weight heavy")
    assert answer.attributes["summary"] == ["Applied unlock.", "Could not apply weight command."]
    after = garden.issues.get(issue.iid)
    assert (after.title, after.due_date, after.weight, after.milestone["title"]) == (
        "Water daily", "2026-03-20", None, "Spring",
    )  # fmt: skip
    assert (after.time_stats()["total_time_spent"], after.discussion_locked) == (1800, False)
    assert say("Done.\n/spend -1d").attributes["body"] == "Done."
