"""What COPY and ADD mean in a task's folder, which parts are withheld, and what every image copies by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dayjob.sandbox import context
from dayjob.sandbox.context import Context, Copy, digest, dockerfile_copies, withheld_copies
from dayjob.sandbox.sandbox import Capabilities, Finished, Needs, SandboxError
from dayjob.task.dockerfile import parse_dockerfile

FILES = ["task.md", "evaluator.py", "a.txt", "b.txt", "data/x.csv", "data/deep/y.csv", "references/answer", "helper.py"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def copied(folder: Path, sources: str, destination: str, workdir: str = "/workspace") -> dict[str, str]:
    """Targets by source, folders with a slash."""
    found = Context(folder).copies(sources.split(), destination, workdir)
    return {one.target: f"{one.source.relative_to(folder)}{'/' if one.source.is_dir() else ''}" for one in found}


DATA = {"": "data/", "/x.csv": "data/x.csv", "/deep": "data/deep/", "/deep/y.csv": "data/deep/y.csv"}


@pytest.mark.parametrize(
    ("sources", "destination", "found"),
    [
        ("a.txt", "/srv/one.txt", {"/srv/one.txt": "a.txt"}),
        ("a.txt", "/new/", {"/new/a.txt": "a.txt"}),
        ("a.txt", "/new/.", {"/new/a.txt": "a.txt"}),
        ("a.txt", "/srv", {"/srv/a.txt": "a.txt"}),
        ("a.txt", ".", {"/workspace/a.txt": "a.txt"}),
        ("a.txt", "sub", {"/workspace/sub": "a.txt"}),
        ("/a.txt", "/x", {"/x": "a.txt"}),
        ("a.txt b.txt", "/new", {"/new/a.txt": "a.txt", "/new/b.txt": "b.txt"}),
        ("*.txt", "/new", {"/new/a.txt": "a.txt", "/new/b.txt": "b.txt"}),
        ("?.txt", "/new", {"/new/a.txt": "a.txt", "/new/b.txt": "b.txt"}),
        ("[a].txt", "/x", {"/x": "a.txt"}),
        ("a.txt", "/", {"/a.txt": "a.txt"}),
        ("data", "/d", {f"/d{name}": source for name, source in DATA.items()}),
        ("data", "/d/", {f"/d{name}": source for name, source in DATA.items()}),
        ("data/../a.txt", "/x", {"/x": "a.txt"}),
    ],
)
def test_what_a_copy_places_where(folder: Path, sources: str, destination: str, found: dict[str, str]) -> None:
    assert copied(folder, sources, destination) == found


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("../secret", "outside the task's folder"),
        ("data/../../x", "outside the task's folder"),
        ("absent", "there is no 'absent'"),
        ("*.absent", "there is no"),
        ("out", "a link out of the task's folder"),
    ],
)
def test_what_is_not_there_or_lies_outside_is_refused(folder: Path, source: str, sentence: str) -> None:
    (folder / "out").symlink_to("/etc/passwd")
    with pytest.raises(SandboxError, match=sentence):
        Context(folder).copies([source], "/x", "/")


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("a.txt", {"a.txt"}),
        ("# a.txt\n\n  b.txt  ", {"b.txt"}),
        ("*.txt", {"a.txt", "b.txt"}),
        ("*.txt\n!b.txt", {"a.txt"}),
        ("!b.txt\n*.txt", {"a.txt", "b.txt"}),
        ("data/", {"data/x.csv", "data/deep/y.csv"}),
        ("/data", {"data/x.csv", "data/deep/y.csv"}),
        ("**/y.csv", set()),
        ("**/*.csv", {"data/x.csv", "data/deep/y.csv"}),
        ("dat", set()),
    ],
)
def test_what_dockerignore_leaves_out(folder: Path, lines: str, left: set[str]) -> None:
    (folder / ".dockerignore").write_text(lines)
    found = Context(folder)
    assert {name for name in FILES if found.ignores(name)} == left


def test_what_is_ignored_is_not_copied(folder: Path) -> None:
    (folder / ".dockerignore").write_text("a.txt\ndata/deep\n")
    (folder / "data" / "__pycache__").mkdir()
    assert copied(folder, "*.txt", "/x") == {"/x": "b.txt"}
    assert copied(folder, "data", "/d") == {"/d": "data/", "/d/x.csv": "data/x.csv"}
    with pytest.raises(SandboxError, match=r"there is no 'a\.txt'"):
        Context(folder).copies(["a.txt"], "/x", "/")


WITHHELD = (
    "evaluator.py checkpoints.md colleagues.yml scenarios.json solution.py solution.sh mutants references world "
    "task.toml key.yml paraphrases.yml pre_init.py pre_init.sh populate_data.py populate_data.sh post_init.py "
    "post_init.sh variant.py build.py"
)


def test_the_parts_of_a_task_that_an_examinee_never_sees_are_these(tmp_path: Path) -> None:
    assert set(context.WITHHELD) == set(WITHHELD.split())
    for name in WITHHELD.split():
        (tmp_path / name).write_text("")
    (tmp_path / "other").write_text("")
    found = {one.source.name: one.withheld for one in Context(tmp_path).copies(["*"], "/x", "/")}
    assert {name for name, withheld in found.items() if withheld} == set(WITHHELD.split())
    assert found["other"] is False
    assert context.SEALED_FOLDERS == ("/utils/", "/npc/")


def test_what_every_image_copies_by_itself(tmp_path: Path) -> None:
    names = [
        "task.md",
        "dependencies.yml",
        "scenarios.json",
        "helper.py",
        "solution.py",
        "other.txt",
        *WITHHELD.split(),
    ]
    for name in names:
        if name not in ("mutants", "references", "world"):
            (tmp_path / name).write_text("")
    (tmp_path / "references").mkdir()
    (tmp_path / "references" / "answer").write_text("")
    (tmp_path / "world").mkdir()
    found = {one.target: (one.source.name, one.withheld) for one in Context(tmp_path).onbuild()}
    utils = ("evaluator.py", "pre_init.py", "pre_init.sh", "populate_data.py", "populate_data.sh", "post_init.py",
             "post_init.sh", "variant.py", "build.py")  # fmt: skip
    assert found == {
        "/instruction/task.md": ("task.md", False),
        "/utils/dependencies.yml": ("dependencies.yml", False),
        "/utils/references": ("references", True),
        "/utils/references/answer": ("answer", True),
        "/npc/scenarios.json": ("scenarios.json", True),
        "/utils/helper.py": ("helper.py", False),
        **{f"/utils/{name}": (name, True) for name in utils},
    }


def targets(folder: Path, dockerfile: str) -> list[str]:
    return [one.target for one in dockerfile_copies(Context(folder), parse_dockerfile(f"FROM x\n{dockerfile}"))]


@pytest.mark.parametrize(
    ("dockerfile", "found"),
    [
        ("COPY a.txt x", ["/workspace/x"]),
        ("WORKDIR /srv\nWORKDIR sub\nCOPY a.txt x", ["/srv/sub/x"]),
        ("WORKDIR /made\nCOPY a.txt /made", ["/made/a.txt"]),
        ("RUN mkdir -p /one && mkdir two\nCOPY a.txt /one\nCOPY b.txt two", ["/one/a.txt", "/workspace/two/b.txt"]),
        ("RUN echo mkdir; true\nCOPY a.txt /one", ["/one"]),
        ("COPY a.txt /new/sub/\nCOPY b.txt /new/sub", ["/new/sub/a.txt", "/new/sub/b.txt"]),
        ("ENV D=/deep E=$D/er\nCOPY a.txt $E", ["/deep/er"]),
        ("ARG D=/deep\nCOPY a.txt ${D}/", ["/deep/a.txt"]),
        ("COPY --from=other a.txt /x", []),
        ("ADD https://example.com/a /x", []),
        ("ADD a.txt /x", ["/x"]),
        ("COPY --chown=1:1 a.txt /x", ["/x"]),
    ],
)  # fmt: skip
def test_what_a_dockerfile_copies(folder: Path, dockerfile: str, found: list[str]) -> None:
    assert targets(folder, dockerfile) == found


def test_where_a_dockerfile_copies_what_is_withheld(folder: Path) -> None:
    dockerfile = parse_dockerfile("FROM x\nCOPY . /srv\nCOPY a.txt /x\nCOPY references /r\n")
    assert sorted(withheld_copies(Context(folder), dockerfile)) == [
        "/r/answer", "/srv/evaluator.py", "/srv/references/answer",
    ]  # fmt: skip


FOLDERS = (
    "/ /workspace /instruction /utils /npc /root /tmp /home /opt /srv /mnt /etc /var /usr /usr/local /usr/local/bin "
    "/usr/local/lib /usr/local/share /usr/bin"
)


def test_the_folders_that_every_image_has_are_these() -> None:
    assert set(context.FOLDERS) == set(FOLDERS.split())


def test_a_digest_tells_targets_contents_kinds_and_permissions_apart(folder: Path) -> None:
    seen = set[str]()

    def note(sources: str = "a.txt", destination: str = "/x") -> None:
        seen.add(digest(Context(folder).copies(sources.split(), destination, "/")))

    note()
    note()
    assert len(seen) == 1
    note(destination="/y")
    (folder / "a.txt").write_text("other")
    note()
    (folder / "a.txt").chmod(0o755)
    note()
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to("b.txt")
    note()
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to("task.md")
    note()
    note("data", "/x")
    assert len(seen) == 7


# -- what a sandbox can promise ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("has", "needs", "missing"),
    [
        ({}, {}, []),
        ({}, {"writable_system": True}, ["the task changes the system"]),
        ({"writable_system": True}, {"writable_system": True}, []),
        ({}, {"egress": "list"}, ["the task's egress policy is 'list', and here only none is kept"]),
        ({"egress": ("none", "list")}, {"egress": "full"}, ["'full', and here only none, list is kept"]),
        ({"egress": ("none", "list")}, {"egress": "list"}, []),
        ({}, {"enforced_limits": True}, ["memory limit", "processes limit", "disk limit"]),
        ({"memory": "m", "disk": "d"}, {"enforced_limits": True}, ["the processes limit cannot be enforced here"]),
        ({"memory": "m", "disk": "d", "processes": "p"}, {"enforced_limits": True}, []),
    ],
)
def test_needs_that_a_sandbox_cannot_serve_are_named(
    has: dict[str, object], needs: dict[str, object], missing: list[str]
) -> None:
    found = Capabilities("x", **has).missing(Needs(**needs))  # type: ignore[arg-type]  # a table's own
    assert len(found) == len(missing)
    assert all(part in sentence for part, sentence in zip(missing, found, strict=True))


def test_a_command_was_well_when_it_ended_by_itself_with_zero() -> None:
    assert Finished(0, b"\xff", b"e", 0.0).ok
    assert not Finished(1, b"", b"", 0.0).ok
    assert not Finished(0, b"", b"", 0.0, timed_out=True).ok
    assert (Finished(0, b"\xff", b"\xfe", 0.0).text, Finished(0, b"", b"\xfe", 0.0).error_text) == ("�", "�")


def test_a_digest_can_be_made_of_names_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / "link").symlink_to(name)
    (tmp_path / name).write_text("x")
    found = [digest([Copy(tmp_path / source, f"/x/{source}", False)]) for source in ("link", name)]
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(f"{name}s")
    assert digest([Copy(tmp_path / "link", "/x/link", False)]) not in found
    assert len(set(found)) == 2
