"""Input nobody should send: refused with a 4xx in the wire's shape, with nothing lost and nothing leaked."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.company.drive.client import Client
from tests.company.serving import Served

AUTHORIZATION = {"Authorization": "Basic cm9vdDpibGFuay1yb290LXBhc3M="}
WEBDAV = "/remote.php/webdav"
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><d:propfind xmlns:d="DAV:"><d:prop><d:x>&c;</d:x></d:prop></d:propfind>'
)
EXTERNAL = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    '<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop><d:z>&a;</d:z></d:prop></d:set></d:propertyupdate>'
)


def ask(port: int, method: str, target: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """A request sent exactly as written: no client tidies the path."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in {**AUTHORIZATION, **headers}.items():
            connection.putheader(name.replace("_", "-"), value.encode("latin-1", "replace"))
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.fixture
def port(blank: Served, root: Client) -> int:
    root.mkcol("/safe")
    root.put("/safe/kept.txt", "kept")
    return blank.port("drive")


BAD_PATHS = [
    "/safe/../../etc/passwd",
    "/safe/..",
    "/..",
    "/%2e%2e/x",
    "/safe/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/a%5c..%5cb",
    "/nul%00byte",
    "/line%0abreak",
    "/bad%ff%feutf8",
    "/" + "x" * 300,
    "/" + "d/" * 3000,
    "/.htaccess",
    "/upload.part",
    "/%20",
]


@pytest.mark.parametrize("path", BAD_PATHS)
@pytest.mark.parametrize("method", ["GET", "PUT", "MKCOL", "DELETE", "PROPFIND", "LOCK"])
def test_a_path_that_leaves_the_drive_or_cannot_be_a_name_is_refused(port: int, method: str, path: str) -> None:
    status, body = ask(port, method, WEBDAV + path, b"" if method in ("PUT", "LOCK") else None)
    assert status in (400, 404, 414), (status, body)
    assert b"<d:error" in body or status == 414
    assert b"Traceback" not in body


@pytest.mark.parametrize("path", BAD_PATHS)
@pytest.mark.parametrize("method", ["MOVE", "COPY"])
def test_a_destination_that_leaves_the_drive_is_refused(port: int, root: Client, method: str, path: str) -> None:
    status, body = ask(port, method, f"{WEBDAV}/safe/kept.txt", Destination=f"http://x{WEBDAV}{path}")
    assert status == 400, body
    assert root.get("/safe/kept.txt") == b"kept"


@pytest.mark.parametrize(
    "destination",
    ["", "nonsense", "ftp://x/remote.php/webdav/a", "/etc/passwd", "http://x/elsewhere/a", "http://[::1/remote.php/webdav/a",
     "/remote.php/dav/files/other/a", "/remote.php/dav/files/root/../other/a", "/public.php/webdav/a"],
)  # fmt: skip
def test_a_destination_that_is_elsewhere_is_refused(port: int, root: Client, destination: str) -> None:
    status, _ = ask(port, "MOVE", f"{WEBDAV}/safe/kept.txt", Destination=destination)
    assert status in (400, 403)
    assert root.names("/safe") == ["kept.txt"]


@pytest.mark.parametrize("method", ["PROPFIND", "PROPPATCH", "LOCK", "REPORT"])
@pytest.mark.parametrize(
    "body",
    [BOMB, EXTERNAL, "<not-xml", "\x00\x01", "<a/>", "<?xml version='1.0' encoding='klingon'?><a/>",
     "<d:propfind xmlns:d='DAV:'>" + "<d:a>" * 500 + "</d:a>" * 500 + "</d:propfind>"],
    ids=["bomb", "external", "broken", "binary", "other", "encoding", "deep"],
)  # fmt: skip
def test_hostile_xml_is_refused_and_never_expanded(port: int, method: str, body: str) -> None:
    status, answer = ask(port, method, f"{WEBDAV}/safe/kept.txt", body.encode())
    assert 400 <= status < 500, answer
    assert b"root:" not in answer
    assert b"aaaaaaaaaa" not in answer


def test_a_huge_propfind_is_413(port: int) -> None:
    body = b'<d:propfind xmlns:d="DAV:"><d:prop>' + b"<d:a/>" * 300_000 + b"</d:prop></d:propfind>"
    status, answer = ask(port, "PROPFIND", WEBDAV, body)
    assert status == 413
    assert b"<d:error" in answer


def test_a_file_name_cannot_break_out_of_a_header(port: int, root: Client) -> None:
    name = 'a"; x=y é.txt'
    root.put(f"/{name}")
    header = root.dav("GET", f"/{name}").headers["Content-Disposition"]
    assert re.fullmatch(r"attachment; filename\*=UTF-8''[A-Za-z0-9%._~-]+; filename=\"[^\"]*\"", header)
    status, _ = ask(port, "PUT", f"{WEBDAV}/x%0d%0aSet-Cookie:%20a=b", b"")
    assert status == 400


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Basic",
        "Basic !!!",
        "Basic cm9vdA==",
        "Basic cm9vdDp3cm9uZw==",
        "Bearer abc",
        "Basic /////w==",
        "Digest x=y",
    ],
)
def test_credentials_that_are_not_right_are_401_with_a_challenge(root: Client, authorization: str) -> None:
    nobody = Client(root.url, None)
    answer = nobody.dav("GET", "/", headers={"Authorization": authorization})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="ownCloud", charset="UTF-8"'
    assert "NotAuthenticated" in answer.text


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Depth": "many"}, 400),
        ({"Depth": "9" * 40}, 400),
        ({"Depth": "-1"}, 400),
        ({"Timeout": "x" * 5000, "Depth": "0"}, 207),
    ],
)
def test_nonsense_in_headers_is_refused_or_passed_over(root: Client, headers: dict[str, str], expected: int) -> None:
    assert root.dav("PROPFIND", "/", headers=headers).status_code == expected


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b"{"),
        ("application/json", b"[1]"),
        ("application/json", b'{"path": "\\ud800", "shareType": 3}'),
        ("application/json", b"[" * 100_000),
        ("application/x-www-form-urlencoded", b"path=%ff&shareType=3"),
        ("application/x-www-form-urlencoded", b"path=/\xff&shareType=3"),
        ("application/x-www-form-urlencoded", b"path=/a%00b&shareType=3"),
        ("application/x-www-form-urlencoded", b"path=/safe&shareType=" + b"9" * 5000),
        ("multipart/form-data", b"no boundary"),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="path"\r\n\r\n/sa'),
    ],
)
def test_malformed_ocs_bodies_are_refused_in_the_wires_shape(port: int, kind: str, body: bytes) -> None:
    target = "/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json"
    status, answer = ask(port, "POST", target, body, Content_Type=kind)
    assert 400 <= status < 500, answer
    assert answer.startswith(b'{"ocs":{"meta":{"status":"failure"')


def test_a_huge_ocs_body_is_413(port: int) -> None:
    status, _ = ask(port, "POST", "/ocs/v1.php/cloud/users", b"userid=" + b"x" * 2_000_000)
    assert status == 413


def test_html_in_a_file_is_not_run_on_the_drives_own_site(root: Client) -> None:
    root.put("/evil.html", "<script>alert(1)</script>")
    headers = root.dav("GET", "/evil.html").headers
    assert headers["Content-Disposition"].startswith("attachment")
    assert headers["Content-Security-Policy"] == "default-src 'none';"
    assert headers["X-Content-Type-Options"] == "nosniff"


# -- and whatever else there is ----------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    return text.split()


PATH_PARTS = words(
    "/ .. %2e %2f %5c %00 %ff a # ? % %zz remote.php dav files root uploads trash-bin 1 s index.php ; ~ + "
    + "é".encode().decode("latin-1")
)
PREFIXES = words(
    f"{WEBDAV} /remote.php/dav /remote.php/dav/files/root /remote.php/dav/uploads/root /public.php/webdav "
    "/remote.php/dav/trash-bin/root /ocs/v1.php /ocs/v2.php/cloud /index.php /s /index.php/apps/files"
)
METHODS = words("GET HEAD PUT POST DELETE OPTIONS PROPFIND PROPPATCH MKCOL MOVE COPY LOCK UNLOCK REPORT PATCH SEARCH")
HEADERS = words(
    "Depth Destination Overwrite If If-Match If-None-Match Range Timeout Lock-Token OC-Checksum X-OC-Mtime OC-Chunked "
    "OC-Total-Length Content-Type Cookie Host If-Range If-Modified-Since Content-Range"
)
LIKELY = words(f"0 infinity T F (<a>) bytes=0-0 Second-1 SHA1: 1 * http://x{WEBDAV}/b {WEBDAV}/%2e%2e/x")

raw_paths = st.lists(st.sampled_from(PATH_PARTS), max_size=12).map("".join)
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40)
headers = st.dictionaries(st.sampled_from(HEADERS), st.one_of(header_values, st.sampled_from(LIKELY)), max_size=5)


@pytest.fixture(scope="module")
def fuzzed(blank_snapshot: object) -> Iterator[int]:
    from dayjob.company.world import Snapshot
    from tests.company.serving import serve

    assert isinstance(blank_snapshot, Snapshot)
    with serve(blank_snapshot) as served:
        yield served.port("drive")


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(METHODS), st.sampled_from([*PREFIXES, ""]), raw_paths, headers, st.binary(max_size=60))
def test_no_request_whatever_makes_the_drive_fail(
    fuzzed: int, method: str, prefix: str, path: str, headers: dict[str, str], body: bytes
) -> None:
    target = (prefix + "/" + path).replace(" ", "%20")
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    try:
        status, answer = ask(fuzzed, method, target, body, **named)
    except (ValueError, http.client.InvalidURL):
        return  # the client itself refuses to send this
    assert status < 500 or status in (501, 507), (status, answer)
    assert b"Traceback" not in answer
