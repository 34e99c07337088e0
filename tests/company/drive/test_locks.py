"""Write locks between two people; the rest of locking is litmus's part."""

from __future__ import annotations

import re

from tests.company.drive.client import DAV, Client
from tests.company.serving import Served

EXCLUSIVE = (
    '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>'
    "<d:owner>me</d:owner></d:lockinfo>"
)
SHARED = EXCLUSIVE.replace("exclusive", "shared")


def lock(client: Client, path: str, body: str = EXCLUSIVE, **headers: str) -> str:
    answer = client.dav("LOCK", path, data=body, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return answer.headers["Lock-Token"].strip("<>")


def two_people(root: Client) -> tuple[Client, Client]:
    """The owner of a shared folder, and somebody who may edit in it."""
    other = root.add_user("other")
    root.mkcol("/shared")
    root.put("/shared/a.txt", "original")
    root.share("/shared", 0, shareWith="other", permissions=31)
    return root, other


def test_a_lock_binds_everyone_who_sees_the_file(root: Client) -> None:
    owner, other = two_people(root)
    token = lock(owner, "/shared/a.txt")
    for answer in (
        other.put("/shared/a.txt", "mine"),
        other.dav("DELETE", "/shared/a.txt"),
        other.transport("MOVE", "/shared/a.txt", "/shared/b.txt"),
        other.dav("LOCK", "/shared/a.txt", data=EXCLUSIVE),
    ):
        assert answer.status_code == 423
        assert "Locked" in answer.text
    assert owner.get("/shared/a.txt") == b"original"
    assert owner.put("/shared/a.txt", "changed", If=f"(<{token}>)").status_code == 204


def test_somebody_elses_token_opens_nothing(root: Client) -> None:
    owner, other = two_people(root)
    token = lock(owner, "/shared/a.txt")
    assert other.put("/shared/a.txt", "mine", If=f"(<{token}>)").status_code == 423
    assert other.dav("UNLOCK", "/shared/a.txt", headers={"Lock-Token": f"<{token}>"}).status_code == 403
    assert owner.get("/shared/a.txt") == b"original"


def test_a_locked_folder_takes_nothing_new(root: Client) -> None:
    owner, other = two_people(root)
    token = lock(owner, "/shared", Depth="infinity")
    assert other.put("/shared/new.txt").status_code == 423
    assert other.mkcol("/shared/new").status_code == 423
    assert (
        owner.put("/shared/new.txt", "x", If=f"<{owner.url}/remote.php/webdav/shared> (<{token}>)").status_code == 201
    )
    assert owner.dav("UNLOCK", "/shared", headers={"Lock-Token": f"<{token}>"}).status_code == 204
    assert other.put("/shared/new.txt").status_code == 204


def test_a_depth_zero_lock_keeps_the_list_of_members_but_not_their_content(root: Client) -> None:
    owner, other = two_people(root)
    lock(owner, "/shared", Depth="0")
    assert other.put("/shared/a.txt", "allowed").status_code == 204
    assert other.put("/shared/new.txt").status_code == 423
    assert other.dav("DELETE", "/shared/a.txt").status_code == 423


def test_shared_locks_stand_side_by_side_but_not_with_an_exclusive_one(root: Client) -> None:
    owner, other = two_people(root)
    mine, theirs = lock(owner, "/shared/a.txt", SHARED), lock(other, "/shared/a.txt", SHARED)
    assert mine != theirs
    assert other.dav("LOCK", "/shared/a.txt", data=EXCLUSIVE).status_code == 423
    found = owner.find("/shared/a.txt", f"{DAV}lockdiscovery")[0].elements[f"{DAV}lockdiscovery"]
    assert len(found.findall(f"{DAV}activelock")) == 2


def test_a_lock_ends_with_its_time_on_the_companys_clock(blank: Served, root: Client) -> None:
    owner, other = two_people(root)
    lock(owner, "/shared/a.txt", Timeout="Second-60")
    assert other.put("/shared/a.txt", "early").status_code == 423
    blank.company.clock.origin -= 61
    assert other.put("/shared/a.txt", "late").status_code == 204


def test_a_refreshed_lock_lives_longer(blank: Served, root: Client) -> None:
    owner, other = two_people(root)
    token = lock(owner, "/shared/a.txt", Timeout="Second-60")
    blank.company.clock.origin -= 50
    again = owner.dav("LOCK", "/shared/a.txt", headers={"If": f"(<{token}>)", "Timeout": "Second-60"})
    assert again.status_code == 200
    assert re.search("Second-60<", again.text)
    blank.company.clock.origin -= 50
    assert other.put("/shared/a.txt", "too early").status_code == 423


def test_locking_a_free_name_makes_an_empty_file(root: Client) -> None:
    answer = root.dav("LOCK", "/new.txt", data=EXCLUSIVE)
    assert answer.status_code == 201
    assert root.get("/new.txt") == b""


def test_someone_who_may_only_read_cannot_lock(root: Client) -> None:
    other = root.add_user("other")
    root.put("/a.txt")
    root.share("/a.txt", 0, shareWith="other", permissions=1)
    assert other.dav("LOCK", "/a.txt", data=EXCLUSIVE).status_code == 403


def test_an_if_header_that_cannot_be_read_is_400_and_a_false_one_412(root: Client) -> None:
    etag = root.put("/a.txt", "x").headers["ETag"]
    for broken in ("(", "()", "nonsense", "(<a>", "<a>", "(Not)", "([)"):
        assert root.put("/a.txt", "y", If=broken).status_code == 400, broken
    assert root.put("/a.txt", "y", If='(["other"])').status_code == 412
    assert root.put("/a.txt", "y", If="(<urn:uuid:none>)").status_code == 412
    assert root.put("/a.txt", "y", If=f"(<urn:uuid:none>) ([{etag}])").status_code == 204
    assert root.put("/a.txt", "z", If="(Not <DAV:no-lock>)").status_code == 204
