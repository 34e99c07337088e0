"""Deliverables as the viewer shows them: real files, workbooks and branches out of kept work; hostile archives too."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]  # it has no types
import pytest

from dayjob.report.viewer.index import Index
from dayjob.report.viewer.pages import Pages
from tests.report.runs import step, trajectory, write_trial

SNAPSHOT = f"{'a' * 32}-{'b' * 8}"
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def blob(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def node(path: str, before: bytes | None, after: bytes | None, at: str = "") -> dict[str, Any]:
    """A change of a file on the drive."""

    def row(content: bytes | None, path: str) -> dict[str, Any] | None:
        return None if content is None else {"kind": "file", "path": path, "blob": blob(content), "size": len(content)}

    rows = {"before": row(before, path), "after": row(after, at or path)}
    op = "added" if before is None else "removed" if after is None else "changed"
    return {"service": "drive", "table": "nodes", "op": op, **rows, "words": f"sam {op} {path}"}


def put(place: Path, content: bytes) -> None:
    (place / blob(content)[:2]).mkdir(parents=True, exist_ok=True)
    (place / blob(content)[:2] / blob(content)[2:]).write_bytes(content)


class Kept:
    """A trial whose work was kept, and the snapshot that it began from."""

    def __init__(self, top: Path) -> None:
        self.snapshot = top / "cache" / "snapshots" / SNAPSHOT
        (self.snapshot / "git").mkdir(parents=True)
        self.folder = write_trial(top / "run", "alpha")
        outcome = json.loads((self.folder / "outcome.json").read_text())
        outcome["made_of"]["snapshot"] = SNAPSHOT
        (self.folder / "outcome.json").write_text(json.dumps(outcome))
        self.members: dict[str, bytes] = {}

    def keep(self, content: bytes) -> None:
        self.members[f"company/blobs/{blob(content)[:2]}/{blob(content)[2:]}"] = content

    def write(self, changes: list[dict[str, Any]]) -> None:
        (self.folder / "changes.json").write_text(json.dumps(changes))
        with tarfile.open(self.folder / "kept.tar.gz", "w:gz") as archive:
            for name, content in self.members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))

    def page(self, address: str = "delivered.html") -> str:
        index = Index([self.folder.parent])
        index.refresh()
        pages = Pages(index)
        answer, _ = pages.answer(f"r/run/t/alpha.worker.1/{address}")
        pages.close()
        index.close()
        assert answer.status == 200
        return answer.body.decode("utf-8", "replace")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path / "cache"))
    return Kept(tmp_path)


def test_a_new_text_is_shown_and_a_changed_one_as_a_difference(kept: Kept) -> None:
    put(kept.snapshot / "blobs", b"one\ntwo\n")
    kept.keep(b"# Over budget\n<script>")
    kept.keep(b"one\nthree\n")
    kept.write([node("/new.md", None, b"# Over budget\n<script>"), node("/old.txt", b"one\ntwo\n", b"one\nthree\n")])
    shown = kept.page()
    assert "# Over budget\n&lt;script&gt;" in shown
    assert '<span class="minus">-two' in shown
    assert '<span class="plus">+three' in shown


def test_a_workbook_is_a_table_and_a_picture_a_picture(kept: Kept) -> None:
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["country", "left"])
    book.active.append(["BE", 6])
    book.save(file)
    kept.keep(file.getvalue())
    kept.keep(PNG)
    kept.write([node("/churn.xlsx", None, file.getvalue()), node("/scan.png", None, PNG)])
    shown = kept.page()
    assert "<td>BE</td><td>6</td>" in shown
    assert 'src="deliveredpicture/1"' in shown
    assert kept.page("deliveredpicture/1").startswith("�PNG")


def test_what_is_gone_moved_or_not_kept_is_said(kept: Kept) -> None:
    put(kept.snapshot / "blobs", b"same")
    kept.write([node("/a.txt", b"same", None), node("/b.txt", b"same", b"same", at="/c.txt"), node("/d", None, b"?")])
    shown = kept.page()
    for sentence in ("The file was deleted.", "only its place is another", "was not kept, or is too large"):
        assert sentence in shown


def git(place: Path, *words: str, **env: str) -> str:
    about = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-C", str(place), *words],
        env={**os.environ, **about, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def pushed(kept: Kept, work: Path) -> tuple[str, str]:
    """The commit of main in the snapshot, and one on a branch from it that the trial pushed."""
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    (work / "plan.py").write_text("hours = 3\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "one")
    main = git(work, "rev-parse", "HEAD")
    git(kept.snapshot, "clone", "-q", "--bare", str(work), str(kept.snapshot / "git" / "5.git"))
    known = set((work / ".git/objects").rglob("*"))
    (work / "plan.py").write_text("hours = 4\n")
    git(work, "commit", "-qam", "two")
    for path in set((work / ".git/objects").rglob("*")) - known:
        if path.is_file():
            kept.members[f"company/own/forge/5.git/{path.relative_to(work / '.git')}"] = path.read_bytes()
    return main, git(work, "rev-parse", "HEAD")


def ref(name: str, before: str | None, after: str | None) -> dict[str, Any]:
    rows = (
        None if sha is None else {"project_id": 5, "name": f"refs/heads/{name}", "sha": sha} for sha in (before, after)
    )
    old, new = rows
    return {"service": "forge", "table": "refs", "op": "changed", "before": old, "after": new, "words": f"sam {name}"}


def test_a_branch_is_compared_with_what_it_was_or_where_it_began(kept: Kept, tmp_path: Path) -> None:
    main, pushed_commit = pushed(kept, tmp_path / "work")
    kept.write([ref("main", main, pushed_commit), ref("topic", None, pushed_commit), ref("old", main, None)])
    shown = kept.page()
    assert shown.count('<span class="plus">+hours = 4') == 2
    assert "branch, compared with before" in shown
    assert "branch, compared with where it began" in shown
    assert "The branch was deleted." in shown


def test_settings_and_hooks_among_the_kept_objects_are_not_used(kept: Kept, tmp_path: Path) -> None:
    main, pushed_commit = pushed(kept, tmp_path / "work")
    ran = tmp_path / "ran"
    hostile = f"[core]\n\tpager = touch {ran}\n\tfsmonitor = touch {ran}\n[diff]\n\texternal = touch {ran}\n".encode()
    for name in ("config", "objects/../config", "objects/info/alternates", "hooks/post-checkout", "objects/aa/../../x"):
        kept.members[f"company/own/forge/5.git/{name}"] = hostile
    kept.write([ref("main", main, pushed_commit)])
    assert "+hours = 4" in kept.page()
    assert not ran.exists()


@pytest.mark.parametrize("sha", ["--output=/tmp/x", "f" * 40, "main"])
def test_a_commit_that_is_none_is_a_sentence(kept: Kept, tmp_path: Path, sha: str) -> None:
    main, _ = pushed(kept, tmp_path / "work")
    kept.write([ref("main", main, sha)])
    shown = kept.page()
    assert "+hours" not in shown
    assert "git could not read what was pushed" in shown or "The branch was deleted." in shown


def test_a_damaged_archive_hides_no_page(kept: Kept) -> None:
    kept.write([node("/new.md", None, b"text")])
    (kept.folder / "kept.tar.gz").write_bytes(b"\x1f\x8b\x08 nothing of the kind")
    assert "was not kept, or is too large" in kept.page()


def test_steps_show_typed_commands_failures_and_fold_long_answers(kept: Kept) -> None:
    def ran(number: int, command: str, answer: str) -> dict[str, Any]:
        call = {"tool_call_id": f"c{number}", "function_name": "shell", "arguments": {"command": command}}
        results = {"results": [{"source_call_id": f"c{number}", "content": answer}]}
        return step(number, "agent", "", tool_calls=[call], observation=results)

    steps = [ran(1, "ls /nowhere", "no such folder\n[exit code 2]"), ran(2, "seq 99", "\n".join(map(str, range(99))))]
    (kept.folder / "trajectory.json").write_text(json.dumps(trajectory(steps)))
    shown = kept.page("steps.html")
    assert '<pre class="typed">ls /nowhere</pre>' in shown
    assert "It ended with exit code 2." in shown
    assert shown.count("It ended with exit code") == 1
    assert "<summary>99 lines of answer</summary>" in shown
