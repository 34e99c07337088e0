"""What nobody should send: it is refused clearly, and the repository stays whole."""

from __future__ import annotations

import os
from pathlib import Path

import gitlab
import pytest
import requests

from dayjob.company.forge.service import Forge
from tests.company.forge.conftest import Git, api, project_with_readme, with_account
from tests.company.serving import Served

ZERO, ONES = "0" * 40, "1" * 40
COMMIT = b'{"branch": "main", "commit_message": "x", "actions": %s}'


def packet(line: bytes) -> bytes:
    return f"{len(line) + 4:04x}".encode() + line


def push_raw(served: Served, body: bytes, **headers: str) -> requests.Response:
    return requests.post(
        f"{served.url('forge')}/root/garden.git/git-receive-pack",
        data=body,
        headers={"Content-Type": "application/x-git-receive-pack-request", **headers},
        auth=("root", "blank-root-pass"),
        timeout=60,
    )


def whole(served: Served, git: Git, project_id: int) -> None:
    done = git("-C", served.company.own_folder("forge") / f"{project_id}.git", "fsck", "--full", "--strict")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "body",
    [
        packet(f"{ZERO} {ONES} refs/heads/evil\0 report-status side-band-64k".encode())
        + b"0000PACK\0\0\0\2\0\0\0\1garbage",
        packet(f"{ZERO} {ONES} refs/heads/../../config\0 report-status".encode()) + b"0000",
        packet(f"{ZERO} {ONES} refs/heads/a b.lock\0 report-status".encode()) + b"0000",
        b"zzzz",
        b"ffff",
        b"\x1f\x8b broken",
        b"",
    ],
)
def test_a_corrupted_push_changes_nothing(served: Served, gl: gitlab.Gitlab, git: Git, body: bytes) -> None:
    project = project_with_readme(gl)
    before = project.branches.list()
    answer = push_raw(served, body)
    assert answer.status_code < 500
    assert project.branches.list() == before
    whole(served, git, project.id)


def test_a_push_over_the_limit_is_refused_and_leaves_nothing(
    served: Served, gl: gitlab.Gitlab, git: Git, tmp_path: Path
) -> None:
    project = project_with_readme(gl)
    forge = served.company.service("forge")
    assert isinstance(forge, Forge)
    forge.push_limit = 1024 * 1024
    git("clone", "-q", with_account(served, "root/garden"), tmp_path / "a")
    (tmp_path / "a" / "big").write_bytes(os.urandom(8 * 1024 * 1024))
    git("add", "-A", cwd=tmp_path / "a")
    git("commit", "-qm", "Too big", cwd=tmp_path / "a")
    refused = git("push", "origin", "main:refs/heads/big", cwd=tmp_path / "a", ok=False)
    assert refused.returncode != 0
    assert "exceeds maximum allowed size" in refused.stderr
    assert [one.name for one in project.branches.list()] == ["main"]
    whole(served, git, project.id)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/projects/1/issues", b"[" * 100_000),
        ("/projects/1/issues", b'{"title": "\\u0000"}'),
        ("/projects/1/issues", b'{"title": "\\ud800"}'),
        ("/projects/1/issues", b'{"title": ["a", {"b": 1}]}'),
        ("/projects/1/issues", b'{"title": "x", "weight": 1e400}'),
        ("/projects/1/issues", b'{"title": "x", "milestone_id": 99999999999999999999999}'),
        ("/projects/1/issues", b'{"title": "x", "assignee_ids": [{"a": []}]}'),
        ("/projects/1/issues", b'"text"'),
        ("/projects/1/issues", b"\xff\xfe"),
        ("/projects/1/repository/commits", COMMIT % b'[{"action": "create", "file_path": "../x"}]'),
        ("/projects/1/repository/commits", COMMIT % b'[{"action": "create", "file_path": ".git/config"}]'),
        ("/projects/1/repository/commits", b'{"branch": "main", "commit_message": "x", "actions": "no"}'),
        ("/projects/1/repository/branches", b'{"branch": "a..b", "ref": "main"}'),
        ("/projects/1/repository/branches", b'{"branch": "-x", "ref": "main"}'),
        ("/projects/1/repository/tags", b'{"tag_name": "a b", "ref": "main"}'),
        ("/projects/1/labels", b'{"name": "x", "color": "blurple"}'),
        ("/projects/1/merge_requests", b'{"source_branch": "main", "target_branch": "main", "title": "x"}'),
        ("/projects", b'{"name": "../../etc"}'),
        ("/projects", b'{"name": "x", "path": "a/b"}'),
        ("/groups", b'{"name": "x", "path": "api"}'),
    ],
)  # fmt: skip
def test_bad_arguments_are_the_senders_fault(
    served: Served, gl: gitlab.Gitlab, git: Git, path: str, data: bytes
) -> None:
    project_with_readme(gl)
    answer = api(served, "POST", path, data=data, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500, answer.text
    assert set(answer.json()) & {"error", "message"}
    whole(served, git, 1)


@pytest.mark.parametrize(
    "body",
    [b"", b"--x", b'--x\r\nContent-Disposition: form-data; name="file"; filename="a', b"--x\r\n\r\nno header\r\n--x--"],
)
def test_a_broken_multipart_body_is_refused(served: Served, gl: gitlab.Gitlab, body: bytes) -> None:
    project_with_readme(gl)
    answer = api(
        served, "POST", "/projects/1/uploads", data=body, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    "query", ["page=-1", "page=99999999999999999999", "search=%ff", "a[b[c]]=1", "labels[][][]=x", "id[]=%00"]
)
def test_odd_queries_do_not_crash(served: Served, gl: gitlab.Gitlab, query: str) -> None:
    project_with_readme(gl)
    assert api(served, "GET", f"/projects/1/issues?{query}").status_code < 500


def test_markdown_and_svg_with_scripts_are_harmless(served: Served, gl: gitlab.Gitlab) -> None:
    project = project_with_readme(gl, visibility="public")
    text = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    html = gl.markdown(text)
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    project.files.create({"file_path": "x.svg", "branch": "main", "content": svg, "commit_message": "svg"})
    shown = requests.get(f"{served.url('forge')}/root/garden/-/raw/main/x.svg", timeout=30)
    assert "sandbox" in shown.headers["content-security-policy"]
    assert shown.headers["x-content-type-options"] == "nosniff"


def test_a_path_cannot_leave_the_repository(served: Served, gl: gitlab.Gitlab) -> None:
    project_with_readme(gl)
    for path in ("..%2F..%2Fconfig", "%2Fetc%2Fpasswd", "a%00b", "."):
        assert api(served, "GET", f"/projects/1/repository/files/{path}/raw").status_code in (400, 403, 404)
    assert requests.get(f"{served.url('forge')}/../../etc/passwd", timeout=30).status_code == 404
