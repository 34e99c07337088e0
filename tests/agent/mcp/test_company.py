"""`dayjob company mcp` over standard input and output, against a company that is being served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.cli.test_company_command import serving

SAM = "sam.reed:sam-reed-first-day"


class Client:
    """An MCP client as small as they come: one request, one line back."""

    def __init__(self, urls: dict[str, str], **environment: str) -> None:
        self.urls = urls
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dayjob", "company", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], **environment},
        )
        self.number = 0

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        self.number += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.number
        found: dict[str, Any] = answer["result"]
        return found

    def use(self, tool: str, **arguments: object) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        assert not result["isError"], text
        return text

    def refused(self, tool: str, **arguments: object) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        text: str = result["content"][0]["text"]
        return text


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving(tmp_path_factory.mktemp("home"), "--no-runner") as company:
        one = Client(
            company.urls,
            DAYJOB_CHAT_URL=company.urls["chat"],
            DAYJOB_CHAT_ACCOUNT=SAM,
            DAYJOB_DRIVE_URL=company.urls["drive"],
            DAYJOB_DRIVE_ACCOUNT=SAM,
            DAYJOB_FORGE_URL=company.urls["forge"],
            DAYJOB_FORGE_TOKEN="larkspur-root-token",
            DAYJOB_BOARD_URL=company.urls["board"],
            DAYJOB_BOARD_WORKSPACE="larkspur",
            DAYJOB_BOARD_KEY="plane_api_larkspur",
            DAYJOB_CONTROL_URL=company.urls["control"],
        )
        try:
            yield one
        finally:
            assert one.process.stdin is not None
            one.process.stdin.close()
            assert one.process.wait(10) == 0, "it ends when its input does"


def test_it_offers_all_four_services(client: Client) -> None:
    assert client.ask("initialize", protocolVersion="2025-06-18")["serverInfo"]["name"] == "dayjob-company"
    tools = client.ask("tools/list")["tools"]
    assert {tool["name"].partition("_")[0] for tool in tools} == {"chat", "forge", "board", "drive", "wait"}
    assert len({tool["name"] for tool in tools}) == len(tools)


def test_chat_is_read_and_written(client: Client) -> None:
    assert "#launch" in client.use("chat_rooms")
    assert "@tomas.okafor: Tomas Okafor" in client.use("chat_people")
    assert "no direct messages with @tomas.okafor" in client.refused("chat_read", room="@tomas.okafor")
    client.use("chat_post", room="#launch", text="Good morning, all.")
    last = json.loads(client.use("chat_read", room="#launch", count=1))
    assert (last["from"], last["text"]) == ("sam.reed", "Good morning, all.")
    client.use("chat_post", room="@tomas.okafor", text="And to you.")
    assert "And to you." in client.use("chat_read", room="@tomas.okafor")
    assert "is not #channel" in client.refused("chat_post", room="launch", text="x")


def test_files_on_the_drive_are_listed_read_written_moved_and_deleted(client: Client) -> None:
    assert "vendor-budgets-2026.csv (" in client.use("drive_list", path="/Finance")
    assert client.use("drive_read", path="/Finance/vendor-budgets-2026.csv").startswith("vendor")
    client.use("drive_make_folder", path="/Plans & ideas")
    client.use("drive_write", path="/Plans & ideas/ä.md", content="größer\n")
    client.use("drive_move", path="/Plans & ideas/ä.md", to="/Plans & ideas/b #1.md")
    assert client.use("drive_list", path="/Plans & ideas") == "b #1.md (9 bytes)"
    where = f"{client.urls['drive']}/remote.php/webdav/Plans%20%26%20ideas/b%20%231.md"
    assert requests.get(where, auth=("sam.reed", "sam-reed-first-day"), timeout=10).content == "größer\n".encode()
    client.use("drive_delete", path="/Plans & ideas")
    assert "refused with 404" in client.refused("drive_list", path="/Plans & ideas")


def test_issues_files_and_merge_requests_on_the_forge(client: Client) -> None:
    project = json.loads(client.use("forge_projects").splitlines()[0])
    path, branch = project["path_with_namespace"], project["default_branch"]
    number = int(client.use("forge_create_issue", project=path, title="A leak").rpartition(" ")[2].rstrip("."))
    client.use("forge_comment", project=path, number=number, text="It drips.")
    assert "A leak" in client.use("forge_issues", project=path)
    issue = json.loads(client.use("forge_issue", project=path, number=number))
    assert "It drips." in [one["text"] for one in issue["comments"]]
    assert "closed" in client.use("forge_edit_issue", project=path, number=number, changes={"state_event": "close"})
    for content in ("one\n", "two\n"):
        client.use("forge_write_file", project=path, path="leak.md", branch=branch, content=content, message="Note")
        assert client.use("forge_read_file", project=path, path="leak.md") == content
    assert client.use("forge_merge_requests", project=path, state="all")
    assert "refused with 404" in client.refused("forge_issues", project="no/where")


def test_work_items_on_the_board(client: Client) -> None:
    project = json.loads(client.use("board_projects").splitlines()[0])["name"]
    client.use("board_create_item", project=project, name="Mend the leak", details={"priority": "high"})
    states = [json.loads(line) for line in client.use("board_states", project=project).splitlines()]
    done = next(one for one in states if one["group"] == "completed")
    client.use("board_edit_item", project=project, item="Mend the leak", changes={"state": done["id"]})
    items = [json.loads(line) for line in client.use("board_items", project=project).splitlines()]
    [mended] = [one for one in items if one["name"] == "Mend the leak"]
    assert (mended["state"], mended["priority"]) == (done["name"], "high")
    assert json.loads(client.use("board_item", project=project, item=mended["id"]))["name"] == "Mend the leak"
    assert client.use("board_cycles", project=project)
    assert "There is no project 'Nowhere'" in client.refused("board_items", project="Nowhere")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "no service was named"),
        (["--chat", "http://127.0.0.1:9"], "--chat-account is needed too"),
        (["--drive", "http://127.0.0.1:9", "--drive-account", "sam"], "must be USER:PASSWORD"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_served(options: list[str], said: str) -> None:
    command = [sys.executable, "-m", "dayjob", "company", "mcp", *options]
    done = subprocess.run(command, capture_output=True, text=True, input="", env={"PATH": os.environ["PATH"]})
    assert done.returncode == 2
    assert said in done.stderr


def test_a_service_that_is_away_is_told_in_a_sentence() -> None:
    away = Client({}, DAYJOB_DRIVE_URL="http://127.0.0.1:9", DAYJOB_DRIVE_ACCOUNT=SAM)
    try:
        assert "http://127.0.0.1:9 did not answer" in away.refused("drive_list", path="/")
    finally:
        away.process.kill()
        away.process.wait()


def test_time_is_let_pass_and_what_is_new_is_told(client: Client) -> None:
    before = client.use("wait")
    assert before.startswith("It is ")
    assert client.use("wait", until="tomorrow 23:30").startswith("It is Tue 10 Mar 2026 23:30.")
    assert client.use("wait", length="30m").startswith("It is Wed 11 Mar 2026 00:00.")
    assert "'ages' is no length of time" in client.refused("wait", length="ages")
    assert "not both" in client.refused("wait", length="1h", until="17:00")
