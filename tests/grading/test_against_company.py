"""The helpers against the real company: the same calls an evaluator makes, over the company's own sockets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.company.serving import Served, serve
from tests.grading.sandbox import Utils

WORLD = {
    "world.toml": """format = 1
name = "Nook"
slug = "nook"
host = "nook.test"
now = 2026-03-09T09:00:00Z

[accounts.chat]
username = "nook.admin"
password = "chat-word"
name = "Administration"

[accounts.board]
workspace = "nook"
email = "admin@nook.test"
password = "board-word"
api_key = "plane_api_nook"

[accounts.drive]
username = "nook"
password = "drive-word"

[accounts.forge]
username = "root"
password = "forge-word"
token = "nook-token"
""",
    "people/sam.reed.yml": "name: Sam Reed\nusername: sam.reed\nexaminee: true\npassword: sam-word\n"
    "channels: [launch]\n",
    "people/mara.lindqvist.yml": "name: Mara Lindqvist\nusername: mara.lindqvist\nchannels: [launch]\n",
    "chat/channels/launch.yml": "name: launch\n",
    "drive/files/Team Files/the plan.md": "# The plan\n",
    "board/workspace.yml": "name: Nook\n",
    "board/projects/launch.yml": "name: Launch\nidentifier: LAU\nlead: sam.reed\nmembers:\n  sam.reed: admin\n"
    "cycles:\n  - {name: Week one, start: 2026-03-02, end: 2026-03-16, owner: sam.reed}\n"
    "items:\n  - {name: Write the page, state: Todo, cycle: Week one}\n",
}


def nook(folder: Path) -> Path:
    """The world, written down."""
    for name, text in WORLD.items():
        path = folder / "nook" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "nook"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(nook(tmp_path_factory.mktemp("worlds")), role="examinee", phase="work") as served:
        yield served


@pytest.fixture
def utils(tmp_path: Path, served: Served) -> Utils:
    utils = Utils(tmp_path / "utils")
    utils.environment.update(
        SERVER_HOSTNAME="127.0.0.1",
        TMPDIR=str(tmp_path),
        GITLAB_PORT=str(served.port("forge")),
        GITLAB_ACCESS_TOKEN="nook-token",
        ROCKETCHAT_PORT=str(served.port("chat")),
        ROCKETCHAT_USERNAME="nook.admin",
        ROCKETCHAT_PASSWORD="chat-word",
        PLANE_PORT=str(served.port("board")),
        PLANE_WORKSPACE_SLUG="nook",
        PLANE_API_KEY="plane_api_nook",
        OWNCLOUD_PORT=str(served.port("drive")),
        OWNCLOUD_USERNAME="nook",
        OWNCLOUD_PASSWORD="drive-word",
        DAYJOB_CONTROL_PORT=str(served.port("control")),
        DAYJOB_CONTROL_TOKEN=served.company.control_token,
    )
    return utils


SAM = ("sam.reed", "sam-word")


def say(served: Served, channel: str, text: str) -> None:
    api = f"{served.url('chat')}/api/v1"
    account = requests.post(f"{api}/login", json={"user": SAM[0], "password": SAM[1]}, timeout=10).json()["data"]
    headers = {"X-Auth-Token": account["authToken"], "X-User-Id": account["userId"]}
    requests.post(
        f"{api}/chat.postMessage", json={"channel": channel, "text": text}, headers=headers, timeout=10
    ).raise_for_status()


def test_chat_helpers_read_what_was_said(served: Served, utils: Utils) -> None:
    say(served, "#launch", "Ready for Monday")
    say(served, "@mara.lindqvist", "first")
    say(served, "@mara.lindqvist", "second")
    answer = utils.ask(
        "admin = create_rocketchat_client()\n"
        "sam = create_rocketchat_client('sam.reed', 'sam-word')\n"
        "h = get_rocketchat_personal_chat_history\n"
        "answer = [check_rocketchat_message_posted(admin, 'launch', ['ready', 'monday']),"
        " check_rocketchat_message_posted(admin, 'launch', ['tuesday']),"
        " [m['u']['username'] for m in get_rocketchat_channel_history(admin, 'launch') if 'Ready' in m['msg']],"
        " get_rocketchat_channel_history(admin, 'nope'), h(sam, 'Mara Lindqvist'), h(sam, 'mara.lindqvist'),"
        " h(admin, 'mara.lindqvist'), num_rocketchat_users_contacted(sam, ['mara.lindqvist', 'nook.admin']),"
        " sorted(u['username'] for u in sam.channels_members(channel='launch').json()['members'])[:2],"
        " sam.users_info(username='mara.lindqvist').json()['user']['name']]"
    )
    assert answer == [
        True,
        False,
        ["sam.reed"],
        [],
        ["first", "second"],
        ["first", "second"],
        [],
        1,
        ["mara.lindqvist", "sam.reed"],
        "Mara Lindqvist",
    ]


def test_nobody_becomes_a_colleague_by_taking_their_name(served: Served, utils: Utils) -> None:
    say(served, "@mara.lindqvist", "What Mara was told")
    api = f"{served.url('chat')}/api/v1"
    for username, name in (("aaa", "Mara Lindqvist"), ("aab", "mara.lindqvist")):
        account = {"username": username, "name": name, "email": f"{username}@nook.test", "pass": "long-enough-1"}
        requests.post(f"{api}/users.register", json=account, timeout=10).raise_for_status()
        say(served, f"@{username}", "What nobody was told")
    signed = requests.post(f"{api}/login", json={"user": SAM[0], "password": SAM[1]}, timeout=10).json()["data"]
    headers = {"X-Auth-Token": signed["authToken"], "X-User-Id": signed["userId"]}
    say(served, "@sam.reed", "What Sam told themselves")
    own = f"{api}/users.updateOwnBasicInfo"
    requests.post(own, json={"data": {"name": "Mara Lindqvist"}}, headers=headers, timeout=10).raise_for_status()
    answer = utils.ask(
        "sam = create_rocketchat_client('sam.reed', 'sam-word')\n"
        "names = 'Mara Lindqvist', 'mara.lindqvist', 'aaa', 'sam.reed'\n"
        "answer = [get_rocketchat_personal_chat_history(sam, name)[-1:] for name in names]"
    )
    requests.post(own, json={"data": {"name": "Sam Reed"}}, headers=headers, timeout=10).raise_for_status()
    told = ["What Mara was told"]
    assert answer == [told, told, ["What nobody was told"], ["What Sam told themselves"]]


def test_a_long_talk_is_read_from_its_start(served: Served, utils: Utils) -> None:
    sent = [f"line {at}" for at in range(30)]
    for text in sent:
        say(served, "@nook.admin", text)
    answer = utils.ask(
        "sam = create_rocketchat_client('sam.reed', 'sam-word')\n"
        "answer = get_rocketchat_personal_chat_history(sam, 'nook.admin')"
    )
    assert answer == sent


def test_a_busy_channel_is_read_from_its_start(served: Served, utils: Utils) -> None:
    say(served, "#launch", "the keyword is trellis")
    for at in range(30):
        say(served, "#launch", f"noise {at}")
    answer = utils.ask("answer = check_rocketchat_message_posted(create_rocketchat_client(), 'launch', ['trellis'])")
    assert answer is True


def test_drive_helpers_and_the_journal_see_the_same_file(served: Served, utils: Utils) -> None:
    address = f"{served.url('drive')}/remote.php/webdav/Team%20Files"
    ask = "answer = accessed('owncloud', '/remote.php/webdav/Team Files/the plan.md', method='GET', by='sam.reed')"
    assert utils.ask(ask) is False
    assert requests.get(f"{address}/the%20plan.md", auth=SAM, timeout=10).text == "# The plan\n"
    assert utils.ask(ask) is True
    requests.put(f"{address}/new%20file.md", data=b"new", auth=SAM, timeout=10).raise_for_status()
    answer = utils.ask(
        "f, g = check_file_in_owncloud_directory, get_binary_file_content_owncloud\n"
        "answer = [f('the plan.md', 'Team Files'), f('plan.md', 'Team Files'), f('x', 'Nowhere'),"
        " g('new file.md', 'Team Files').decode(), g('x', 'Team Files'),"
        " check_and_download_file('the plan.md', 'Team Files', 'copy.md'), open('copy.md').read()]"
    )
    assert answer == [True, False, None, "new", None, True, "# The plan\n"]


def test_changes_tell_what_the_examinee_did(served: Served, utils: Utils) -> None:
    address = f"{served.url('drive')}/remote.php/webdav/Team%20Files"
    requests.put(f"{address}/told.md", data=b"new", auth=SAM, timeout=10).raise_for_status()
    found = utils.ask("answer = changes('owncloud')")
    assert any(change["op"] == "added" and "told.md" in change["words"] for change in found), found
    assert {change["service"] for change in found} == {"drive"}


def test_a_share_link_leads_to_its_file(served: Served, utils: Utils) -> None:
    made = requests.post(
        f"{served.url('drive')}/ocs/v1.php/apps/files_sharing/api/v1/shares?format=json",
        data={"path": "/Team Files/the plan.md", "shareType": "3"},
        auth=SAM,
        headers={"OCS-APIRequest": "true"},
        timeout=10,
    ).json()
    link = made["ocs"]["data"]["url"]
    (utils.folder / "link.txt").write_text(link)
    answer = utils.ask(
        "link = get_owncloud_url_in_file('link.txt')\n"
        "answer = [bool(link), download_owncloud_content(link, 'shared.md'), open('shared.md').read()]"
    )
    assert answer == [True, True, "# The plan\n"]


def test_board_helpers_find_projects_issues_states_and_cycles(served: Served, utils: Utils) -> None:
    answer = utils.ask(
        "p = get_plane_project_id('Launch')\n"
        "issue = get_plane_issue_details(p, 'Write the page')\n"
        "by_name, by_id = get_plane_state_id_dict(p)\n"
        "cycle = get_plane_cycle_details(p, 'Week one')\n"
        "made = create_plane_issue(p, 'Another')\n"
        "added = add_plane_issue_to_cycle(p, cycle['id'], made['id'])\n"
        "state = get_plane_state_details(p, issue['state'])\n"
        "answer = [get_plane_project_id('x'), by_id[issue['state']], state['group'],"
        " sorted(i['name'] for i in get_plane_project_all_issues(p)), added is not None,"
        " len(get_plane_issues_by_project_cycle(p, cycle['id'])), get_plane_issue_details(p, 'x')]"
    )
    assert answer == [None, "Todo", "unstarted", ["Another", "Write the page"], True, 2, None]
