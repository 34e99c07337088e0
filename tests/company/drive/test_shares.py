"""Shares with people and groups: made over OCS, obeyed over WebDAV."""

from __future__ import annotations

from typing import Any

import pytest

from tests.company.drive.client import DAV, OC, Client

API = "/apps/files_sharing/api/v1/shares"
READ, UPDATE, CREATE, DELETE, SHARE = 1, 2, 4, 8, 16


@pytest.fixture
def other(root: Client) -> Client:
    return root.add_user("other")


def code(answer: Any) -> int:
    return int(answer["meta"]["statuscode"])


def test_a_shared_folder_appears_at_the_recipients_top(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.mkcol("/work/plans")
    root.put("/work/plans/a.txt", "plan")
    made = root.share("/work/plans", 0, shareWith="other", permissions=31)
    assert (made["path"], made["file_target"], made["item_type"]) == ("/work/plans", "/plans", "folder")
    assert (made["uid_owner"], made["share_with"], made["share_type"]) == ("root", "other", 0)
    assert other.names() == ["plans"]
    assert other.get("/plans/a.txt") == b"plan"
    assert other.property("/plans", f"{OC}permissions") == "SRDNVCK"
    assert other.property("/plans", f"{OC}owner-id") == "root"
    assert root.property("/work/plans", f"{OC}share-types") == ""
    assert (
        root.find("/work/plans", f"{OC}share-types")[0].elements[f"{OC}share-types"].findtext(f"{OC}share-type") == "0"
    )


def test_a_recipient_is_not_told_of_the_owners_other_shares(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.share("/work", 0, shareWith="other", permissions=31)
    root.share("/work", 3)
    own = other.share("/work", 3)
    asked = {"path": "/work", "reshares": "true"}
    assert [one["id"] for one in other.ocs("GET", API, params=asked)["data"]] == [own["id"]]
    assert len(root.ocs("GET", API, params=asked)["data"]) == 3


def test_what_the_recipient_writes_is_the_owners_file(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.share("/work", 0, shareWith="other", permissions=31)
    assert other.put("/work/new.txt", "from other").status_code == 201
    assert root.get("/work/new.txt") == b"from other"
    assert other.property("/", f"{OC}size") == "0"


def test_a_change_inside_a_share_changes_the_etag_of_the_recipients_top(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.share("/work", 0, shareWith="other", permissions=31)
    before = other.property("/", f"{DAV}getetag")
    root.put("/work/new.txt")
    assert other.property("/", f"{DAV}getetag") != before


@pytest.mark.parametrize("permissions", [READ | CREATE, READ | UPDATE | CREATE | DELETE])
def test_every_permission_is_needed_for_its_deed(root: Client, other: Client, permissions: int) -> None:
    root.mkcol("/work")
    root.put("/work/old.txt", "old")
    root.put("/work/gone.txt")
    root.share("/work", 0, shareWith="other", permissions=permissions)

    def allowed(needed: int, done: int) -> int:
        return done if permissions & needed == needed else 403

    assert other.get("/work/old.txt") == b"old"
    assert other.put("/work/old.txt", "changed").status_code == allowed(UPDATE, 204)
    assert other.put("/work/new.txt").status_code == allowed(CREATE, 201)
    assert other.mkcol("/work/folder").status_code == allowed(CREATE, 201)
    assert other.transport("COPY", "/work/old.txt", "/work/copy.txt").status_code == allowed(CREATE, 201)
    assert other.transport("MOVE", "/work/old.txt", "/work/renamed.txt").status_code == allowed(UPDATE, 201)
    assert other.dav("DELETE", "/work/gone.txt").status_code == allowed(DELETE, 204)
    refused = other.ocs("POST", API, data={"path": "/work", "shareType": 3})
    assert code(refused) == 404


def test_a_file_share_never_allows_adding_or_deleting(root: Client, other: Client) -> None:
    root.put("/a.txt")
    assert root.share("/a.txt", 0, shareWith="other", permissions=31)["permissions"] == READ | UPDATE | SHARE


def test_the_recipient_can_rename_and_drop_a_share_without_touching_it(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.put("/work/a.txt")
    root.share("/work", 0, shareWith="other", permissions=1)
    other.mkcol("/mine")
    assert other.transport("MOVE", "/work", "/mine/theirs").status_code == 201
    assert other.get("/mine/theirs/a.txt") == b"content"
    assert other.transport("MOVE", "/mine", "/yours").status_code == 201
    assert other.names("/yours") == ["theirs"]
    assert other.dav("DELETE", "/yours/theirs").status_code == 204
    assert other.names("/yours") == []
    assert root.names("/work") == ["a.txt"]


def test_a_share_outlives_the_recipients_folder_it_was_moved_to(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.share("/work", 0, shareWith="other", permissions=31)
    other.mkcol("/mine")
    other.transport("MOVE", "/work", "/mine/work")
    other.dav("DELETE", "/mine")
    assert other.names() == ["work"]


def test_two_shares_of_one_name_both_find_a_place(root: Client, other: Client) -> None:
    third = root.add_user("third")
    for giver in (root, third):
        giver.put("/report.txt", str(giver.user))
        giver.share("/report.txt", 0, shareWith="other")
    assert other.names() == ["report (2).txt", "report.txt"]
    assert other.get("/report (2).txt") == b"third"


def test_moving_out_of_a_share_makes_it_ones_own(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.put("/work/a.txt", "text")
    root.share("/work", 0, shareWith="other", permissions=31)
    assert other.transport("MOVE", "/work/a.txt", "/mine.txt").status_code == 201
    assert root.names("/work") == []
    assert other.property("/mine.txt", f"{OC}owner-id") == "other"
    assert other.property("/", f"{OC}size") == "4"


def test_a_group_share_comes_and_goes_with_membership(root: Client, other: Client) -> None:
    root.ocs("POST", "/cloud/groups", data={"groupid": "team"})
    root.mkcol("/work")
    root.share("/work", 1, shareWith="team", permissions=31)
    assert other.names() == []
    root.ocs("POST", "/cloud/users/other/groups", data={"groupid": "team"})
    assert other.names() == ["work"]
    root.ocs("DELETE", "/cloud/users/other/groups", data={"groupid": "team"})
    assert other.names() == []


def test_a_reshare_gives_no_more_than_was_given_and_ends_with_it(root: Client, other: Client) -> None:
    third = root.add_user("third")
    root.mkcol("/work")
    first = root.share("/work", 0, shareWith="other", permissions=READ | SHARE)
    more = other.ocs("POST", API, data={"path": "/work", "shareType": 0, "shareWith": "third", "permissions": 31})
    assert code(more) == 404
    again = other.share("/work", 0, shareWith="third", permissions=READ)
    assert (again["uid_owner"], again["uid_file_owner"]) == ("other", "root")
    assert third.names() == ["work"]
    assert code(root.ocs("DELETE", f"{API}/{first['id']}")) == 100
    assert third.names() == []
    assert other.names() == []


def test_shares_are_listed_by_giver_path_folder_and_recipient(root: Client, other: Client) -> None:
    root.mkcol("/work")
    root.put("/work/a.txt")
    root.share("/work", 0, shareWith="other")
    root.share("/work/a.txt", 3)

    def paths(query: str, who: Client = root) -> list[str]:
        return [one["path"] for one in who.ocs("GET", f"{API}{query}")["data"]]

    assert paths("") == ["/work", "/work/a.txt"]
    assert paths("?path=/work") == ["/work"]
    assert paths("?path=/work&subfiles=true") == ["/work/a.txt"]
    assert paths("?shared_with_me=true", other) == ["/work"]
    assert paths("?shared_with_me=true") == []
    assert code(root.ocs("GET", f"{API}?path=/nothing")) == 404
    assert code(root.ocs("GET", f"{API}?path=/work/a.txt&subfiles=true")) == 400


def test_a_stranger_cannot_see_change_or_end_a_share(root: Client, other: Client) -> None:
    third = root.add_user("third")
    root.put("/a.txt")
    id = root.share("/a.txt", 0, shareWith="other")["id"]
    assert code(third.ocs("GET", f"{API}/{id}")) == 404
    assert code(third.ocs("PUT", f"{API}/{id}", data={"permissions": 31})) == 404
    assert code(third.ocs("DELETE", f"{API}/{id}")) == 404
    assert code(other.ocs("PUT", f"{API}/{id}", data={"permissions": 31})) == 404
    assert other.names() == ["a.txt"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, 404),
        ({"path": "/none", "shareType": 0, "shareWith": "other"}, 404),
        ({"path": "/a.txt", "shareType": 0, "shareWith": "nobody"}, 404),
        ({"path": "/a.txt", "shareType": 1, "shareWith": "nobody"}, 404),
        ({"path": "/a.txt", "shareType": 9, "shareWith": "other"}, 400),
        ({"path": "/a.txt", "shareType": 0, "shareWith": "root"}, 403),
        ({"path": "/", "shareType": 0, "shareWith": "other"}, 403),
        ({"path": "/a.txt", "shareType": 0, "shareWith": "other", "permissions": 0}, 400),
        ({"path": "/a.txt", "shareType": 0, "shareWith": "other", "permissions": 99}, 404),
        ({"path": "/a.txt", "shareType": 3, "expireDate": "soon"}, 400),
        ({"path": "/a.txt", "shareType": 3, "publicUpload": "true"}, 404),
        ({"path": "/../a.txt", "shareType": 3}, 404),
    ],
)
def test_a_share_that_makes_no_sense_is_refused(
    root: Client, other: Client, data: dict[str, Any], expected: int
) -> None:
    root.put("/a.txt")
    first = root.ocs("POST", API, data=data)
    second = root.ocs("POST", API, data=data, version=2)
    assert (code(first), first["meta"]["http"], first["meta"]["status"]) == (expected, 200, "failure")
    assert (code(second), second["meta"]["http"]) == (expected, expected)
    assert root.ocs("GET", API)["data"] == []


def test_the_same_share_is_not_made_twice(root: Client, other: Client) -> None:
    root.put("/a.txt")
    root.share("/a.txt", 0, shareWith="other")
    assert code(root.ocs("POST", API, data={"path": "/a.txt", "shareType": 0, "shareWith": "other"})) == 403


def test_deleting_a_file_ends_its_shares(root: Client, other: Client) -> None:
    root.put("/a.txt")
    root.share("/a.txt", 0, shareWith="other")
    root.dav("DELETE", "/a.txt")
    assert other.names() == []
    assert root.ocs("GET", API)["data"] == []


def test_people_and_groups_to_share_with_are_found(root: Client, other: Client) -> None:
    root.ocs("POST", "/cloud/groups", data={"groupid": "others"})
    found = root.ocs("GET", "/apps/files_sharing/api/v1/sharees?search=other&itemType=file")["data"]
    assert [one["value"]["shareWith"] for one in found["exact"]["users"]] == ["other"]
    assert [one["value"]["shareWith"] for one in found["groups"]] == ["others"]


def test_xml_and_json_say_the_same(root: Client) -> None:
    root.put("/a.txt")
    root.share("/a.txt", 3, name="Test")
    text = root.raw("GET", f"/ocs/v1.php{API}").text
    assert "<statuscode>100</statuscode>" in text
    assert "<element>" in text
    assert "<name>Test</name>" in text
    assert "<path>/a.txt</path>" in text
    assert root.ocs("GET", API)["data"][0]["name"] == "Test"
