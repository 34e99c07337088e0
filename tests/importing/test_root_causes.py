"""One small task folder for each way in which a published task once failed for a reason of ours, run in its world.

Each is imported, its world is built, and an examinee that does nothing is graded: no fault, no point for nothing, and
what the world lacks is said beforehand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.company.world.gaps import lacks_of
from dayjob.company.world.snapshot import check_world
from dayjob.importing import import_tac
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial
from tests.importing.checkouts import BASE, BOARD_ID, CHECKOUT, write

HOST = "http://the-agent-company.com"


def evaluator(body: str, points: int = 1) -> str:
    """A grader in the published shape: `check()` decides about all the points."""
    lines = [
        "from common import *",
        "from scoring import Checkpoint, Result",
        "import datetime",
        "import re",
        "import urllib.parse",
        "",
        *body.strip("\n").splitlines(),
        "",
        'def grade_checkpoints(trajectory="") -> Result:',
        f"    return Result([Checkpoint({points}, {points} * int(check()))])",
        "",
    ]
    return "\n".join(lines)


DOCUMENT = f"""
Fill in the form float_plan.pdf, which is in Documents/Harbour Office on ownCloud ({HOST}:8092). You need
[the tides]({HOST}:8092/index.php/apps/files/?dir=/Documents/Tides%20and%20Winds) and "Old Charts.xlsx" beside them.
Save it as float_plan_done.pdf in Documents/Harbour Office.
"""
DOCUMENT_GRADER = """
def check():
    return check_file_in_owncloud_directory("float_plan_done.pdf", "Documents/Harbour Office")
"""
WIKI = f"""
Copy the rules from {HOST}:8929/root/regatta/-/issues/31 to the company's wiki at {HOST}:8929/root/doc/-/wikis, create a
new wiki page there called Start_rules, and tell Orla Quint on RocketChat.
"""
WIKI_GRADER = f"""
# The page should be at {HOST}:8929/root/doc/-/wikis/Start_rules
def check():
    return requests.get("{HOST}:8929/root/doc/-/wikis/Start_rules").status_code == 200
"""
OWNER = f"""
Find the channel #wind-talk at {HOST}:3000/home and make the user theagentcompany its owner.
"""
OWNER_GRADER = """
rocket = create_rocketchat_client()

def check():
    users = rocket.roles_get_users_in_role("owner").json()["users"]
    return any(one["username"] == "theagentcompany" for one in users)
"""
LABELS = f"""
Go to GitLab at {HOST}:8929/. Under project Regatta, remove the “bug” label from all issues that don't have "bug" in
their title.
"""
LABELS_GRADER = """
PROJECT_NAME = "regatta"
BUOY_ISSUE_IID = 200

def fits(issue_iid):
    project = get_gitlab_project_id(PROJECT_NAME)
    issue = make_gitlab_request(str(project), additional_path=f"issues/{issue_iid}").json()
    return ("bug" in issue["title"].lower()) == ("bug" in issue.get("labels", []))

def check():
    return fits(BUOY_ISSUE_IID) and fits(issue_iid=140)
"""
TITLES = f"""
In {HOST}:8929/root/regatta, close the following issues:
- "Buoy 4 drifts, at low tide"
- "The horn is silent"
"""
TITLES_GRADER = """
def check():
    found = make_gitlab_request("root%2Fregatta", "issues", params={"search": "The horn is silent"}).json()
    return found[0]["state"] == "closed"
"""
CYCLES = f"""
On Plane ({HOST}:8091/tac/), in the Regatta project, mark the issue "Lay the buoys" of the current sprint as done and
move the issue "Paint the buoys" to the next sprint.
"""
CYCLES_GRADER = """
PROJECT_NAME = "Regatta"

def check():
    project = get_plane_project_id(PROJECT_NAME)
    url = f"{PLANE_BASEURL}/api/v1/workspaces/{PLANE_WORKSPACE_SLUG}/projects/{project}/cycles/"
    cycles = requests.get(url, headers=PLANE_HEADERS).json()["results"]
    now = datetime.datetime.now(datetime.timezone.utc)
    def day(text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=datetime.timezone.utc)
    active = next(one for one in cycles if day(one["start_date"]) <= now <= day(one["end_date"]))
    upcoming = next(one for one in cycles if day(one["start_date"]) > now)
    there = get_plane_issues_by_project_cycle(project, upcoming["id"])
    assert [one["name"] for one in get_plane_issues_by_project_cycle(project, active["id"])]
    state = get_plane_state_details(project, get_plane_issue_details(project, "Lay the buoys")["state"])
    return state["name"] == "Done" and any(one["name"] == "Paint the buoys" for one in there)
"""
EMPTY = f"""
Go to GitLab at {HOST}:8929/ and close all the pull requests of all repositories.
"""
EMPTY_GRADER = """
def check():
    for one in make_gitlab_request(additional_path="projects").json():
        if make_gitlab_request(str(one["id"]), "merge_requests", params={"state": "opened"}).json():
            return False
    return True
"""
PERSON = """
Ask Tove Lind on RocketChat which wind is forecast, and write it to /workspace/wind.txt.
"""
PERSON_GRADER = """
rocket = create_rocketchat_client()

def check():
    return bool(get_rocketchat_personal_chat_history(rocket, "Tove Lind"))
"""
MAKE_BOARD = f"""
On the board at {HOST}:8091/tac/ create a new project called "Winter Berths", and tell #berths at {HOST}:3000/home.
"""
MAKE_BOARD_GRADER = """
def check():
    return get_plane_project_id("Winter Berths") is not None
"""
NAME_BOARD = f"""
Open {HOST}:8091/tac/projects/{BOARD_ID}/issues/ in Plane, which is the Slipway project, and mark "Tar the hull" there.
"""
NAME_BOARD_GRADER = """
def check():
    project = get_plane_project_id("Slipway")
    item = get_plane_issue_details(project, "Tar the hull")
    return get_plane_state_details(project, item["state"])["name"] == "Done"
"""
BOARD_BY_ADDRESS = f"""
In Plane there are two issues in sprint 4, "Tar the hull" and "Dry the sails", see
{HOST}:8091/tac/projects/{BOARD_ID}/issues/. Move the latter to the next sprint.
"""
BOARD_BY_ADDRESS_GRADER = f"""
PROJECT = "{BOARD_ID}"

def check():
    item = get_plane_issue_details(PROJECT, "Dry the sails")["id"]
    before, after = (get_plane_cycle_details(PROJECT, f"Sprint {{number}}")["id"] for number in (4, 5))
    assert [one["id"] for one in get_plane_issues_by_project_cycle(PROJECT, before)]
    return item in [one["id"] for one in get_plane_issues_by_project_cycle(PROJECT, after)]
"""
EMPTY_BOARD = f"""
Close all issues of all projects in Plane ({HOST}:8091/), then tell #closing on RocketChat.
"""
EMPTY_BOARD_GRADER = """
def check():
    open_ones = []
    for project in get_all_plane_projects():
        names, _ = get_plane_state_id_dict(project["id"])
        open_ones += [one for one in get_plane_project_all_issues(project["id"]) if one["state"] != names["Done"]]
    return not open_ones
"""
MILESTONE = f"""
In {HOST}:8929/root/regatta, close the milestone named "tide-1.9", and create a new milestone named "tide-1.95".
"""
MILESTONE_GRADER = """
def titled(title):
    return make_gitlab_request("root%2Fregatta", "milestones", params={"search": title}).json()

def check():
    assert not [one for one in titled("tide-1.95") if one["title"] == "tide-1.95"]
    return titled("tide-1.9")[0]["state"] == "closed"
"""
RELEASE = f"""
Create a new release called tide-2 in {HOST}:8929/root/regatta.
"""
RELEASE_GRADER = """
PATH = "releases"

def check():
    found = make_gitlab_request("root/regatta", urllib.parse.quote(PATH, safe="")).json()
    return any(one["name"] == "tide-2" for one in found)
"""
MODERATOR = f"""
Make ebba.stone a moderator of #general at {HOST}:3000/home.
"""
MODERATOR_GRADER = """
rocket = create_rocketchat_client()
USERNAME = "ebba.stone"

def check():
    users = rocket.roles_get_users_in_role("moderator").json()["users"]
    there = rocket.users_info(username=USERNAME).json()["success"]
    return there and any(one["username"] == USERNAME for one in users)
"""
MODERATOR_INIT = """
from common import *

rocket = create_rocketchat_client()
user = rocket.users_info(username="ebba.stone").json()["user"]["_id"]
room = rocket.channels_info(channel="general").json()["channel"]["_id"]
assert rocket.channels_invite(room, user).json()["success"]
"""

TASKS = {
    "fill-form": (DOCUMENT, DOCUMENT_GRADER, "owncloud"),
    "move-wiki": (WIKI, WIKI_GRADER, "gitlab"),
    "own-channel": (OWNER, OWNER_GRADER, "rocketchat"),
    "label-issues": (LABELS, LABELS_GRADER, "gitlab"),
    "close-issues": (TITLES, TITLES_GRADER, "gitlab"),
    "move-sprint": (CYCLES, CYCLES_GRADER, "plane"),
    "close-all-prs": (EMPTY, EMPTY_GRADER, "gitlab"),
    "ask-somebody": (PERSON, PERSON_GRADER, "rocketchat"),
    "make-board": (MAKE_BOARD, MAKE_BOARD_GRADER, "plane"),
    "name-board": (NAME_BOARD, NAME_BOARD_GRADER, "plane"),
    "board-by-address": (BOARD_BY_ADDRESS, BOARD_BY_ADDRESS_GRADER, "plane"),
    "empty-board": (EMPTY_BOARD, EMPTY_BOARD_GRADER, "plane"),
    "close-milestone": (MILESTONE, MILESTONE_GRADER, "gitlab"),
    "make-release": (RELEASE, RELEASE_GRADER, "gitlab"),
    "make-moderator": (MODERATOR, MODERATOR_GRADER, "rocketchat"),
}
LACKS = {
    "fill-form": {"Documents/Harbour Office/float_plan.pdf", "Documents/Tides and Winds/Old Charts.xlsx"},
    "move-wiki": {"root/regatta issues/31"},
    "own-channel": {"owners"},
    "label-issues": {"root/regatta", "root/regatta issues/140", "root/regatta issues/200"},
    "close-issues": {"root/regatta", "root/regatta issue 'Buoy 4 drifts, at low tide'"}
    | {"root/regatta issue 'The horn is silent'"},
    "move-sprint": {"project 'Regatta'", "item 'Lay the buoys' of 'Regatta'", "item 'Paint the buoys' of 'Regatta'"}
    | {"cycle 'Cycle 1' of 'Regatta'", "cycle 'Cycle 2' of 'Regatta'"},
    "close-all-prs": {"all merge requests"},
    "ask-somebody": {"Tove Lind"},
    "make-board": {"berths"},
    "name-board": {"project 'Slipway'", "item 'Tar the hull' of 'Slipway'"},
    "board-by-address": {"item 'Dry the sails' of 'Slipway'"}
    | {"cycle 'Sprint 4' of 'Slipway'", "cycle 'Sprint 5' of 'Slipway'"},
    "empty-board": {"closing"},
    "close-milestone": {"root/regatta", "root/regatta milestone 'tide-1.9'"},
    "make-release": {"root/regatta", "root/regatta releases"},
    "make-moderator": {"ebba.stone"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of these tasks alone, and the world made of it."""
    folder = tmp_path_factory.mktemp("causes")
    files = {path: text for path, text in CHECKOUT.items() if path != "evaluation/tasks.json"}
    for name, (text, grader, service) in TASKS.items():
        points = "# Checkpoints\n\nThis task has 1 point in total.\n\n## Checkpoint 1 (1pt)\n\nIt is done.\n"
        parts = {"task.md": text, "checkpoints.md": points, "evaluator.py": evaluator(grader), "Dockerfile": BASE}
        parts["dependencies.yml"] = f"- {service}\n"
        if name == "make-moderator":
            parts["pre_init.py"] = MODERATOR_INIT.lstrip()
        files |= {f"workspaces/tasks/{name}/{file}": content for file, content in parts.items()}
    write(folder / "checkout", files)
    import_tac(folder / "checkout", folder / "tac")
    assert check_world(folder / "tac") == []
    return folder


@pytest.mark.parametrize("task", TASKS)
def test_what_a_task_lacks_is_listed_for_people_and_programs(home: Path, task: str) -> None:
    assert {one.thing for one in lacks_of(home / "tac", task)} == LACKS[task]
    page = (home / "tac/GAPS.md").read_text("utf-8")
    [line] = [line for line in page.splitlines() if line.startswith(f"- {task}: ")]
    assert all(thing in line for thing in LACKS[task])
    assert f"## Tasks with a hole ({len(TASKS)} of {len(TASKS)})" in page


@pytest.mark.parametrize("task", TASKS)
def test_doing_nothing_is_graded_without_a_fault_and_earns_nothing(home: Path, tmp_path: Path, task: str) -> None:
    folder = home / "checkout/workspaces/tasks" / task
    outcome = run_trial(
        TrialSpec(task=str(folder), agent="nop", out=str(tmp_path / "out"), world=str(home / "tac")), home / "cache"
    )
    for_nothing = task == "close-all-prs"  # there is none to close, which its gap says
    assert (outcome.label, outcome.result) == ((Label.RESOLVED, 1) if for_nothing else (Label.FAILED, 0)), (
        outcome.reason
    )
    [note] = [note for note in outcome.notes if "GAPS.md" in note]
    assert min(LACKS[task]) in note


def test_what_stands_in_for_the_missing_is_where_tasks_look(home: Path) -> None:
    board = yaml.safe_load((home / "tac/board/projects/regat.yml").read_text("utf-8"))
    assert [(one["name"], str(one["start"]), str(one["end"])) for one in board["cycles"]] == [
        ("Cycle 1", "2024-10-28", "2039-12-31"),  # its grader goes by the machine's clock, not by the company's
        ("Cycle 2", "2040-01-01", "2040-01-14"),
    ]
    assert [(one["name"], one["cycle"]) for one in board["items"]] == [
        ("Lay the buoys", "Cycle 1"),
        ("Paint the buoys", "Cycle 1"),
    ]
    board = yaml.safe_load((home / "tac/board/projects/slipw.yml").read_text("utf-8"))
    assert (board["id"], [one["name"] for one in board["cycles"]]) == (BOARD_ID, ["Sprint 4", "Sprint 5"])
    assert [(one["name"], one["cycle"]) for one in board["items"]] == [
        ("Dry the sails", "Sprint 4"),
        ("Tar the hull", "Sprint 4"),
    ]
    assert {path.stem for path in (home / "tac/board/projects").iterdir()} == {"regat", "slipw"}
    project = yaml.safe_load((home / "tac/forge/projects/root/regatta/project.yml").read_text("utf-8"))
    assert project["milestones"] == [{"title": "tide-1.9"}]
    person = yaml.safe_load((home / "tac/people/ebba.stone.yml").read_text("utf-8"))
    assert person == {"name": "Ebba Stone", "username": "ebba.stone"}
    issues = yaml.safe_load((home / "tac/forge/projects/root/regatta/issues.yml").read_text("utf-8"))
    assert [(one.get("number"), one["title"], one.get("labels")) for one in issues] == [
        (31, "Issue 31", None),
        (140, "Issue 140", ["bug"]),
        (200, "Issue 200", ["bug"]),
        (None, "Buoy 4 drifts, at low tide", None),
        (None, "The horn is silent", None),
    ]
    folders = {path.parent.name for path in (home / "tac/drive/files/Documents").rglob(".gitkeep")}
    assert folders == {"Documents", "Harbour Office", "Tides and Winds"}
    assert {path.stem for path in (home / "tac/forge/projects/root/doc/wiki").iterdir()} == {"home"}


def test_a_run_says_what_is_missing_before_it_starts(home: Path, tmp_path: Path) -> None:
    words = ["run", str(home / "checkout/workspaces/tasks/fill-form"), "-a", "nop", "--world", str(home / "tac")]
    answer = CliRunner(env={"DAYJOB_CACHE": str(home / "cache")}).invoke(
        dayjob, [*words, "-o", str(tmp_path / "run")], catch_exceptions=False
    )
    sentence = (
        "fill-form: 2 things are missing in its world or only stood in for: drive Documents/Harbour Office/"
        "float_plan.pdf, drive Documents/Tides and Winds/Old Charts.xlsx. GAPS.md there says more."
    )
    assert answer.output.splitlines()[0] == sentence
    answer = CliRunner(env={"DAYJOB_CACHE": str(home / "cache")}).invoke(
        dayjob, [*words, "-o", str(tmp_path / "again"), "--json"], catch_exceptions=False
    )
    lacking, outcome = (json.loads(line) for line in answer.stdout.splitlines())
    assert (lacking["event"], lacking["task"]) == ("lacking", "fill-form")
    assert {one["thing"] for one in lacking["lacks"]} == LACKS["fill-form"]
    assert sentence in outcome["notes"]
