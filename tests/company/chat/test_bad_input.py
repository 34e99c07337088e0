"""Whatever is sent, chat answers in Rocket.Chat's own error shape and never breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dayjob.company.chat.api.endpoints import TABLE, Endpoint
from dayjob.company.chat.realtime.methods import METHODS
from dayjob.company.world import Snapshot
from tests.company.chat.conftest import PASSWORD
from tests.company.serving import Served, serve


class Person:
    """A signed-in account that says things no client library would."""

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.session = requests.Session()
        facts = {"username": name, "email": f"{name}@blank.test", "pass": PASSWORD, "name": name}
        self.session.post(f"{url}/api/v1/users.register", json=facts)
        found = self.session.post(f"{url}/api/v1/login", json={"user": name, "password": PASSWORD}).json()["data"]
        self.id = found["userId"]
        self.session.headers.update({"X-Auth-Token": found["authToken"], "X-User-Id": self.id})

    def get(self, endpoint: str, **parameters: Any) -> requests.Response:
        return self.session.get(f"{self.url}/api/v1/{endpoint}", params=parameters)

    def post(self, endpoint: str, body: Any = None, **options: Any) -> requests.Response:
        return self.session.post(f"{self.url}/api/v1/{endpoint}", json=body, **options)


@pytest.fixture(scope="module")
def served(blank_snapshot: Snapshot) -> Iterator[Served]:
    with serve(blank_snapshot) as found:
        yield found


@pytest.fixture(scope="module")
def admin(served: Served) -> Person:
    found = Person(served.url("chat"), "ada")
    found.post("chat.sendMessage", {"message": {"rid": "GENERAL", "_id": "fuzz-message", "msg": "hello"}})
    return found


def refused(response: requests.Response, status: int = 400) -> dict[str, Any]:
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    assert found["success"] is False
    return found


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[[[", b'{"a": \xc3\x28}', b"null", b'"text"', b"[" * 100_000])
def test_a_body_that_is_not_json_is_refused(admin: Person, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    refused(admin.session.post(f"{admin.url}/api/v1/chat.postMessage", data=body, headers=headers))


def test_lone_surrogates_and_numbers_beyond_all_columns_are_refused(admin: Person) -> None:
    headers = {"content-type": "application/json"}
    for endpoint, body in (
        ("chat.postMessage", b'{"channel": "general", "text": "\\ud800"}'),
        ("channels.create", b'{"name": "x", "customFields": {"size": 1e400}}'),
        ("channels.create", b'{"name": "x", "customFields": {"size": NaN}}'),
        ("teams.create", b'{"name": "\\udfff", "type": 0}'),
    ):
        refused(admin.session.post(f"{admin.url}/api/v1/{endpoint}", data=body, headers=headers))
    refused(admin.post("findOrCreateInvite", {"rid": "GENERAL", "days": 10**30, "maxUses": 5}))


def test_nul_bytes_are_text_like_any_other(admin: Person) -> None:
    sent = admin.post("chat.postMessage", {"channel": "general", "text": "before\0after"})
    assert sent.json()["message"]["msg"] == "before\0after"
    refused(admin.post("channels.create", {"name": "with\0nul"}))


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--x\r\n\r\n--x--"),
        ("multipart/form-data; boundary=x", b"no boundary here"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
        ),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--x--'),
        ("multipart/form-data; boundary=x", b""),
    ],
)
def test_a_malformed_form_is_refused_and_leaves_nothing_behind(
    admin: Person, served: Served, content_type: str, body: bytes
) -> None:
    address = f"{admin.url}/api/v1/rooms.upload/GENERAL"
    refused(admin.session.post(address, data=body, headers={"content-type": content_type}))
    assert not list((served.company.folder / "blobs").glob(".part-*"))
    assert admin.get("channels.files", roomId="GENERAL").json()["files"] == []


def test_a_body_larger_than_allowed_is_answered_with_413(admin: Person) -> None:
    assert refused(admin.post("chat.postMessage", {"text": "x" * (11 * 1024 * 1024)}), 413)["errorType"]


def test_a_file_larger_than_the_setting_allows_is_answered_with_413(admin: Person, served: Served) -> None:
    admin.post("settings/FileUpload_MaxFileSize", {"value": 1000})
    try:
        address = f"{admin.url}/api/v1/rooms.upload/GENERAL"
        found = refused(admin.session.post(address, files={"file": ("big.bin", b"x" * 1001)}), 413)
        assert found["errorType"] == "error-file-too-large"
        assert not list((served.company.folder / "blobs").glob(".part-*"))
    finally:
        admin.post("settings/FileUpload_MaxFileSize", {"value": 104857600})


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "a/b/c.txt", "..", "x\r\nSet-Cookie: a=b"]
)
def test_a_file_name_cannot_lead_anywhere(admin: Person, name: str) -> None:
    answer = admin.session.post(f"{admin.url}/api/v1/rooms.media/GENERAL", files={"file": (name, b"content")})
    address = answer.json()["file"]["url"]
    assert address.count("/") == 3
    assert ".." not in address
    found = admin.session.get(f"{admin.url}{address}")
    assert found.content == b"content"
    assert "Set-Cookie" not in found.headers


def test_an_uploaded_page_is_offered_for_download_and_never_shown(admin: Person) -> None:
    files = {"file": ("page.html", b"<script>alert(1)</script>", "text/html")}
    answer = admin.session.post(f"{admin.url}/api/v1/rooms.media/GENERAL", files=files)
    found = admin.session.get(f"{admin.url}{answer.json()['file']['url']}")
    assert found.headers["content-disposition"].startswith("attachment")
    assert found.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/api/v1/no.such.endpoint", "/api/v2/me", "/api/v1/", "/api/v1/users.infoo"])
def test_an_unknown_endpoint_says_so_in_rocket_chats_words(admin: Person, path: str) -> None:
    response = admin.session.get(admin.url + path)
    assert response.status_code == 404
    assert response.json() == {"status": "error", "message": "API endpoint does not exist"}


def test_the_wrong_method_names_the_right_one(admin: Person) -> None:
    response = admin.session.get(f"{admin.url}/api/v1/chat.postMessage")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "path",
    ["/avatar/../../etc/passwd", "/file-upload/..%2f..%2f/x", "/avatar/%2e%2e%2f%2e%2e", "/emoji-custom/../x.png"],
)
def test_no_path_leads_out_of_chat(admin: Person, path: str) -> None:
    request = requests.Request("GET", admin.url + path).prepare()
    request.url = admin.url + path
    response = admin.session.send(request)
    assert response.status_code < 500
    assert "root:" not in response.text


@pytest.mark.parametrize(
    "headers", [{}, {"X-Auth-Token": "x"}, {"X-Auth-Token": "x", "X-User-Id": "y"}, {"X-User-Id": "rocket.cat"}]
)
def test_without_a_valid_token_nothing_is_told(served: Served, admin: Person, headers: dict[str, str]) -> None:
    response = requests.get(f"{served.url('chat')}/api/v1/me", headers=headers)
    assert response.status_code == 401
    assert response.json() == {"status": "error", "message": "You must be logged in to do this."}


def test_a_token_is_good_for_its_owner_only(served: Served, admin: Person) -> None:
    other = Person(served.url("chat"), "mallory")
    stolen = {"X-Auth-Token": str(other.session.headers["X-Auth-Token"]), "X-User-Id": admin.id}
    assert requests.get(f"{served.url('chat')}/api/v1/me", headers=stolen).status_code == 401


# -- random bodies and queries for every endpoint ------------------------------------------------------------------

_known = [
    "GENERAL",
    "general",
    "#general",
    "@ada",
    "ada",
    "rocket.cat",
    "me",
    "admin",
    "c",
    "p",
    "0",
    "true",
    "{}",
    "[]",
    "2026-01-01",
]
_scalars = st.one_of(
    st.sampled_from(_known),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


# So that many requests get past the first check.
_SENSIBLE: dict[str, list[Any]] = {
    "roomId": ["GENERAL"],
    "rid": ["GENERAL"],
    "prid": ["GENERAL"],
    "_id": ["GENERAL"],
    "roomName": ["general"],
    "channel": ["#general", "@ada"],
    "username": ["ada", "rocket.cat"],
    "userId": ["rocket.cat"],
    "name": ["fuzz", "general"],
    "text": ["hello @ada #general"],
    "msg": ["hello"],
    "messageId": ["fuzz-message"],
    "msgId": ["fuzz-message"],
    "mid": ["fuzz-message"],
    "tmid": ["fuzz-message"],
    "message": [{"rid": "GENERAL", "_id": "fuzz-message"}],
    "latest": ["2030-01-01T00:00:00.000Z"],
    "oldest": ["2020-01-01T00:00:00Z", "2020"],
    "updatedSince": ["2020-01-01"],
    "since": ["2020-01-01"],
    "lastUpdate": ["2020-01-01"],
    "emoji": [":smile:"],
    "type": [0, 1, "c", "p"],
    "roleId": ["bot", "owner"],
    "role": ["owner", "admin"],
    "data": [{"name": "new"}, {"bio": "x"}],
    "selector": ['{"term": "a"}', '{"name": "g"}'],
    "query": ['{"_id": "GENERAL"}'],
    "t_name": ["talk"],
    "description": ["why"],
    "searchText": ["hello", "/he/"],
    "customFields": [{"a": 1}],
    "teamName": ["fuzz"],
    "members": [["ada"]],
    "token": ["fuzz"],
}


def names_of(endpoint: Endpoint) -> list[str]:
    return [one.partition(":")[0] for one in endpoint.takes.split()] or ["name"]


# What would end the session the other requests depend on.
_LEFT_OUT = {"logout", "users.logout", "users.deleteOwnAccount", "users.logoutOtherClients", "users.removeOtherTokens"}


@st.composite
def requests_to(draw: st.DrawFn) -> tuple[Endpoint, dict[str, Any], dict[str, str]]:
    endpoint = draw(st.sampled_from([one for one in TABLE if one.path.removeprefix("/api/v1/") not in _LEFT_OUT]))
    chosen = draw(st.lists(st.sampled_from(names_of(endpoint)), max_size=6, unique=True))
    parameters = {
        name: draw(st.sampled_from(_SENSIBLE[name]) if name in _SENSIBLE and draw(st.integers(0, 3)) else _values)
        for name in chosen
    }
    query = {
        name: draw(
            st.sampled_from(
                [
                    "{}",
                    "[1]",
                    '{"name": 1}',
                    '{"$or": [{"name": {"$regex": "^a.*"}}]}',
                    "{",
                    "5",
                    "-1",
                    "99999999999999999999",
                ]
            )
        )
        for name in draw(
            st.lists(st.sampled_from(["query", "sort", "fields", "count", "offset"]), max_size=2, unique=True)
        )
    }
    return endpoint, parameters, query


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(wanted=requests_to())
def test_no_request_breaks_an_endpoint(admin: Person, wanted: tuple[Endpoint, dict[str, Any], dict[str, str]]) -> None:
    endpoint, parameters, query = wanted
    path = endpoint.path
    for name in ("rid", "id", "type", "token", "name", "user", "file"):
        path = path.replace(f"{{{name}}}", "GENERAL")
    if endpoint.method in ("GET", "DELETE"):
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in parameters.items()}
        response = admin.session.request(
            endpoint.method, admin.url + path, params={**query, **texts}, allow_redirects=False
        )
    elif endpoint.upload:
        fields = {name: str(value) for name, value in parameters.items()}
        response = admin.session.post(
            admin.url + path, data=fields, files={"file": ("a.txt", b"x"), "image": ("b", b"y")}
        )
    else:
        response = admin.session.request(endpoint.method, admin.url + path, json=parameters, params=query)
    assert response.status_code < 500, (endpoint.path, parameters, query, response.text)


@settings(
    max_examples=200, deadline=None, derandomize=True, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(name=st.sampled_from(sorted(set(METHODS) - {"logout"})), parameters=st.lists(_values, max_size=4))
def test_no_arguments_break_a_realtime_method(admin: Person, name: str, parameters: list[Any]) -> None:
    message = json.dumps({"msg": "method", "id": "1", "method": name, "params": parameters})
    response = admin.post(f"method.call/{name.replace('/', '%2F')}", {"message": message})
    assert response.status_code < 500, (name, parameters, response.text)


def test_another_name_or_picture_is_for_those_who_may_impersonate(larkspur: Served) -> None:
    base = f"{larkspur.url('chat')}/api/v1"
    login = {"user": "sam.reed", "password": "sam-reed-first-day"}
    me = requests.post(f"{base}/login", json=login, timeout=30).json()["data"]
    headers = {"X-Auth-Token": me["authToken"], "X-User-Id": me["userId"]}
    for more in ({"alias": "Mara Lindqvist"}, {"avatar": "http://larkspur.test/a.png"}):
        facts = {"channel": "#general", "text": "Everyone gets a raise.", **more}
        answer = requests.post(f"{base}/chat.postMessage", json=facts, headers=headers, timeout=30)
        assert (answer.status_code, answer.json()["error"]) == (400, "Not enough permission")
    answer = requests.post(
        f"{base}/chat.postMessage", json={"channel": "#general", "text": "Hi"}, headers=headers, timeout=30
    )
    assert answer.status_code == 200
