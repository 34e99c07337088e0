"""What was deleted can be found, brought back and erased."""

from __future__ import annotations

from tests.company.drive.client import OC, Client, Found

BIN = "/remote.php/dav/trash-bin/root"
ORIGIN = f"{OC}trashbin-original-location"


def deleted(client: Client, user: str = "root") -> list[Found]:
    names = (f"{OC}trashbin-original-filename", ORIGIN, f"{OC}trashbin-delete-datetime", f"{OC}size")
    return client.find("/", *names, depth="1", root=f"/remote.php/dav/trash-bin/{user}")[1:]


def restore(client: Client, found: Found, target: str) -> int:
    destination = f"{client.url}/remote.php/dav/files/{client.user}{target}"
    return client.raw("MOVE", found.href, headers={"Destination": destination}).status_code


def test_a_deleted_folder_comes_back_whole_with_its_ids(root: Client) -> None:
    root.mkcol("/a")
    root.mkcol("/a/b")
    root.put("/a/b/deep.txt", "deep")
    root.put("/a/top.txt", "top")
    before = {path: root.property(path, f"{OC}fileid") for path in ("/a", "/a/b", "/a/b/deep.txt")}
    assert root.dav("DELETE", "/a").status_code == 204
    assert root.names() == []
    (found,) = deleted(root)
    assert found.properties[ORIGIN] == "a"
    assert found.properties[f"{OC}size"] == "7"
    assert restore(root, found, "/a") == 201
    assert {path: root.property(path, f"{OC}fileid") for path in before} == before
    assert root.get("/a/b/deep.txt") == b"deep"
    assert root.property("/", f"{OC}size") == "7"
    assert deleted(root) == []


def test_a_deleted_file_can_be_read_in_the_trash(root: Client) -> None:
    root.mkcol("/a")
    root.put("/a/x.txt", "still here")
    root.dav("DELETE", "/a")
    (found,) = deleted(root)
    inside = root.find("", depth="1", root=found.href.rstrip("/"))
    assert [one.href for one in inside] == [found.href, f"{found.href}x.txt"]
    assert root.raw("GET", f"{found.href}x.txt").content == b"still here"


def test_nothing_is_restored_over_something_else(root: Client) -> None:
    root.put("/a.txt", "first")
    root.dav("DELETE", "/a.txt")
    root.put("/a.txt", "second")
    (found,) = deleted(root)
    assert restore(root, found, "/a.txt") == 409
    assert restore(root, found, "/nowhere/a.txt") == 409
    assert restore(root, found, "/b.txt") == 201
    assert (root.get("/a.txt"), root.get("/b.txt")) == (b"second", b"first")


def test_the_trash_can_be_emptied_in_part_or_whole(root: Client) -> None:
    for name in ("/a", "/b", "/c"):
        root.put(name)
        root.dav("DELETE", name)
    first = deleted(root)[0]
    assert root.raw("DELETE", first.href).status_code == 204
    assert [one.properties[ORIGIN] for one in deleted(root)] == ["b", "c"]
    assert root.raw("DELETE", BIN).status_code == 204
    assert deleted(root) == []


def test_whoever_deletes_from_a_share_can_bring_it_back(root: Client) -> None:
    other = root.add_user("other")
    root.mkcol("/shared")
    root.put("/shared/a.txt", "ours")
    root.share("/shared", 0, shareWith="other", permissions=31)
    other.dav("DELETE", "/shared/a.txt")
    assert [one.properties[ORIGIN] for one in deleted(root)] == ["shared/a.txt"]
    (found,) = deleted(other, "other")
    assert restore(other, found, "/shared/a.txt") == 201
    assert root.get("/shared/a.txt") == b"ours"


def test_somebody_elses_trash_is_not_found(root: Client) -> None:
    other = root.add_user("other")
    root.put("/a.txt")
    root.dav("DELETE", "/a.txt")
    (found,) = deleted(root)
    assert other.raw("PROPFIND", BIN).status_code == 404
    assert other.raw("GET", found.href.replace("root", "other")).status_code == 404
