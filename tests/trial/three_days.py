"""A task of three days: twelve things happen by a timeline, and whoever works there waits twice."""

from __future__ import annotations

import hashlib
import io
import sqlite3
import tarfile
import tempfile
from collections.abc import Collection
from pathlib import Path

from tests.company.time.offices import office
from tests.trial.offices import write

IN_THE_WORLD = """
- at: day 1 10:00
  who: Mara Lind
  status: busy
- at: day 1 11:00
  who: Omar Diaz
  post: {in: "#launch", text: "The page needs a date, @sam.reed. Mara knows which."}
- at: day 1 15:00
  who: Mara Lind
  edit: {in: "#launch", was: We launch on Thursday, text: We launch on Friday.}
- at: Tue 09:10
  who: Mara Lind
  upload: {path: /Plans/launch.txt, content: "Friday 13 March, at noon\\n"}
- at: Tue 09:15
  who: Mara Lind
  share: {path: /Plans/launch.txt, with: Sam Reed}
- at: day 2 10:00
  who: Omar Diaz
  push:
    project: office/site
    branch: page
    message: Begin the page
    files: {page.md: "We launch on DATE.\\n"}
- id: request
  at: day 2 10:05
  who: Omar Diaz
  open: {project: office/site, merge_request: The page, source: page, reviewers: [Sam Reed]}
"""
IN_THE_TASK = """
- after: request
  delay: 5m
  who: Mara Lind
  comment: {project: office/site, merge_request: The page, text: "@sam.reed, put the date in, then I merge."}
- at: day 2 11:00
  who: Mara Lind
  move: {card: OPS-1, to: In Progress}
- after: {message: {in: "#launch", by: Sam Reed, saying: date is in}}
  delay: 45m
  who: Mara Lind
  merge: {project: office/site, merge_request: The page}
- after: {merge: {project: office/site}}
  delay: 10m
  who: Omar Diaz
  post: {in: Sam Reed, text: "It is on the site. The word of the day is shipshape."}
- at: day 3 10:00
  who: Omar Diaz
  close: {project: office/site, issue: The door squeaks}
"""

SOLUTION = """
    import base64, json, subprocess, urllib.request

    def ask(port, method, path, body=None, **headers):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
        request = urllib.request.Request(f"http://office.test:{port}{path}", data, headers, method=method)
        text = urllib.request.urlopen(request).read()
        return json.loads(text) if text[:1] in (b"{", b"[") else text

    def wait(*given):
        return subprocess.run(["company-wait", *given], check=True, capture_output=True, text=True).stdout

    me = ask(3000, "POST", "/api/v1/login", {"user": "sam.reed", "password": "sam-first-day"})["data"]
    chat = {"x_auth_token": me["authToken"], "x_user_id": me["userId"]}
    news = wait("--until", "Tue 12:00")
    assert "The page needs a date" in news and "put the date in" in news and "shared /launch.txt" in news, news
    basic = "Basic " + base64.b64encode(b"sam.reed:sam-first-day").decode()
    day = ask(8092, "GET", "/remote.php/webdav/launch.txt", authorization=basic).decode().strip()
    given = "grant_type=password&username=sam.reed&password=sam-first-day"
    form = urllib.request.Request("http://office.test:8929/oauth/token", given.encode())
    token = "Bearer " + json.loads(urllib.request.urlopen(form).read())["access_token"]
    change = {
        "branch": "page", "commit_message": "Say the date",
        "actions": [{"action": "update", "file_path": "page.md", "content": f"We launch on {day}.\\n"}],
    }
    ask(8929, "POST", "/api/v4/projects/office%2Fsite/repository/commits", change, authorization=token)
    ask(3000, "POST", "/api/v1/chat.postMessage", {"channel": "#launch", "text": "The date is in."}, **chat)
    news = wait("2d")
    word = next(line for line in news.splitlines() if "word of the day" in line).split()[-1].strip(".")
    open("/workspace/answer.txt", "w").write(word + "\\n")
    """
EVALUATOR = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result
    import requests, os

    @grader
    def grade_answer():
        return Path("/workspace/answer.txt").read_text().strip() == "shipshape"

    @grader
    def grade_page():
        address = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['GITLAB_PORT']}/api/v4/projects/office%2Fsite"
        token = {"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]}
        page = requests.get(f"{address}/repository/files/page.md/raw?ref=main", headers=token).text
        issue = requests.get(f"{address}/issues/1", headers=token).json()
        return page == "We launch on Friday 13 March, at noon.\\n" and issue["state"] == "closed"

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_answer())), Checkpoint(1, int(grade_page()))])
    """
TASK = {
    "task.md": "Do what Omar asks for, and write Omar's word of the day to /workspace/answer.txt.\n",
    "checkpoints.md": "# Checkpoints\n\nThis task has 2 points in total.\n\n## Checkpoint 1 (1 pt)\n\nThe word.\n\n"
    "## Checkpoint 2 (1 pt)\n\nThe page.\n",
    "Dockerfile": "FROM dayjob/task-base:1\n",
    "dependencies.yml": "- rocketchat\n- gitlab\n- owncloud\n- plane\n",
    "task.toml": 'format = 1\nworld = "office"\n[time]\nlongest = "4d"\nclock = "stepped"\n',
    "world/timeline.yml": IN_THE_TASK,
    "solution.py": SOLUTION,
    "evaluator.py": EVALUATOR,
}


def three_days(folder: Path) -> tuple[Path, Path]:
    """The world and the task."""
    return office(folder / "office", IN_THE_WORLD), write(folder / "three-days", TASK)


SECRET = {
    "chat.tokens", "chat.passwords", "forge.tokens", "forge.sessions", "board.sessions", "board.api_keys",
    "drive.sessions",
}  # fmt: skip
SECRET_COLUMNS = {"password", "password_hash", "hash", "secret", "token_hash"}


def contents(trial: Path, *, without: Collection[str] = ()) -> dict[str, list[str]]:
    """What a trial's company came to, by table: its databases less what is secret and the columns left out, and where
    its branches stand."""
    found: dict[str, list[str]] = {}
    with tarfile.open(trial / "kept.tar.gz") as tar, tempfile.TemporaryDirectory() as place:
        for entry in tar:
            content = tar.extractfile(entry)
            if content is None or not entry.name.startswith("company/"):
                continue
            name = entry.name.removeprefix("company/")
            if name.endswith(".db"):
                path = Path(place, name)
                path.write_bytes(content.read())
                found |= _tables(path, {*SECRET_COLUMNS, *without})
            elif "/refs/heads/" in name:
                found[name] = [content.read().decode()]
    return found


def _tables(path: Path, hidden: set[str]) -> dict[str, list[str]]:
    found = {}
    db = sqlite3.connect(path)
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        name = f"{path.stem}.{table}"
        if name not in SECRET and not table.startswith("sqlite_"):
            columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")') if row[1] not in hidden]
            listed = ", ".join(f'"{column}"' for column in columns)
            found[name] = sorted(map(repr, db.execute(f'SELECT {listed} FROM "{table}"').fetchall()))
    db.close()
    return found


def digest(found: dict[str, list[str]]) -> str:
    text = io.StringIO()
    for name in sorted(found):
        text.write(f"{name}\n" + "\n".join(found[name]) + "\n")
    return hashlib.sha256(text.getvalue().encode()).hexdigest()
