"""A small furnished forge for the tests of its pages: a group, two colleagues, one project with everything in it."""

from __future__ import annotations

import base64
from typing import Any

import requests

from tests.company.serving import Served

PASSWORD = "long-enough-1"
SHED = "/garden/shed"
APP = '''"""Waters the garden."""


def plan(beds):
    """Which beds get water today."""
    return [bed for bed in beds if bed.dry]
'''
BETTER = APP.replace("if bed.dry]", "if bed.dry and not bed.rain]")
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Api:
    """The API as root (or somebody else), for putting things into place and looking at what a page did."""

    def __init__(self, served: Served, token: str = "root-token") -> None:
        self._base = f"{served.url('forge')}/api/v4"
        self._headers = {"PRIVATE-TOKEN": token}

    def __call__(self, method: str, path: str, /, **given: Any) -> Any:
        more: dict[str, Any] = {"params": given} if method == "GET" else {"json": given}
        answer = requests.request(method, self._base + path, headers=self._headers, timeout=60, **more)
        assert answer.status_code < 400, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def get(self, path: str, /, **given: Any) -> Any:
        return self("GET", path, **given)


SHED_API = "/projects/garden%2Fshed"


def furnish(served: Served) -> Api:
    """Sam develops, Maya maintains; `watering` waits to be merged into the protected `main`."""
    api = Api(served)
    people = {
        name: api("POST", "/users", username=name, name=full, email=f"{name}@blank.test", password=PASSWORD)["id"]
        for name, full in (("sam", "Sam Reed"), ("maya", "Maya Holt"), ("gus", "Gus Guest"))
    }
    group = api("POST", "/groups", name="Garden", path="garden", visibility="internal")["id"]
    for name, level in (("sam", 30), ("maya", 50)):
        api("POST", f"/groups/{group}/members", user_id=people[name], access_level=level)
    project = api(
        "POST", "/projects", name="Shed", path="shed", namespace_id=group, visibility="internal",
        description="Keeps the tools.", topics=["tools"],
    )["id"]  # fmt: skip
    at = f"/projects/{project}"
    _code(api, at)
    for name, color in (("bug", "#d9534f"), ("doing", "#428bca"), ("idea", "#5cb85c")):
        api("POST", f"{at}/labels", name=name, color=color, description=f"About {name}")
    milestone = api("POST", f"{at}/milestones", title="Spring", due_date="2026-05-01", description="**Soon**")["id"]
    api("POST", f"{at}/issues", title="The roof leaks", description="See @maya and !1.\n\n- [ ] buy tar", labels="bug",
        milestone_id=milestone, assignee_ids=[people["sam"]])  # fmt: skip
    api("POST", f"{at}/issues", title="Sharpen the shears", labels="doing,idea")
    api("POST", f"{at}/issues", title="Paint the door")
    api("PUT", f"{at}/issues/3", state_event="close")
    api("POST", f"{at}/issues/1/notes", body="It drips on the spades.")
    api("POST", f"{at}/merge_requests", title="Wait for the rain", source_branch="watering", target_branch="main",
        description="Closes #1", reviewer_ids=[people["sam"]], labels="idea", milestone_id=milestone)  # fmt: skip
    api("POST", f"{at}/wikis", title="home", content="# Welcome\n\nRead [the setup](setup) and [[setup]].")
    api("POST", f"{at}/wikis", title="setup", content="Take a spade.")
    api("POST", f"{at}/releases", tag_name="v1.0", ref="main", name="First harvest", description="* tools")
    board = api("POST", f"{at}/boards", name="Development")["id"]
    doing = next(one["id"] for one in api.get(f"{at}/labels") if one["name"] == "doing")
    api("POST", f"{at}/boards/{board}/lists", label_id=doing)
    return api


def _code(api: Api, at: str) -> None:
    picture = {"action": "create", "file_path": "logo.png", "content": base64.b64encode(PIXEL).decode(),
               "encoding": "base64"}  # fmt: skip
    readme = (
        "# Shed\n\nStart with [the notes](docs/notes.md).\n\n![logo](logo.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    _commit(api, at, "main", "Begin", [
        {"action": "create", "file_path": "README.md", "content": readme},
        {"action": "create", "file_path": "docs/notes.md", "content": "Notes\n"}, picture,
    ])  # fmt: skip
    _commit(api, at, "main", "Water the beds", [{"action": "create", "file_path": "src/app.py", "content": APP}])
    better = [{"action": "update", "file_path": "src/app.py", "content": BETTER}]
    _commit(api, at, "watering", "Wait for the rain", better, start_branch="main")
    _commit(api, at, "old/paint", "Paint", [{"action": "create", "file_path": "paint.txt", "content": "red\n"}],
            start_branch="main")  # fmt: skip
    if not api.get(f"{at}/protected_branches"):
        api("POST", f"{at}/protected_branches", name="main")


def _commit(api: Api, at: str, branch: str, message: str, actions: list[dict[str, Any]], **more: Any) -> None:
    api("POST", f"{at}/repository/commits", branch=branch, commit_message=message, actions=actions, **more)
