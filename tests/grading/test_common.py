"""The helpers evaluators import, each over real HTTP against the documented shapes of its service."""

from __future__ import annotations

import json

import pytest

from tests.grading.sandbox import Answer, Asked, Here, SmallCompany, Utils

USERS = [
    {"_id": "u1", "username": "mara.lindqvist", "name": "Mara Lindqvist", "nameInsensitive": "mara lindqvist"},
    {"_id": "u2", "username": "tomas.okafor", "name": "Tomas Okafor", "nameInsensitive": "tomas okafor"},
]


SAM = {"username": "sam.reed"}


def with_chat(office: SmallCompany) -> None:
    """A chat where grader has written with Mara, and #launch has two messages."""

    def login(asked: Asked) -> Answer:
        if json.loads(asked.body) == {"user": "grader", "password": "chat-word"}:
            return Answer({"status": "success", "data": {"authToken": "t", "userId": "g"}})
        return Answer({"status": "error", "message": "Unauthorized"}, 401)

    def signed_in(content: dict[str, object], **wanted: str) -> object:
        def route(asked: Asked) -> Answer:
            if asked.headers.get("X-Auth-Token") != "t" or asked.headers.get("X-User-Id") != "g":
                return Answer({"success": False}, 401)
            if any(asked.query.get(key) != value for key, value in wanted.items()):
                return Answer({"success": False, "error": "not found"}, 400)
            return Answer({"success": True, **content})

        return route

    def direct(asked: Asked) -> Answer:
        newest_first = [{"msg": "second", "u": SAM}, {"msg": "first", "u": SAM}]
        return Answer({"success": True, "messages": newest_first if asked.query["roomId"] == "u1" else []})

    launch = [{"msg": "Fernhill is OVER budget", "u": {}}, {"msg": "hello", "u": {}}]
    office.on("POST", "/api/v1/login", login)
    office.on("GET", "/api/v1/users.list", signed_in({"users": USERS}))
    office.on("GET", "/api/v1/im.history", direct)
    office.on("GET", "/api/v1/channels.info", signed_in({"channel": {"_id": "c1"}}, roomName="launch"))
    office.on("GET", "/api/v1/channels.history", signed_in({"messages": launch}, roomId="c1"))


def test_direct_messages_come_oldest_first_by_either_name(here: Here, office: SmallCompany) -> None:
    with_chat(office)
    answer = here.ask(
        "c = create_rocketchat_client()\n"
        "h = get_rocketchat_personal_chat_history\n"
        "answer = [h(c, 'Mara Lindqvist'), h(c, 'mara.lindqvist', content_only=False), h(c, 'tomas.okafor'), h(c, 'X')]"
    )
    assert answer == [["first", "second"], [{"msg": "first", "u": SAM}, {"msg": "second", "u": SAM}], [], []]


def test_channels_are_read_and_searched(here: Here, office: SmallCompany) -> None:
    with_chat(office)
    answer = here.ask(
        "c = create_rocketchat_client()\n"
        "p = check_rocketchat_message_posted\n"
        "answer = [get_rocketchat_channel_room_id(c, 'launch'), get_rocketchat_channel_room_id(c, 'nope'),"
        " len(get_rocketchat_channel_history(c, 'launch')), get_rocketchat_channel_history(c, 'nope'),"
        " p(c, 'launch', ['fernhill', 'over']), p(c, 'launch', ['fernhill', 'hello']), p(c, 'nope', ['a']),"
        " num_rocketchat_users_contacted(c, ['mara.lindqvist', 'tomas.okafor'])]"
    )
    assert answer == ["c1", None, 2, [], True, False, False, 1]


def test_a_refused_log_in_is_an_exception_and_no_fault(here: Here, office: SmallCompany) -> None:
    with_chat(office)
    answer = here.ask(
        "@grader\ndef grade():\n    return create_rocketchat_client('sam', 'wrong') is not None\n"
        "answer = [grade(), len(faults())]"
    )
    assert answer == [False, 0]


def test_the_forge_is_asked_with_a_token_and_an_encoded_path(here: Here, office: SmallCompany) -> None:
    office.on("GET", "/api/v4/projects/root%2Fstock/issues", lambda asked: Answer([asked.query, dict(asked.headers)]))
    answer = here.ask("answer = make_gitlab_request('root/stock', 'issues', params={'state': 'opened'}).json()")
    assert answer[0] == {"state": "opened"}
    assert answer[1]["PRIVATE-TOKEN"] == "forge-token"


def test_projects_are_found_across_pages(here: Here, office: SmallCompany) -> None:
    def projects(asked: Asked) -> Answer:
        if asked.query["page"] == "1":
            return Answer([{"id": 1, "name": "a"}], headers={"X-Next-Page": "2"})
        return Answer([{"id": 22, "name": "stock"}], headers={"X-Next-Page": ""})

    office.on("GET", "/api/v4/projects", projects)
    assert here.ask("answer = [get_gitlab_project_id('stock'), get_gitlab_project_id('x')]") == ["22", None]


def test_merge_requests_and_their_files(here: Here, office: SmallCompany) -> None:
    request = {"title": " Add Page ", "sha": "abc", "project_id": 7}
    office.on("GET", "/api/v4/projects/7/merge_requests", [request])
    office.on(
        "GET",
        "/api/v4/projects/7/repository/files/docs%2Fa.md/raw",
        lambda asked: Answer(b"# a" if asked.query == {"ref": "abc"} else b"?"),
    )
    answer = here.ask(
        "m = get_gitlab_merge_request_by_title('7', 'add page')\n"
        "answer = [m['sha'], get_gitlab_file_in_mr(m, 'docs/a.md'), get_gitlab_file_in_mr(m, 'b.md'),"
        " get_gitlab_merge_request_by_title('7', 'other')]"
    )
    assert answer == ["abc", "# a", None, None]


@pytest.mark.parametrize("call", ["make_gitlab_request(None, 'projects')", "get_plane_project_id('a')"])
def test_a_service_that_is_down_is_none_and_a_fault(utils: Utils, company: SmallCompany, call: str) -> None:
    company.stop()
    graded = utils.grade(
        "from scoring import *\nfrom common import *\n"
        f"@grader\ndef grade_it():\n    return {call} is None\n"
        "def grade_checkpoints(trajectory=''):\n    return Result([Checkpoint(1, grade_it())])\n"
    )
    assert graded.result is not None
    assert graded.result["final_score"]["result"] == 1
    assert len(graded.faults) == 1


def with_board(office: SmallCompany) -> None:
    root = "/api/v1/workspaces/larkspur/projects/"

    def keyed(content: object) -> object:
        def route(asked: Asked) -> Answer:
            return Answer(content) if asked.headers.get("x-api-key") == "board-key" else Answer({}, 401)

        return route

    def issues(asked: Asked) -> Answer:
        if asked.method == "POST":
            return Answer({"id": "i9", **json.loads(asked.body)}, 201)
        if asked.query.get("cursor") == "100:1:0":
            return Answer({"results": [{"id": "i2", "name": "Second"}], "next_page_results": False})
        return Answer({"results": [{"id": "i1", "name": "First"}], "next_page_results": True, "next_cursor": "100:1:0"})

    states = [{"id": "s1", "name": "Todo", "group": "unstarted"}, {"id": "s2", "name": "Done", "group": "completed"}]
    office.on("GET", root, keyed({"results": [{"id": "p1", "name": "Launch"}]}))
    office.on("GET", f"{root}p1/issues/", issues)
    office.on("POST", f"{root}p1/issues/", issues)
    office.on("GET", f"{root}p1/states/", keyed({"results": states}))
    office.on("GET", f"{root}p1/states/s2", keyed(states[1]))
    office.on("GET", f"{root}p1/cycles/", keyed({"results": [{"id": "c1", "name": "Sprint 1"}]}))
    office.on("GET", f"{root}p1/cycles/c1/cycle-issues/", keyed({"results": [{"id": "i1"}]}))
    office.on("POST", f"{root}p1/cycles/c1/cycle-issues/", lambda asked: Answer(json.loads(asked.body)))


def test_the_board_answers_about_projects_issues_states_and_cycles(here: Here, office: SmallCompany) -> None:
    with_board(office)
    answer = here.ask(
        "answer = [get_plane_project_id('Launch'), get_plane_project_id('x'), len(get_all_plane_projects()),"
        " [i['name'] for i in get_plane_project_all_issues('p1')], get_plane_issue_details('p1', 'Second')['id'],"
        " get_plane_issue_details('p1', 'x'), get_plane_state_id_dict('p1'),"
        " get_plane_state_details('p1', 's2')['group'],"
        " get_plane_state_details('p1', 'nope'), get_plane_cycle_details('p1', 'Sprint 1')['id'],"
        " get_plane_issues_by_project_cycle('p1', 'c1'), create_plane_issue('p1', 'New')['name'],"
        " add_plane_issue_to_cycle('p1', 'c1', 'i9')]"
    )
    assert answer == [
        "p1",
        None,
        1,
        ["First", "Second"],
        "i2",
        None,
        [{"Todo": "s1", "Done": "s2"}, {"s1": "Todo", "s2": "Done"}],
        "completed",
        {},
        "c1",
        [{"id": "i1"}],
        "New",
        {"issues": ["i9"]},
    ]


LISTING = b"""<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">
<d:response><d:href>/remote.php/webdav/My%20Folder/</d:href></d:response>
<d:response><d:href>/remote.php/webdav/My%20Folder/the%20report.md</d:href></d:response></d:multistatus>"""


def with_drive(office: SmallCompany) -> None:
    def listing(asked: Asked) -> Answer:
        signed_in = asked.headers.get("Authorization", "").startswith("Basic ")
        return Answer(LISTING, 207) if signed_in and asked.headers["Depth"] == "1" else Answer(b"", 401)

    office.on("PROPFIND", "/remote.php/webdav/My%20Folder", listing)
    office.on("GET", "/remote.php/webdav/My%20Folder/the%20report.md", Answer(b"\x00report"))
    page = f'<a href="{office.url}/index.php/s/abc/download">x</a>'.encode()
    office.on("GET", "/index.php/s/abc", Answer(page))
    office.on("GET", "/index.php/s/abc/download", Answer(b"shared"))


def test_files_on_the_drive_are_found_by_exactly_their_name(here: Here, office: SmallCompany) -> None:
    with_drive(office)
    answer = here.ask(
        "f = check_file_in_owncloud_directory\n"
        "g = get_binary_file_content_owncloud\n"
        "answer = [f('the report.md', 'My Folder'), f('report.md', 'My Folder'), f('x', 'Nowhere'),"
        " f('the%20report.md', '/My%20Folder/'), g('the report.md', 'My Folder').hex(), g('x.md', 'My Folder')]"
    )
    assert answer == [True, False, None, True, b"\x00report".hex(), None]


def test_share_links_are_followed_to_the_drive_only(here: Here, office: SmallCompany) -> None:
    with_drive(office)
    other = SmallCompany()
    other.on("GET", "/download", Answer(b"not ours"))
    (here.folder / "link.txt").write_text(f"see {office.url}/index.php/s/abc")
    answer = here.ask(
        "d = download_owncloud_content\n"
        f"u, o = {office.url!r}, {other.url!r}\n"
        "answer = [d(u + '/index.php/s/abc\\n', 'a'), open('a').read(), d(u + '/index.php/s/abc/download', 'b'),"
        " d(o + '/download', 'c'), d(u + '/index.php/s/none', 'c'), d(False, 'c'), d('; touch hacked download', 'c'),"
        " os.path.exists('c') or os.path.exists('hacked'), get_owncloud_url_in_file('link.txt'),"
        " get_owncloud_url_in_file('absent.txt'), check_and_download_file('the report.md', 'My Folder', 'r'),"
        " check_and_download_file('x', 'My Folder', 'c'),"
        " download_image_from_url(u + '/index.php/s/abc/download', 'p'),"
        " download_image_from_url(o + '/download', 'p')]"
    )
    assert other.asked == []
    other.stop()
    text = f"see {office.url}/index.php/s/abc"
    expected = [True, "shared", True, False, False, False, False, False, text, False, True, False, "p", None]
    assert answer == expected


def with_model(here: Here, office: SmallCompany, reply: str, status: int = 200) -> None:
    here.set(LITELLM_BASE_URL=f"{office.url}/v1", LITELLM_MODEL="judge", LITELLM_API_KEY="key")
    content = {"choices": [{"message": {"role": "assistant", "content": reply}}]}
    office.on("POST", "/v1/chat/completions", Answer(content, status))


@pytest.mark.parametrize(
    ("reply", "verdict", "faults"),
    [
        ("yes", True, 0),
        ("Yes, it does.", True, 0),
        ("**No.** It was yesterday.", False, 0),
        ("no", False, 0),
        ("It was yesterday, yes", False, 1),
        ("yesterday", False, 1),
        ("", False, 1),
    ],
)
def test_a_verdict_is_the_first_word(here: Here, office: SmallCompany, reply: str, verdict: bool, faults: int) -> None:
    with_model(here, office, reply)
    answer = here.ask("answer = [evaluate_with_llm('some text', 'it rained'), len(faults())]")
    assert answer == [verdict, faults]
    sent = json.loads(office.asked[-1].body)
    assert sent["model"] == "judge"
    assert "it rained" in sent["messages"][0]["content"][0]["text"]
    assert office.asked[-1].headers["Authorization"] == "Bearer key"


def test_a_model_that_is_down_or_absent_is_a_fault_and_never_a_yes(here: Here, office: SmallCompany) -> None:
    ask = "answer = [evaluate_with_llm('text', 'it rained'), [f.source for f in faults()]]"
    assert here.ask(ask) == [False, ["judge"]]
    with_model(here, office, "yes", status=503)
    assert here.ask(ask) == [False, ["judge", "judge"]]


def test_pictures_are_sent_along(here: Here, office: SmallCompany) -> None:
    with_model(here, office, "yes")
    (here.folder / "p.png").write_bytes(b"\x89PNG")
    answer = here.ask(
        "e = evaluate_with_llm\n"
        "answer = [e(None, 'a cat', image_path='p.png', image_type=IMAGE_PNG), e('', 'a cat'),"
        " e(None, 'a cat', image_path='absent.png'), e(None, 'a cat', image_path='p.png', image_type='image/gif')]"
    )
    assert answer == [True, False, False, False]
    asked = next(one for one in office.asked if one.path == "/v1/chat/completions")
    picture = json.loads(asked.body)["messages"][0]["content"][1]
    assert picture["image_url"]["url"] == "data:image/png;base64,iVBORw=="


def test_two_pictures_are_compared_and_only_pictures(here: Here, office: SmallCompany) -> None:
    with_model(here, office, "yes")
    (here.folder / "p.png").write_bytes(b"\x89PNG\r\n")
    (here.folder / "p.jpg").write_bytes(b"\xff\xd8\xff")
    (here.folder / "p.gif").write_bytes(b"GIF89a")
    answer = here.ask(
        "c = compare_images_with_llm\n"
        "answer = [c('p.png', 'p.jpg', 'Are they alike?'), c('p.png', 'p.gif', 'Same?'), c('p.png', 'absent.png'),"
        " [verify_image_file(one) for one in ('p.png', 'p.jpg', 'p.gif', 'absent.png', '', None)]]"
    )
    assert answer == [True, False, False, [True, True, False, False, False, False]]
    asked = next(one for one in office.asked if one.path == "/v1/chat/completions")
    question, *pictures = json.loads(asked.body)["messages"][0]["content"]
    assert "Are they alike?" in question["text"]
    assert [one["image_url"]["url"].partition(";")[0] for one in pictures] == ["data:image/png", "data:image/jpeg"]


def test_chat_history_is_judged(here: Here, office: SmallCompany) -> None:
    with_chat(office)
    with_model(here, office, "yes")
    answer = here.ask(
        "c = create_rocketchat_client()\n"
        "answer = [evaluate_chat_history_with_llm(c, 'Mara Lindqvist', 'they met'),"
        " evaluate_chat_history_with_llm(c, 'tomas.okafor', 'they met'),"
        " llm_complete([])['choices'][0]['message']['role']]"
    )
    assert answer == [True, False, "assistant"]


def journal_row(**fields: object) -> dict[str, object]:
    row: dict[str, object] = {
        "service": "drive",
        "role": "examinee",
        "account": "sam.reed",
        "method": "GET",
        "path": "/remote.php/webdav/My%20Folder/a.csv",
        "status": 200,
    }
    return {**row, **fields}


@pytest.mark.parametrize(
    ("row", "seen"),
    [
        ({}, True),
        ({"role": "grader"}, False),
        ({"role": "npc"}, False),
        ({"status": 404}, False),
        ({"status": 207}, True),
        ({"service": "chat"}, False),
        ({"path": "/remote.php/webdav/Other/a.csv"}, False),
        ({"path": "/remote.php/webdav/My Folder/a.csv"}, True),
        ({"status": 302}, False),
        ({"status": 303}, True),
        ({"status": 304}, True),
    ],
)
def test_accessed_believes_only_what_the_examinee_did_with_success(
    here: Here, office: SmallCompany, row: dict[str, object], seen: bool
) -> None:
    office.on("GET", "/api/journal", {"rows": [journal_row(**row)]})
    assert here.ask("answer = accessed('owncloud', '/remote.php/webdav/My Folder/')") is seen
    assert office.asked[-1].headers["X-Dayjob-Token"] == "control-token"
    assert office.asked[-1].query["service"] == "drive"


def test_accessed_narrows_by_method_and_account(here: Here, office: SmallCompany) -> None:
    office.on("GET", "/api/journal", {"rows": [journal_row()]})
    answer = here.ask(
        "a = lambda **k: accessed('drive', '/remote.php', **k)\n"
        "answer = [a(method='get'), a(method='PUT'), a(by='sam.reed'), a(by='mara')]"
    )
    assert answer == [True, False, True, False]


def test_changes_are_handed_over_and_a_silent_control_is_a_fault(here: Here, office: SmallCompany) -> None:
    change = {"service": "drive", "table": "files", "op": "added", "key": "1", "words": "a file"}
    office.on("GET", "/api/changes", lambda asked: Answer({"changes": [change] if asked.query else [change, change]}))
    ask = "@grader\ndef g():\n    return changes('drive') == []\nanswer = [len(changes('drive')), len(changes()), g()]"
    assert here.ask(ask) == [1, 2, False]
    office.on("GET", "/api/changes", Answer({}, 403))
    ask = "@grader\ndef g():\n    return changes('drive') == []\nanswer = [g(), [f.source for f in faults()]]"
    assert here.ask(ask) == [False, ["service"]]


def test_a_star_import_brings_what_existing_evaluators_use(utils: Utils) -> None:
    names = (
        "os logging re requests urllib subprocess base64 ET HTTPBasicAuth TEST_MODE SERVER_HOSTNAME LITELLM_API_KEY "
        "LITELLM_BASE_URL LITELLM_MODEL OWNCLOUD_URL OWNCLOUD_USERNAME OWNCLOUD_PASSWORD ROCKETCHAT_URL GITLAB_BASEURL "
        "GITLAB_ACCESS_TOKEN GITLAB_HEADERS GITLAB_USER PLANE_BASEURL PLANE_WORKSPACE_SLUG PLANE_API_KEY PLANE_HEADERS "
        "functools SequenceMatcher verify_image_file compare_images_with_llm "
        "PROJECT_FILES IMAGE_JPEG IMAGE_PNG check_repo_exists get_all_texts_from_slide grader accessed changes faults"
    )
    assert utils.ask(f"answer = [name for name in {names!r}.split() if name not in globals()]") == []
    assert utils.ask("answer = urllib.parse.quote('a/b', safe='')") == "a%2Fb"


def test_unknown_addresses_belong_to_nobody(here: Here, office: SmallCompany) -> None:
    answer = here.ask(
        "from dayjob.grading.config import service_at\n"
        "answer = [service_at(url) for url in ('http://localhost:1/', 'http://[bad', 'not a url', '')]"
    )
    assert answer == [None, None, None, None]
