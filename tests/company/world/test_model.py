"""Reading a world: every mistake is named with its file and line, and nothing raises."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayjob.company.world import load_world
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.company.world.snapshot import check_world
from tests.company.serving import WORLDS


@pytest.fixture
def world(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    (folder / "people").mkdir(parents=True)
    (folder / "world.toml").write_text('format = 1\nname = "Acme"\nhost = "acme.test"\nnow = 2026-03-09T09:00:00Z\n')
    (folder / "people" / "ada.yml").write_text("name: Ada Byron\nusername: ada\npersona: Precise.\n")
    return folder


FUZZED = (
    "ci-images.yml",
    "world.toml",
    "people/a.yml",
    "chat/channels/a.yml",
    "chat/direct/a.yml",
    "drive/shares.yml",
    "drive/times.yml",
    "forge/groups.yml",
    "forge/projects/a/b/project.yml",
    "forge/projects/a/b/issues.yml",
    "board/projects/a.yml",
)


def told(folder: Path, overlay: Path | None = None) -> list[tuple[str, str, int]]:
    return [(one.rule, one.file, one.line) for one in check_world(folder, overlay)]


@pytest.mark.parametrize("name", ["blank", "larkspur"])
def test_the_worlds_that_come_with_dayjob_are_well_formed(name: str) -> None:
    assert [str(one) for one in check_world(WORLDS / name)] == []


def test_a_small_world_is_well_formed(world: Path) -> None:
    assert told(world) == []
    info = load_world(world).info
    assert (info.name, info.slug, info.host, info.ports["chat"]) == ("Acme", "acme", "acme.test", 3000)
    assert info.people[0].email == "ada@acme.test"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("format = 2", "world"),
        ('host = "Not A Host"', "world"),
        ('now = "soon"', "world"),
        ("nonsense = 1", "world"),
        ("ports = 3", "world"),
        ("broken", "syntax"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(world: Path, line: str, rule: str) -> None:
    (world / "world.toml").write_text(f'name = "Acme"\n\n{line}\n')
    assert (rule, "world.toml", 3) in told(world)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("username: bob\n", 1),
        ("name: Bob\nusername: 'b o b'\n", 2),
        ("name: Bob\nage: 7\n", 2),
        ("name: Bob\nchannels: general\n", 2),
        ("- a list\n", 1),
        ("name: Bob\nname: Bob\n", 2),
        ("name: [\n", 2),
    ],
)
def test_a_person_written_wrongly_is_named_with_file_and_line(world: Path, text: str, line: int) -> None:
    (world / "people" / "bob.yml").write_text(text)
    assert [(file, at) for _, file, at in told(world)] == [("people/bob.yml", line)]


def test_two_people_cannot_share_a_name(world: Path) -> None:
    (world / "people" / "other.yml").write_text("name: Ada Byron\nusername: ada2\n")
    assert ("duplicate", "people/other.yml", 1) in told(world)


def test_text_that_is_not_utf8_and_links_that_lead_out_are_problems(world: Path) -> None:
    (world / "people" / "bob.yml").write_bytes(b"name: B\xff\n")
    (world / "people" / "eve.yml").symlink_to("/etc/passwd")
    assert {rule for rule, _, _ in told(world)} >= {"encoding", "file-outside"}


def test_an_overlay_adds_replaces_and_deletes(world: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "overlay"
    (overlay / "people").mkdir(parents=True)
    (overlay / "people" / "bob.yml").write_text("name: Bob\n")
    (overlay / "overlay.toml").write_text('delete = ["people/ada.yml"]\n')
    assert [one.name for one in load_world(world, overlay).people] == ["Bob"]
    (overlay / "overlay.toml").write_text('delete = ["people/nobody.yml"]\n')
    assert ("overlay", "overlay.toml", 0) in told(world, overlay)


def test_a_folder_that_is_no_world_is_told_so(tmp_path: Path) -> None:
    assert told(tmp_path)[0][:2] == ("no-world", "world.toml")


def test_a_world_is_found_by_name_or_by_path(world: Path) -> None:
    assert find_world("larkspur") == WORLDS / "larkspur"
    assert find_world(str(world)) == world
    with pytest.raises(UnknownWorld, match=r"no world 'nowhere'.*larkspur"):
        find_world("nowhere")


@given(st.binary(max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_in_any_file_make_the_check_raise(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "fuzzed"
    shutil.rmtree(folder, ignore_errors=True)
    for name in FUZZED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    found = check_world(folder)
    assert found == [] or all(problem.file in FUZZED for problem in found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("default: debian:13\n", 1),
        ("- a\n", 1),
        ("images:\n  - debian:13\n", 1),
        ("images:\n  - name: debian:13\nimage: x\n", 3),
        ("images:\n  - name: debian:13\n  - name: No Name\n", 3),
        ("images:\n  - name: debian:13\n    package: [x]\n", 3),
        ("images:\n  - name: debian:13\n  - name: go:1\n    packages: ['a; rm -rf /']\n", 4),
        ("images:\n  - name: debian:13\n  - name: go:1\n    run: {a: 1}\n", 4),
        ("images:\n  - name: debian:13\n  - name: go:1\n    env: [A]\n", 4),
        ("default: python:3\nimages:\n  - name: debian:13\n", 1),
    ],
)
def test_a_table_of_images_that_is_wrong_is_told_with_its_line(world: Path, text: str, line: int) -> None:
    (world / "ci-images.yml").write_text(text)
    assert told(world) == [("ci-images", "ci-images.yml", line)]


def test_a_table_of_images_survives_its_snapshot(world: Path) -> None:
    table = (
        "images:\n  - name: [debian:13*, debian]\n    packages: [make]\n    run: [make --version]\n    env: {A: 1}\n"
    )
    (world / "ci-images.yml").write_text(table)
    info = load_world(world).info
    assert info.ci_images.rows[0].env == {"A": "1"}
    assert type(info).from_json(info.to_json()) == info
