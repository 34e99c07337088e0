"""A small checkout in the published layout, with an invented company in it, and task folders in the published shape."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from textwrap import dedent

BASE = "FROM ghcr.io/theagentcompany/task-base-image:1.0.0\n"
WHEEL = "kitewords-1.0-py3-none-any.whl"
BOARD_ID = "3f0c1d52-9a41-4c1e-8a77-0b2f6e4d9c10"

PEOPLE = [
    {
        "first_name": "Orla",
        "last_name": "Quint",
        "age": 51,
        "occupation": "Head of Kites",
        "gender": "Woman",
        "gender_pronoun": "She/Her",
        "public_info": "Decides which kites are built",
        "slack_channels": "All technical channels, #general, #wind-talk",
    },
    {
        "first_name": "Bo",
        "last_name": "Ferris",
        "occupation": "Line keeper",
        "public_info": "Keeps the lines",
        "slack_channels": "#project-lines, #wind-talk",
    },
    {
        "first_name": "Zoë",
        "last_name": "van Dyck",
        "occupation": "Buyer",
        "public_info": "Buys silk",
        "slack_channels": "All project channels",
    },
]
CREDENTIALS = {
    "Orla Quint": {"username": "orla_quint", "password": "theagentcompany"},
    "Bo Ferris": {"username": "bo_ferris", "password": "theagentcompany"},
    "Ivo Marsh": {"username": "ivo_marsh", "password": "theagentcompany"},
}
CHECKOUT = {
    "servers/rocketchat/npc/npc_definition.json": json.dumps(PEOPLE),
    "workspaces/base_image/npc/npc_credential.json": json.dumps(CREDENTIALS),
    "workspaces/base_image/config.py": """
        import os
        PLANE_WORKSPACE_SLUG = os.getenv("PLANE_WORKSPACE_SLUG") or "tac"
        PROJECT_FILES = {"stringcutter": "only-here.toml"}
        PLANE_API_KEY = os.environ.get("PLANE_API_KEY") or "plane_api_of_the_kite_makers"
        """,
    "servers/gitlab/wikis/Home.md": "# Kites\\n\\nThe code is in root/kitefly.\n",
    "evaluation/tasks.json": json.dumps({"tasks": [{"task_name": "lines-report"}, {"task_name": "lost-task"}]}),
}

# Four tasks, each leaning on another part of what published graders and init scripts use.
LINES_REPORT = {
    "task.md": f"""
        Bo Ferris knows how long the line of the red kite is. Ask him on RocketChat (http://the-agent-company.com:3000/home).
        Tell #wind-talk the length. Then open the board at http://the-agent-company.com:8091/tac/projects/{BOARD_ID}/issues/
        and add an issue called "Cut the line" to it.
        """,
    "checkpoints.md": """
        # Checkpoints

        This task has 4 points in total.

        ## Checkpoint 1 (1pt)

        Bo was asked.

        ## Checkpoint 2 (1pt)

        The channel knows.

        ## Checkpoint 3 (2pts)

        The issue is on the board.
        """,
    "Dockerfile": BASE,
    "dependencies.yml": "- rocketchat\n- plane\n",
    "scenarios.json": json.dumps(
        {"Bo Ferris": {"extra_info": "The line of the red kite is 88 metres.", "strategy_hint": "Answer when asked."}}
    ),
    "evaluator.py": """
        from typing import List

        from common import *
        from scoring import Checkpoint, Result, bonus_for_completing_final

        rocket = create_rocketchat_client()
        PROJECT_NAME = "Lines"


        @grader
        def grade_checkpoint1():
            messages = get_rocketchat_personal_chat_history(rocket, "bo_ferris")
            return any("red" in str(message) for message in messages)


        @grader
        def grade_checkpoint2():
            return check_rocketchat_message_posted(rocket, "wind-talk", ["88"])


        @grader
        def grade_checkpoint3():
            project = get_plane_project_id(PROJECT_NAME)
            return get_plane_issue_details(project, "Cut the line") is not None


        def grade_checkpoints(trajectory="") -> Result:
            checkpoints: List[Checkpoint] = []
            result = Result(checkpoints, bonus_for_completing_final)
            checkpoints.append(Checkpoint(1, int(grade_checkpoint1())))
            checkpoints.append(Checkpoint(1, int(grade_checkpoint2())))
            checkpoints.append(Checkpoint(2, 2 * int(grade_checkpoint3())))
            return result
        """,
}
LINES_SOLUTION = f"""
    import requests

    chat = "http://the-agent-company.com:3000/api/v1"
    login = requests.post(f"{{chat}}/login", json={{"user": "theagentcompany", "password": "theagentcompany"}}).json()
    headers = {{"X-Auth-Token": login["data"]["authToken"], "X-User-Id": login["data"]["userId"]}}
    for channel, text in (("@bo_ferris", "How long is the red kite's line?"), ("#wind-talk", "It is 88 metres.")):
        sent = requests.post(f"{{chat}}/chat.postMessage", json={{"channel": channel, "text": text}}, headers=headers)
        sent.raise_for_status()
    project = "http://the-agent-company.com:8091/api/v1/workspaces/tac/projects/{BOARD_ID}/issues/"
    made = requests.post(
        project, json={{"name": "Cut the line"}}, headers={{"x-api-key": "plane_api_of_the_kite_makers"}}
    )
    made.raise_for_status()
    """

FIX_KITE = {
    "task.md": """
        Clone http://the-agent-company.com:8929/root/kitefly to /workspace/kitefly, add the licence that is named in an
        issue, and push it to main. The company's wiki is at http://the-agent-company.com:8929/root/doc/-/wikis/home.
        """,
    "checkpoints.md": """
        # Checkpoints

        This task has 4 points in total.

        ## Checkpoint 1 (1pt)

        The project was looked at.

        ## Checkpoint 2 (3pts)

        The licence is there.
        """,
    "Dockerfile": BASE + f"\nCOPY licence.txt {WHEEL} /utils/\nRUN pip install --no-index /utils/{WHEEL}\n",
    WHEEL: "",  # a package of the grader's own, made by `write`
    "licence.txt": "Blue Sky Licence\n",
    "dependencies.yml": "- gitlab\n",
    "pre_init.py": """
        import requests
        from config import *

        requests.post(f"http://{SERVER_HOSTNAME}:2999/api/reset-gitlab").raise_for_status()
        """,
    "post_init.py": """
        from common import make_gitlab_request

        asked = {"title": "Licence", "description": "Use the BLUE SKY LICENCE, in LICENSE."}
        made = make_gitlab_request("root%2Fkitefly", "issues", method="POST", params=asked)
        assert made is not None and made.status_code == 201, made
        """,
    "evaluator.py": """
        import logging
        from typing import List

        import kitewords
        from common import *
        from scoring import Checkpoint, Result

        GITLAB_PAGE = "http://the-agent-company.com:8929/root/kitefly"


        @grader
        def grade_checkpoint1(trajectory):
            return GITLAB_PAGE in trajectory


        @grader
        def grade_checkpoint2():
            if not os.path.isdir("/workspace/kitefly/.git"):
                return False
            project = urllib.parse.quote("root/kitefly", safe="")
            answer = make_gitlab_request(project, "repository/files/LICENSE/raw", params={"ref": "main"})
            if answer is None or answer.status_code != 200:
                logging.warning("no licence")
                return False
            with open("/utils/licence.txt") as file:
                wanted = file.read()
            wanted = kitewords.loud(wanted)
            headers = {"PRIVATE-TOKEN": "root-token"}
            owner = requests.get(f"{GITLAB_BASEURL}/api/v4/user", headers=headers).json()
            return answer.text.strip() == wanted.strip() and owner["username"] == GITLAB_USER


        def grade_checkpoints(trajectory="") -> Result:
            checkpoints: List[Checkpoint] = []
            result = Result(checkpoints)
            checkpoints.append(Checkpoint(1, int(grade_checkpoint1(trajectory))))
            checkpoints.append(Checkpoint(3, 3 * int(grade_checkpoint2())))
            return result
        """,
}
FIX_SOLUTION = """
    set -e
    page=http://the-agent-company.com:8929/root/kitefly
    echo "reading $page"
    git clone -q http://root:theagentcompany@the-agent-company.com:8929/root/kitefly.git /workspace/kitefly
    cd /workspace/kitefly
    echo 'BLUE SKY LICENCE' > LICENSE
    git add LICENSE
    git -c user.name=Someone -c user.email=someone@company.test commit -qm 'Add the licence'
    git push -q origin HEAD:main
    """

SILK_PRICES = {
    "task.md": """
        Read "/Documents/Silk Team/prices.csv" on OwnCloud (http://the-agent-company.com:8092/index.php/apps/files/?dir=/Documents/Silk%20Team&fileid=12).
        Save the sum as "/Documents/Silk Team/sum.txt", and write a public link to it to /workspace/link.txt.
        """,
    "checkpoints.md": """
        # Checkpoints

        This task has 3 points in total.

        ## Checkpoint 1 (1pt)

        The sum is on the drive.

        ## Checkpoint 2 (2pts)

        The link leads to it.
        """,
    "Dockerfile": BASE,
    "dependencies.yml": "- owncloud\n",
    "populate_data.py": """
        from common import *

        where = f"{OWNCLOUD_URL}/remote.php/webdav/Documents/Silk%20Team/prices.csv"
        login = HTTPBasicAuth(OWNCLOUD_USERNAME, OWNCLOUD_PASSWORD)
        requests.put(where, data="red,19\\nblue,23\\n", auth=login).raise_for_status()
        """,
    "evaluator.py": """
        from common import *
        from config import *
        from scoring import *
        from typing import List

        DIR = "Documents/Silk Team"


        @grader
        def grade_checkpoint1():
            if not check_file_in_owncloud_directory("sum.txt", DIR):
                return False
            content = get_binary_file_content_owncloud("sum.txt", DIR)
            return re.search(r"\\b42\\b", content.decode()) is not None


        @grader
        def grade_checkpoint2():
            link = get_owncloud_url_in_file("/workspace/link.txt")
            if not link or not download_owncloud_content(link, "/tmp/sum.txt"):
                return False
            with open("/tmp/sum.txt") as file:
                return file.read().strip() == "42"


        def grade_checkpoints(trajectory="") -> Result:
            checkpoints: List[Checkpoint] = []
            checkpoints.append(Checkpoint(1, grade_checkpoint1()))
            checkpoints.append(Checkpoint(2, 2 * int(grade_checkpoint2())))
            return Result(checkpoints, bonus_for_completing_any)
        """,
}
SILK_SOLUTION = """
    import requests

    drive, login = "http://the-agent-company.com:8092", ("theagentcompany", "theagentcompany")
    folder = f"{drive}/remote.php/webdav/Documents/Silk%20Team"
    rows = requests.get(f"{folder}/prices.csv", auth=login).text.split()
    total = sum(int(row.split(",")[1]) for row in rows)
    requests.put(f"{folder}/sum.txt", data=f"{total}\\n", auth=login).raise_for_status()
    asked = {"path": "/Documents/Silk Team/sum.txt", "shareType": 3}
    shares = f"{drive}/ocs/v1.php/apps/files_sharing/api/v1/shares?format=json"
    answer = requests.post(shares, data=asked, auth=login, headers={"OCS-APIREQUEST": "true"}).json()
    with open("/workspace/link.txt", "w") as file:
        file.write(answer["ocs"]["data"]["url"])
    """

START_CHANNEL = {
    "task.md": """
        Create a new channel called #launch-day on RocketChat, and invite Orla Quint and Nell Brook.
        """,
    "checkpoints.md": """
        # Checkpoints

        This task has 2 points in total.

        ## Checkpoint 1 (2pts)

        The channel is there, with both in it.
        """,
    "Dockerfile": BASE,
    "dependencies.yml": "- rocketchat\n",
    "scenarios.json": '{"Nell Brook": {"extra_info": "", "strategy_hint": ""}}',
    "evaluator.py": """
        from typing import List

        from common import *
        from scoring import Checkpoint, Result

        rocket = create_rocketchat_client()
        WANTED = {"names": ["orla_quint", "nell_brook"]}


        @grader
        def grade_checkpoint1():
            members = rocket.channels_members(channel="launch-day").json()
            if not members.get("success"):
                return False
            there = {one["username"] for one in members["members"]}
            logging.info("there: %s", sorted(there))
            return all(name in there for name in WANTED["names"])


        def grade_checkpoints(trajectory="") -> Result:
            checkpoints: List[Checkpoint] = []
            checkpoints.append(Checkpoint(2, 2 * int(grade_checkpoint1())))
            return Result(checkpoints)
        """,
}
CHANNEL_SOLUTION = """
    import requests

    chat = "http://the-agent-company.com:3000/api/v1"
    login = requests.post(f"{chat}/login", json={"user": "theagentcompany", "password": "theagentcompany"}).json()
    headers = {"X-Auth-Token": login["data"]["authToken"], "X-User-Id": login["data"]["userId"]}
    asked = {"name": "launch-day", "members": ["orla_quint", "nell_brook"]}
    requests.post(f"{chat}/channels.create", json=asked, headers=headers).raise_for_status()
    """

TASKS = {
    "lines-report": LINES_REPORT,
    "fix-kite": FIX_KITE,
    "silk-prices": SILK_PRICES,
    "start-channel": START_CHANNEL,
}
SOLUTIONS = {
    "lines-report": ("solution.py", LINES_SOLUTION),
    "fix-kite": ("solution.sh", FIX_SOLUTION),
    "silk-prices": ("solution.py", SILK_SOLUTION),
    "start-channel": ("solution.py", CHANNEL_SOLUTION),
}


def wheel(path: Path) -> None:
    """A package `kitewords` as pip takes it."""
    about = "kitewords-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("kitewords.py", "def loud(text):\n    return text.upper()\n")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: kitewords\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", f"kitewords.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(WHEEL):
            wheel(path)
            continue
        path.write_text(dedent(text).lstrip("\n"), "utf-8")
    return folder


def checkout(folder: Path, **changed: str | None) -> Path:
    """The whole checkout; a file given as text replaces its own, None leaves it out."""
    files = dict(CHECKOUT)
    for task, parts in TASKS.items():
        files |= {f"workspaces/tasks/{task}/{name}": text for name, text in parts.items()}
    return write(folder / "checkout", {name: text for name, text in {**files, **changed}.items() if text is not None})
