"""Uploads in pieces, the new way and the old."""

from __future__ import annotations

import hashlib

from tests.company.drive.client import OC, Client
from tests.company.serving import Served

UPLOAD = "/remote.php/dav/uploads/root/upload-1"


def send(root: Client, pieces: list[bytes]) -> None:
    assert root.raw("MKCOL", UPLOAD).status_code == 201
    for number, piece in enumerate(pieces):
        assert root.raw("PUT", f"{UPLOAD}/{number}", data=piece).status_code == 201


def finish(root: Client, target: str = "/remote.php/dav/files/root/whole.bin", **headers: str) -> int:
    named = {"Destination": root.url + target, **headers}
    return root.raw("MOVE", f"{UPLOAD}/.file", headers=named).status_code


def test_pieces_become_a_file_in_the_order_of_their_numbers(root: Client) -> None:
    pieces = [f"piece {number};".encode() for number in range(12)]
    send(root, pieces)
    whole = b"".join(pieces)
    checksum = f"SHA1:{hashlib.sha1(whole).hexdigest()}"
    headers = {"OC-Total-Length": str(len(whole)), "OC-Checksum": checksum, "X-OC-Mtime": "1234567890"}
    assert finish(root, **headers) == 201
    assert root.get("/whole.bin") == whole
    assert root.raw("PROPFIND", UPLOAD).status_code == 404


def test_a_wrong_checksum_or_length_makes_no_file_and_loses_no_piece(root: Client) -> None:
    send(root, [b"one", b"two"])
    assert finish(root, **{"OC-Checksum": "SHA1:0000"}) == 400
    assert finish(root, **{"OC-Total-Length": "7"}) == 400
    assert root.names() == []
    assert finish(root) == 201
    assert root.get("/whole.bin") == b"onetwo"


def test_an_upload_can_be_looked_at_and_given_up(blank: Served, root: Client) -> None:
    send(root, [b"one", b"three"])
    listed = root.find("", depth="1", root=UPLOAD)
    assert [one.href.removeprefix(UPLOAD) for one in listed] == ["/", "/0", "/1"]
    assert listed[2].properties["{DAV:}getcontentlength"] == "5"
    assert root.raw("DELETE", UPLOAD).status_code == 204
    assert not any((blank.company.folder / "own" / "drive").rglob("upload-1"))


def test_an_upload_is_its_owners_alone(root: Client) -> None:
    send(root, [b"one"])
    other = root.add_user("other")
    assert other.raw("PUT", f"{UPLOAD}/1", data=b"evil").status_code == 404
    assert (
        other.raw("MOVE", f"{UPLOAD}/.file", headers={"Destination": f"{root.url}/remote.php/webdav/x"}).status_code
        == 404
    )
    assert other.raw("PUT", "/remote.php/dav/uploads/other/none/0", data=b"x").status_code == 404


def test_pieces_cannot_be_put_together_over_the_quota(root: Client) -> None:
    small = root.add_user("small")
    root.ocs("PUT", "/cloud/users/small", data={"key": "quota", "value": "10"})
    base = "/remote.php/dav/uploads/small/u"
    small.raw("MKCOL", base)
    for number in range(2):
        assert small.raw("PUT", f"{base}/{number}", data=b"x" * 8).status_code == 201
    answer = small.raw("MOVE", f"{base}/.file", headers={"Destination": f"{root.url}/remote.php/webdav/big"})
    assert answer.status_code == 507
    assert small.names() == []


def test_the_old_way_makes_the_file_when_the_last_piece_arrives_in_any_order(root: Client) -> None:
    root.mkcol("/deep")
    root.put("/deep/f.bin", "old")
    for number in (2, 0):
        assert root.put(f"/deep/f.bin-chunking-77-3-{number}", f"<{number}>", OC_Chunked="1").status_code == 201
    assert root.get("/deep/f.bin") == b"old"
    last = root.put("/deep/f.bin-chunking-77-3-1", "<1>", OC_Chunked="1")
    assert last.status_code == 204
    assert last.headers["OC-FileId"] == root.property("/deep/f.bin", f"{OC}id")
    assert root.get("/deep/f.bin") == b"<0><1><2>"
    assert root.names("/deep") == ["f.bin"]


def test_a_piece_numbered_past_the_end_is_refused(root: Client) -> None:
    assert root.put("/f-chunking-1-2-2", "x", OC_Chunked="1").status_code == 400
    assert root.names() == []
