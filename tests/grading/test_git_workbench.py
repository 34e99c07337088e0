"""git in a workbench: what is brought there, what is asked back, and what of it is written where."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from dayjob.grading import git_workbench, workbench
from tests.grading.bench_host import BenchHost, packed

_READING = (
    "log show diff status rev-parse rev-list cat-file ls-files ls-tree ls-remote blame grep shortlog describe "
    "for-each-ref show-ref merge-base name-rev diff-tree diff-index diff-files count-objects fsck check-ignore "
    "check-attr whatchanged var cherry range-diff verify-pack verify-commit verify-tag show-branch symbolic-ref "
    "annotate reflog stripspace"
)
READING = _READING.split()


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's repository with a folder in it, below the grader's temporary folder."""
    place = Path(os.path.realpath(tmp_path)) / "repo"
    (place / "below").mkdir(parents=True)
    (place / "file.txt").write_text("before")
    monkeypatch.setenv("TMPDIR", str(place.parent))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv(workbench.FROZEN, "/workspace")
    return place


def run(repo: Path, line: str, made: list[str] | None = None, top: str | None = None) -> int:
    subcommand, *rest = line.split()
    return git_workbench.run(
        line.split(), str(repo / "below"), {"A": "1"}, top or str(repo), subcommand, rest, made or []
    )


def test_the_subcommands_that_leave_every_file_as_it_was_are_these() -> None:
    assert sorted(git_workbench._READING) == sorted(READING)


@pytest.mark.parametrize("subcommand", ["log", "status", "show"])
def test_what_only_reads_has_nothing_handed_back(repo: Path, bench_host: BenchHost, subcommand: str) -> None:
    assert run(repo, subcommand) == 0
    assert bench_host.runs()[0]["collect"] == []


@pytest.mark.parametrize("subcommand", ["add", "config", "init", "checkout"])
def test_what_may_change_files_has_its_repository_handed_back(
    repo: Path, bench_host: BenchHost, subcommand: str
) -> None:
    assert run(repo, subcommand) == 0
    assert bench_host.runs()[0]["collect"] == [str(repo)]


@pytest.mark.parametrize(
    ("line", "collected"),
    [
        ("archive -o out.tar HEAD", ["BELOW/out.tar"]),
        ("archive --output=/var/out.tar HEAD", ["/var/out.tar"]),
        ("archive --output out.tar HEAD", ["BELOW/out.tar"]),
        ("format-patch -o patches HEAD", ["BELOW/patches"]),
        ("format-patch --output-directory=patches HEAD", ["BELOW/patches"]),
        ("log --output=a --output=b", ["BELOW/a", "BELOW/b"]),
        ("archive HEAD -o", ["TOP"]),
        ("archive --output= HEAD", ["TOP"]),
        ("bundle create -q all.bundle --all main", ["BELOW/all.bundle"]),
        ("bundle create --all", ["TOP"]),
        ("bundle list-heads create", ["TOP"]),
        ("archive --output-not=x HEAD", ["TOP"]),
    ],
)
def test_what_a_command_writes_elsewhere_is_handed_back_instead(
    repo: Path, bench_host: BenchHost, line: str, collected: list[str]
) -> None:
    assert run(repo, line) == 0
    wanted = [one.replace("BELOW", str(repo / "below")).replace("TOP", str(repo)) for one in collected]
    assert bench_host.runs()[0]["collect"] == wanted


def test_the_root_is_never_handed_back_and_a_path_is_asked_for_without_links(repo: Path, bench_host: BenchHost) -> None:
    assert run(repo, "add .", top="/") == 0
    (repo.parent / "link").symlink_to(repo)
    assert run(repo, "archive -o ../../link/out HEAD") == 0
    assert [one["collect"] for one in bench_host.runs()] == [[], [str(repo / "out")]]


def test_the_call_goes_there_as_it_is_with_the_repository_and_what_it_names(repo: Path, bench_host: BenchHost) -> None:
    other = repo.parent / "other.txt"
    other.write_text("named")
    assert run(repo, f"diff {other} absent ../file.txt") == 0
    (ran,) = bench_host.runs()
    assert (ran["argv"], ran["cwd"], ran["env"]) == (
        ["git", "diff", str(other), "absent", "../file.txt"],
        str(repo / "below"),
        {"A": "1"},
    )
    assert ran["timeout"] == 86400
    assert ran["most_output"] == 64 << 20
    assert bench_host.asked[0]["ports"] is False
    (brought,) = bench_host.brought
    assert brought.replace == [str(repo / "below"), str(repo), str(other), f"{repo}/below/../file.txt"]
    assert brought.contents[str(other)[1:]] == b"named"


def test_what_it_prints_and_its_exit_code_come_back(
    repo: Path, bench_host: BenchHost, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    bench_host.stdout, bench_host.stderr, bench_host.ended = b"\xff out", b"\xfe err", {"exit": 3}
    assert run(repo, "log") == 3
    assert capfdbinary.readouterr() == (b"\xff out", b"\xfe err")


@pytest.mark.parametrize(
    ("ended", "line", "code", "sentence"),
    [
        ({"dropped": 1}, "log", 128, "git: it printed more than 64 MiB\n"),
        ({"timed_out": True}, "log", 128, "git: it did not end in time\n"),
        ({"left_out": ["REPO"]}, "add .", 128, "git: what it wrote cannot be handed back, because it is too large\n"),
        ({"left_out": ["REPO"], "exit": 5}, "add .", 5, ""),
        ({"left_out": ["REPO/else"]}, "add .", 0, ""),
    ],
)
def test_an_answer_that_is_not_whole_is_a_failure(
    repo: Path, bench_host: BenchHost, capfd: pytest.CaptureFixture[str], ended: dict[str, object], line: str,
    code: int, sentence: str,
) -> None:  # fmt: skip
    left_out = [one.replace("REPO", str(repo)) for one in ended.get("left_out", [])]  # type: ignore[attr-defined]  # a list
    bench_host.ended = {**ended, "left_out": left_out}
    bench_host.archive = packed({f"{repo}/file.txt"[1:]: b"after"})
    assert run(repo, line) == code
    assert capfd.readouterr().err == sentence
    assert (repo / "file.txt").read_text() == ("before" if code == 128 else "after")


def test_a_refusal_is_gits_own_kind_of_failure(
    repo: Path, bench_host: BenchHost, capfd: pytest.CaptureFixture[str]
) -> None:
    bench_host.said["run"] = {"refused": "there is no such folder"}
    assert run(repo, "log") == 128
    assert capfd.readouterr().err == "git: there is no such folder\n"


@pytest.mark.parametrize(("kind", "code"), [("absent", 0), ("empty", 0), ("full", 128), ("file", 128), ("link", 128)])
def test_a_clone_goes_into_a_new_or_empty_folder_only(
    repo: Path, bench_host: BenchHost, capfd: pytest.CaptureFixture[str], kind: str, code: int
) -> None:
    made = repo.parent / "made"
    if kind in ("empty", "full"):
        made.mkdir()
    if kind == "full":
        (made / "a").touch()
    if kind == "file":
        made.touch()
    if kind == "link":
        made.symlink_to("nowhere")
    assert run(repo, "clone repo made", made=[str(made)]) == code
    said = f"fatal: destination path '{made}' already exists and is not an empty directory.\n"
    assert capfd.readouterr().err == ("" if code == 0 else said)
    assert [one["collect"] for one in bench_host.runs()] == ([[str(made)]] if code == 0 else [])


# -- what is written --------------------------------------------------------------------------------------------------


def hand_back(archive: bytes, *handed: Path) -> None:
    git_workbench._hand_back(io.BytesIO(archive), [str(one) for one in handed])


def test_what_came_back_stands_in_place_of_what_was_there(repo: Path) -> None:
    (repo / "gone" / "deep").mkdir(parents=True)
    (repo / "gone" / "deep" / "x").touch()
    name = str(repo)[1:]
    hand_back(packed({name: None, f"{name}/file.txt": b"after", f"{name}/new/inner": b"\x00\xff"}), repo)
    assert sorted(str(one.relative_to(repo)) for one in repo.rglob("*")) == ["file.txt", "new", "new/inner"]
    assert (repo / "file.txt").read_text() == "after"
    assert (repo / "new" / "inner").read_bytes() == b"\x00\xff"
    assert (repo / "file.txt").stat().st_mtime == 1_700_000_000


def test_of_what_was_not_collected_nothing_is_touched(repo: Path) -> None:
    other = repo.with_name("repository")
    hand_back(packed({f"{other}/a"[1:]: b"x", "etc/never": b"x"}), repo)
    assert (repo / "file.txt").read_text() == "before"
    assert not other.exists()
    assert not Path("/etc/never").exists()


def test_a_name_with_two_dots_writes_nothing(repo: Path) -> None:
    hand_back(packed({f"{repo}/../escaped"[1:]: b"x", f"{repo}/kept"[1:]: b"k"}), repo)
    assert not (repo.parent / "escaped").exists()
    assert (repo / "kept").exists()


@pytest.mark.parametrize(
    ("mode", "is_folder", "written"),
    [(0o644, False, 0o644), (0o111, False, 0o711), (0o6755, False, 0o755), (0o055, True, 0o755), (0o7777, True, 0o777)],
)
def test_modes_are_kept_without_special_bits_and_stay_ours_to_write(
    repo: Path, mode: int, is_folder: bool, written: int
) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        entry = tarfile.TarInfo(f"{repo}/made"[1:])
        entry.mode, entry.type = mode, tarfile.DIRTYPE if is_folder else tarfile.REGTYPE
        tar.addfile(entry)
    before = os.umask(0)
    try:
        hand_back(out.getvalue(), repo)
    finally:
        os.umask(before)
    assert stat.S_IMODE((repo / "made").stat().st_mode) == written


def test_devices_pipes_and_second_names_are_not_written(repo: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind in (("pipe", tarfile.FIFOTYPE), ("device", tarfile.CHRTYPE), ("again", tarfile.LNKTYPE)):
            entry = tarfile.TarInfo(f"{repo}/{name}"[1:])
            entry.type, entry.linkname = kind, "etc/passwd"
            tar.addfile(entry)
    hand_back(out.getvalue(), repo)
    assert list(repo.glob("*")) == []


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("file.txt", True),
        ("./file.txt", True),
        ("../other/file.txt", True),
        ("./../other/file.txt", True),
        (".././file.txt", True),
        (".", True),
        ("../../outside", False),
        ("a/../../../outside", False),
        ("a/../b", False),
        ("/etc/passwd", False),
        ("INSIDE", False),
        ("..", False),
        ("../..", False),
        ("../../repo-not/x", False),
    ],
)
def test_a_new_link_stays_inside_or_is_withheld(repo: Path, target: str, kept: bool) -> None:
    target = target.replace("INSIDE", str(repo / "file.txt"))
    hand_back(packed({f"{repo}/below/link"[1:]: target}), repo)
    assert os.readlink(repo / "below" / "link") == (target if kept else "/link-withheld-from-the-grader")


def test_a_link_that_was_there_already_is_kept_as_it_was(repo: Path) -> None:
    for place in (repo / "old", repo / "below" / "folder", repo / "changed"):
        place.symlink_to("/etc")
    name = str(repo)[1:]
    hand_back(packed({f"{name}/old": "/etc", f"{name}/below/folder": "/etc", f"{name}/changed": "/usr"}), repo)
    assert os.readlink(repo / "old") == os.readlink(repo / "below" / "folder") == "/etc"
    assert os.readlink(repo / "changed") == "/link-withheld-from-the-grader"


def test_nothing_is_written_through_a_link_or_over_what_came_before(repo: Path) -> None:
    outside = repo.parent / "outside"
    outside.mkdir()
    name = str(repo)[1:]
    entries: dict[str, bytes | str | None] = {
        f"{name}/way": "below/../../outside",
        f"{name}/inner": "below",
        f"{name}/below/a": b"first",
    }
    hand_back(packed({**entries, f"{name}/way/x": b"x", f"{name}/inner/y": b"y"}), repo)
    assert list(outside.iterdir()) == []
    assert not (repo / "below" / "y").exists()
    assert (repo / "below" / "a").read_bytes() == b"first"


def test_a_link_in_the_place_of_a_folder_is_replaced_and_not_followed(repo: Path) -> None:
    outside = repo.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (repo / "link").symlink_to(outside)
    hand_back(packed({f"{repo}/a"[1:]: b"x"}), repo)
    assert (outside / "kept").exists()
    assert not os.path.lexists(repo / "link")


@pytest.mark.parametrize("kind", ["file", "pipe", "nothing"])
def test_standard_input_is_passed_on_where_there_is_some(
    repo: Path, bench_host: BenchHost, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = repo.parent / "input"
    source.write_bytes(b"given")
    if kind == "file":
        given = os.open(source, os.O_RDONLY)
    elif kind == "pipe":
        given, end = os.pipe()
        os.write(end, b"given")
        os.close(end)
    else:
        given = os.open(os.devnull, os.O_RDONLY)
    before = os.dup(0)
    os.dup2(given, 0)
    try:
        with open(0, closefd=False) as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert run(repo, "hash-object --stdin") == 0
    finally:
        os.dup2(before, 0)
        for one in (before, given):
            os.close(one)
    assert bench_host.stdin == [b"" if kind == "nothing" else b"given"]
