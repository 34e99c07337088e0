"""Files and folders over WebDAV: the verbs, their headers, and what they leave behind."""

from __future__ import annotations

import hashlib
import socket
import zlib

import pytest

from dayjob.company.drive.api.dav import transfer
from tests.company.drive.client import DAV, OC, Client
from tests.company.serving import Served


def test_a_file_that_was_put_can_be_read_back(root: Client) -> None:
    made = root.put("/notes.txt", "hello")
    assert made.status_code == 201
    assert made.headers["OC-FileId"].endswith(root.property("/notes.txt", f"{OC}id")[8:])
    answer = root.dav("GET", "/notes.txt")
    assert answer.content == b"hello"
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["ETag"] == made.headers["ETag"] == answer.headers["OC-ETag"]
    assert "notes.txt" in answer.headers["Content-Disposition"]


def test_writing_a_file_again_changes_its_etag_and_says_204(root: Client) -> None:
    first = root.put("/a.txt", "one")
    second = root.put("/a.txt", "two")
    assert (first.status_code, second.status_code) == (201, 204)
    assert first.headers["ETag"] != second.headers["ETag"]
    assert first.headers["OC-FileId"] == second.headers["OC-FileId"]


def test_every_folder_above_a_change_gets_a_new_etag(root: Client) -> None:
    root.mkcol("/a")
    root.mkcol("/a/b")
    root.mkcol("/c")
    before = {path: root.property(path, f"{DAV}getetag") for path in ("/", "/a", "/a/b", "/c")}
    root.put("/a/b/file.txt")
    after = {path: root.property(path, f"{DAV}getetag") for path in before}
    assert {path for path in before if before[path] != after[path]} == {"/", "/a", "/a/b"}


def test_a_folder_knows_how_much_is_in_it(root: Client) -> None:
    root.mkcol("/a")
    root.mkcol("/a/b")
    root.put("/a/b/ten.bin", b"0123456789")
    root.put("/a/five.bin", b"01234")
    assert root.property("/a", f"{OC}size") == "15"
    root.transport("MOVE", "/a/b/ten.bin", "/ten.bin")
    assert root.property("/a", f"{OC}size") == "5"
    assert root.property("/", f"{OC}size") == "15"
    root.dav("DELETE", "/a")
    assert root.property("/", f"{OC}size") == "10"


def test_hrefs_are_percent_encoded(root: Client) -> None:
    root.mkcol("/two words")
    root.put("/two words/é & ü (1)#+.txt")
    answer = root.raw("PROPFIND", "/remote.php/webdav/two%20words", headers={"Depth": "1"})
    assert "/remote.php/webdav/two%20words/%c3%a9%20%26%20%c3%bc%20(1)%23%2b.txt<" in answer.text


def test_both_addresses_of_the_files_show_the_same(root: Client) -> None:
    root.put("/a.txt")
    new = root.find("/", depth="1", root="/remote.php/dav/files/root")
    assert [one.href for one in new] == ["/remote.php/dav/files/root/", "/remote.php/dav/files/root/a.txt"]


def test_somebody_elses_files_are_not_found(root: Client) -> None:
    other = root.add_user("other")
    other.put("/private.txt")
    assert root.raw("PROPFIND", "/remote.php/dav/files/other/").status_code == 404
    assert root.raw("GET", "/remote.php/dav/files/other/private.txt").status_code == 404
    away = {"Destination": f"{root.url}/remote.php/dav/files/other/stolen.txt"}
    root.put("/mine.txt")
    assert root.dav("MOVE", "/mine.txt", headers=away).status_code == 403
    assert root.names() == ["mine.txt"]


def test_a_listing_goes_as_deep_as_asked(root: Client) -> None:
    for path in ("/a", "/a/b", "/a/b/c"):
        root.mkcol(path)
    root.put("/z.txt")
    assert len(root.find("/", depth="0")) == 1
    assert [one.href.removeprefix("/remote.php/webdav") for one in root.find("/", depth="1")] == ["/", "/a/", "/z.txt"]
    assert len(root.find("/", depth="2")) == 4
    everything = [one.href.removeprefix("/remote.php/webdav") for one in root.find("/", depth="infinity")]
    assert everything == ["/", "/a/", "/a/b/", "/a/b/c/", "/z.txt"]


def test_properties_that_do_not_exist_are_named_as_missing(root: Client) -> None:
    root.put("/a.txt", "12345")
    found = root.find("/a.txt", f"{DAV}getcontentlength", f"{OC}fileid", "{urn:x}nothing")[0]
    assert found.properties[f"{DAV}getcontentlength"] == "5"
    assert found.missing == {"{urn:x}nothing"}


def test_ownclouds_own_properties_are_there(root: Client) -> None:
    root.mkcol("/folder")
    root.put("/file.txt", "x")
    names = [f"{OC}{name}" for name in ("id", "fileid", "permissions", "size", "owner-id", "favorite", "share-types")]
    file, folder = root.find("/file.txt", *names)[0], root.find("/folder", *names)[0]
    assert not file.missing
    assert not folder.missing
    assert file.properties[f"{OC}permissions"] == "RDNVW"
    assert folder.properties[f"{OC}permissions"] == "RDNVCK"
    assert file.properties[f"{OC}id"].startswith(f"{int(file.properties[f'{OC}fileid']):08d}oc")
    quota = root.find("/", f"{DAV}quota-available-bytes", f"{DAV}quota-used-bytes")[0].properties
    assert quota[f"{DAV}quota-used-bytes"] == "1"
    assert int(quota[f"{DAV}quota-available-bytes"]) > 10**9


def test_a_star_is_ones_own_and_can_be_asked_for(root: Client) -> None:
    root.mkcol("/a")
    root.put("/a/starred.txt")
    root.put("/a/plain.txt")
    body = (
        '<d:propertyupdate xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:set><d:prop>'
        "<oc:favorite>1</oc:favorite></d:prop></d:set></d:propertyupdate>"
    )
    assert root.dav("PROPPATCH", "/a/starred.txt", data=body).status_code == 207
    assert root.property("/a/starred.txt", f"{OC}favorite") == "1"
    report = (
        '<oc:filter-files xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/></d:prop>'
        "<oc:filter-rules><oc:favorite>1</oc:favorite></oc:filter-rules></oc:filter-files>"
    )
    answer = root.raw("REPORT", "/remote.php/dav/files/root/", data=report)
    assert answer.status_code == 207
    assert answer.text.count("<d:response>") == 1
    assert "starred.txt" in answer.text


def test_files_are_found_by_name(root: Client) -> None:
    root.mkcol("/a")
    root.put("/a/Budget 2026.csv")
    root.put("/other.txt")
    report = (
        '<oc:search-files xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/></d:prop>'
        "<oc:search><oc:pattern>budget</oc:pattern><oc:limit>5</oc:limit></oc:search></oc:search-files>"
    )
    answer = root.raw("REPORT", "/remote.php/dav/files/root/", data=report)
    assert "Budget%202026.csv" in answer.text
    assert "other.txt" not in answer.text


# -- ranges and conditions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "status", "content"),
    [
        ("bytes=0-3", 206, b"0123"),
        ("bytes=4-", 206, b"456789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=8-100", 206, b"89"),
        ("bytes=5-2", 200, b"0123456789"),
        ("lines=1-2", 200, b"0123456789"),
        ("bytes=-", 200, b"0123456789"),
    ],
)
def test_a_part_of_a_file_can_be_asked_for(root: Client, header: str, status: int, content: bytes) -> None:
    root.put("/ten.bin", b"0123456789")
    answer = root.dav("GET", "/ten.bin", headers={"Range": header})
    assert (answer.status_code, answer.content) == (status, content)


def test_a_range_past_the_end_is_416_with_the_size(root: Client) -> None:
    root.put("/ten.bin", b"0123456789")
    answer = root.dav("GET", "/ten.bin", headers={"Range": "bytes=10-"})
    assert answer.status_code == 416
    assert answer.headers["Content-Range"] == "bytes */10"


def test_several_ranges_come_as_multipart(root: Client) -> None:
    root.put("/ten.bin", b"0123456789")
    answer = root.dav("GET", "/ten.bin", headers={"Range": "bytes=0-1,8-9"})
    assert answer.status_code == 206
    assert answer.headers["Content-Type"].startswith("multipart/byteranges; boundary=")
    assert b"bytes 0-1/10\r\n\r\n01\r\n" in answer.content
    assert b"bytes 8-9/10\r\n\r\n89\r\n" in answer.content


def test_a_reader_with_a_good_copy_gets_304(root: Client) -> None:
    etag = root.put("/a.txt").headers["ETag"]
    assert root.dav("GET", "/a.txt", headers={"If-None-Match": etag}).status_code == 304
    assert root.dav("GET", "/a.txt", headers={"If-None-Match": '"other"'}).status_code == 200
    stamp = root.dav("GET", "/a.txt").headers["Last-Modified"]
    assert root.dav("GET", "/a.txt", headers={"If-Modified-Since": stamp}).status_code == 304


def test_a_writer_with_an_old_etag_is_refused(root: Client) -> None:
    old = root.put("/a.txt", "one").headers["ETag"]
    root.put("/a.txt", "two")
    assert root.put("/a.txt", "three", If_Match=old).status_code == 412
    assert root.put("/a.txt", "three", If_None_Match="*").status_code == 412
    assert root.put("/b.txt", "new", If_None_Match="*").status_code == 201
    assert root.get("/a.txt") == b"two"


# -- what may go wrong -------------------------------------------------------------------------------------------


def test_a_file_needs_its_folder(root: Client) -> None:
    assert root.put("/nowhere/a.txt").status_code == 409
    assert root.mkcol("/nowhere/b").status_code == 409
    root.put("/file.txt")
    assert root.put("/file.txt/inside.txt").status_code == 409


def test_a_folder_is_not_made_twice_nor_overwritten_by_a_file(root: Client) -> None:
    assert root.mkcol("/a").status_code == 201
    assert root.mkcol("/a").status_code == 405
    assert root.put("/a").status_code == 409


def test_errors_have_the_wires_shape(root: Client) -> None:
    answer = root.dav("GET", "/nothing.txt")
    assert answer.status_code == 404
    assert "<s:exception>Sabre\\DAV\\Exception\\NotFound</s:exception>" in answer.text
    assert "nothing.txt" in answer.text
    assert root.dav("SUBSCRIBE", "/nothing.txt").status_code == 501


def test_a_folder_cannot_go_into_itself(root: Client) -> None:
    root.mkcol("/a")
    root.mkcol("/a/b")
    for target in ("/a", "/a/b/c"):
        assert root.transport("MOVE", "/a", target).status_code == 403
        assert root.transport("COPY", "/a", target).status_code == 403
    assert root.names() == ["a"]
    assert root.names("/a") == ["b"]


def test_overwrite_f_protects_the_target(root: Client) -> None:
    root.put("/a.txt", "a")
    root.put("/b.txt", "b")
    assert root.transport("MOVE", "/a.txt", "/b.txt", Overwrite="F").status_code == 412
    assert root.transport("MOVE", "/a.txt", "/b.txt").status_code == 204
    assert root.get("/b.txt") == b"a"
    assert root.names() == ["b.txt"]


def test_an_announced_checksum_is_proved(root: Client) -> None:
    content = b"checked"
    good = f"SHA1:{hashlib.sha1(content).hexdigest()}"
    assert root.put("/a.txt", content, OC_Checksum=good).status_code == 201
    assert root.put("/a.txt", b"other", OC_Checksum=good).status_code == 400
    assert root.put("/a.txt", b"other", OC_Checksum=f"ADLER32:{zlib.adler32(content):08x}").status_code == 400
    assert root.get("/a.txt") == content
    assert root.dav("GET", "/a.txt").headers["OC-Checksum"] == good
    found = root.find("/a.txt", f"{OC}checksums")[0].elements[f"{OC}checksums"]
    assert good in (found.findtext(f"{OC}checksum") or "")


def test_the_clients_time_is_kept_when_it_says_so(root: Client) -> None:
    answer = root.put("/a.txt", "x", X_OC_Mtime="1234567890")
    assert answer.headers["X-OC-MTime"] == "accepted"
    assert root.property("/a.txt", f"{DAV}getlastmodified") == "Fri, 13 Feb 2009 23:31:30 GMT"
    assert root.put("/a.txt", "x", X_OC_Mtime="yesterday").status_code == 400


def test_a_full_drive_says_507_and_keeps_what_it_has(root: Client) -> None:
    other = root.add_user("small")
    root.ocs("PUT", "/cloud/users/small", data={"key": "quota", "value": "1000"})
    assert other.put("/a.bin", b"x" * 600).status_code == 201
    assert other.put("/b.bin", b"x" * 600).status_code == 507
    assert other.put("/a.bin", b"y" * 1000).status_code == 204
    assert other.put("/a.bin", iter([b"z" * 800, b"z" * 800])).status_code == 507  # type: ignore[arg-type]  # sent chunked
    assert other.transport("COPY", "/a.bin", "/c.bin").status_code == 507
    assert other.get("/a.bin") == b"y" * 1000
    assert other.names() == ["a.bin"]


def test_a_copy_that_does_not_fit_leaves_the_target_it_would_have_replaced(root: Client) -> None:
    other = root.add_user("small")
    root.ocs("PUT", "/cloud/users/small", data={"key": "quota", "value": "1000"})
    other.put("/big.bin", b"x" * 900)
    other.put("/old.bin", b"old")
    assert other.transport("COPY", "/big.bin", "/old.bin").status_code == 507
    assert other.get("/old.bin") == b"old"
    assert other.names() == ["big.bin", "old.bin"]


def test_a_client_that_goes_away_leaves_the_old_file(blank: Served, root: Client) -> None:
    root.put("/a.txt", "the old content")
    port = blank.port("drive")
    with socket.create_connection(("127.0.0.1", port)) as connection:
        head = (
            "PUT /remote.php/webdav/a.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
            "Authorization: Basic cm9vdDpibGFuay1yb290LXBhc3M=\r\n\r\n"
        )
        connection.sendall(head.encode() + b"new" * 1000)
    for _ in range(5000):  # each answered request is a turn of the loop in which the aborted one can end
        if any(one.status == 499 for one in blank.company.journal.requests("drive", method="PUT")):
            break
        root.names()
    assert root.get("/a.txt") == b"the old content"
    assert list((blank.company.folder / "blobs").glob(".part-*")) == []
    assert root.names() == ["a.txt"]


def test_a_big_file_comes_back_byte_for_byte(root: Client) -> None:
    content = bytes(range(256)) * 4096 * 30  # 30 MB: several hand-overs to the writing thread
    assert root.put("/big.bin", content).status_code == 201
    assert hashlib.sha256(root.get("/big.bin")).digest() == hashlib.sha256(content).digest()
    assert root.put("/streamed.bin", (content[at : at + 999_983] for at in range(0, len(content), 999_983))).ok  # type: ignore[arg-type]  # sent chunked
    assert root.get("/streamed.bin") == content


def test_a_big_file_that_nothing_refers_to_any_more_is_deleted(
    blank: Served, root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "HASH_LIMIT", 1000)

    def kept() -> int:
        return sum(1 for one in (blank.company.folder / "blobs").rglob("*") if one.is_file())

    root.put("/big.bin", b"1" * 5000)
    root.transport("COPY", "/big.bin", "/copy.bin")
    root.put("/big.bin", b"2" * 5000)
    assert kept() == 2
    root.put("/copy.bin", b"3" * 5000)
    assert kept() == 2
    root.dav("DELETE", "/big.bin")
    assert kept() == 2
    root.raw("DELETE", "/remote.php/dav/trash-bin/root")
    assert kept() == 1
    assert root.get("/copy.bin") == b"3" * 5000


def test_the_top_of_the_new_address_leads_to_the_files(root: Client) -> None:
    found = root.find("/", f"{DAV}current-user-principal", root="/remote.php/dav")[0]
    href = found.elements[f"{DAV}current-user-principal"].findtext(f"{DAV}href")
    assert href == "/remote.php/dav/principals/users/root/"
    principal = root.find("", f"{DAV}displayname", root=href)[0]
    assert principal.properties[f"{DAV}displayname"] == "admin"


def test_options_says_what_can_be_done(root: Client) -> None:
    answer = root.dav("OPTIONS", "/")
    assert answer.status_code == 200
    assert {"1", "2", "3"} <= {one.strip() for one in answer.headers["DAV"].split(",")}
    assert "LOCK" in answer.headers["Allow"]
