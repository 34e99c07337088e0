"""Accounts and groups over OCS: who may do what, and what both versions of the interface say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.company.drive.client import Client


def code(answer: Any) -> int:
    return int(answer["meta"]["statuscode"])


def test_an_ordinary_account_manages_itself_and_nobody_else(root: Client) -> None:
    me = root.add_user("me")
    root.add_user("other")
    assert me.ocs("GET", "/cloud/users/me")["data"]["displayname"] == "me"
    assert code(me.ocs("PUT", "/cloud/users/me", data={"key": "display", "value": "Me Myself"})) == 100
    assert me.ocs("GET", "/cloud/user")["data"]["display-name"] == "Me Myself"
    for method, path, data in (
        ("GET", "/cloud/users", {}),
        ("POST", "/cloud/users", {"userid": "x", "password": "y"}),
        ("GET", "/cloud/users/other", {}),
        ("PUT", "/cloud/users/other", {"key": "display", "value": "x"}),
        ("DELETE", "/cloud/users/other", {}),
        ("PUT", "/cloud/users/me", {"key": "quota", "value": "1 TB"}),
        ("GET", "/cloud/groups", {}),
        ("POST", "/cloud/groups", {"groupid": "x"}),
        ("GET", "/cloud/apps", {}),
    ):
        answer = me.ocs(method, path, data=data)
        assert (code(answer), answer["meta"]["http"]) == (997, 401), (method, path)


def test_a_changed_password_is_the_only_one_that_works(root: Client) -> None:
    me = root.add_user("me", "first")
    assert code(me.ocs("PUT", "/cloud/users/me", data={"key": "password", "value": "second"})) == 100
    assert me.dav("PROPFIND", "/").status_code == 401
    assert Client(root.url, "me", "second").names() == []


def test_an_account_can_have_a_quota_the_usual_one_or_none(root: Client) -> None:
    me = root.add_user("me")
    for value, definition, status in (("3 B", "3", 507), ("none", "none", 201), ("default", "default", 204)):
        assert code(root.ocs("PUT", "/cloud/users/me", data={"key": "quota", "value": value})) == 100
        assert root.ocs("GET", "/cloud/users/me")["data"]["quota"]["definition"] == definition
        assert me.dav("PUT", "/four.txt", data=b"four").status_code == status, value


def test_a_disabled_account_cannot_come_in(root: Client) -> None:
    me = root.add_user("me")
    assert code(root.ocs("PUT", "/cloud/users/me/disable")) == 100
    assert me.dav("PROPFIND", "/").status_code == 401
    assert root.ocs("GET", "/cloud/users/me")["data"]["enabled"] == "false"
    root.ocs("PUT", "/cloud/users/me/enable")
    assert me.names() == []


def test_a_deleted_account_leaves_nothing_behind(root: Client) -> None:
    me = root.add_user("me")
    me.mkcol("/a")
    me.put("/a/b.txt")
    me.share("/a", 0, shareWith="root")
    assert root.names() == ["a"]
    assert code(root.ocs("DELETE", "/cloud/users/me")) == 100
    assert root.names() == []
    again = root.add_user("me")
    assert again.names() == []


def test_a_groups_administrator_manages_its_members(root: Client) -> None:
    lead, member = root.add_user("lead"), root.add_user("member")
    root.ocs("POST", "/cloud/groups", data={"groupid": "team"})
    root.ocs("POST", "/cloud/users/member/groups", data={"groupid": "team"})
    assert code(root.ocs("POST", "/cloud/users/lead/subadmins", data={"groupid": "team"})) == 100
    assert root.ocs("GET", "/cloud/users/lead/subadmins")["data"] == ["team"]
    assert lead.ocs("GET", "/cloud/users")["data"]["users"] == ["member"]
    assert code(lead.ocs("PUT", "/cloud/users/member", data={"key": "display", "value": "M"})) == 100
    assert code(lead.ocs("DELETE", "/cloud/users/root")) == 997
    assert code(member.ocs("GET", "/cloud/users")) == 997


def test_both_versions_name_the_same_outcome_in_their_own_numbers(root: Client) -> None:
    first = root.ocs("GET", "/cloud/users/nobody")
    second = root.ocs("GET", "/cloud/users/nobody", version=2)
    assert (code(first), first["meta"]["http"]) == (998, 200)
    assert (code(second), second["meta"]["http"]) == (404, 404)
    good = root.ocs("GET", "/cloud/user", version=2)
    assert (code(good), good["meta"]["http"], good["meta"]["status"]) == (200, 200, "ok")
    clash = root.ocs("POST", "/cloud/users", version=2, data={"userid": "root", "password": "x"})
    assert (code(clash), clash["meta"]["http"]) == (400, 400)


def test_a_call_that_does_not_exist_says_so_in_the_wires_shape(root: Client) -> None:
    assert code(root.ocs("GET", "/cloud/nonsense")) == 998
    assert root.ocs("GET", "/cloud/nonsense", version=2)["meta"]["http"] == 404
    assert "<statuscode>998</statuscode>" in root.raw("GET", "/ocs/v1.php/nothing").text


def test_capabilities_are_for_everyone_but_wrong_credentials_are_not(root: Client) -> None:
    nobody = Client(root.url, None)
    assert code(nobody.ocs("GET", "/cloud/capabilities")) == 100
    wrong = Client(root.url, "root", "wrong")
    answer = wrong.raw("GET", "/ocs/v1.php/cloud/capabilities")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")


@pytest.mark.parametrize(
    ("userid", "expected"), [("", 101), ("a/b", 101), ("..", 101), (" x", 101), ("x" * 100, 101), ("ROOT", 102)]
)
def test_a_username_that_cannot_be_is_refused(root: Client, userid: str, expected: int) -> None:
    assert code(root.ocs("POST", "/cloud/users", data={"userid": userid, "password": "x"})) == expected


def test_long_lists_come_in_pages(root: Client) -> None:
    for number in range(5):
        root.add_user(f"user{number}")
    page = root.ocs("GET", "/cloud/users?search=user&limit=2&offset=1")["data"]["users"]
    assert page == ["user1", "user2"]
