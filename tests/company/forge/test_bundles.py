"""A project's code as a bundle: the branch a clone begins with, and what is said of a bundle that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import gitlab
import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.company.world import build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.forge.conftest import Git
from tests.company.forge.test_world import world
from tests.company.serving import serve

PROJECT = "forge/projects/plot/beds"


def plot(tmp_path: Path, project: str = "visibility: public\n") -> Path:
    return world(tmp_path / "w", groups_yml="- path: plot\n", projects__plot__beds__project_yml=project)


def work_in(git: Git, folder: Path, branch: str) -> Path:
    """A repository with two commits on its branch, and branches `aside` and `zinnia` at the first."""
    git("init", "-qb", branch, folder)
    git.commit(folder, "One", a_txt="1")
    git("branch", "aside", cwd=folder)
    git("branch", "zinnia", cwd=folder)
    git.commit(folder, "Two", b_txt="2")
    return folder


@pytest.mark.parametrize(
    ("branch", "refs", "wanted"),
    [
        ("master", ["--all"], "master"),
        ("trunk", ["--all"], "trunk"),
        ("trunk", ["aside", "trunk"], "aside"),  # without HEAD: the first by name
        ("trunk", ["aside", "trunk", "HEAD"], "trunk"),
        ("master", ["aside", "master"], "master"),  # without HEAD: a usual name
        ("main", ["--all"], "main"),
    ],
)
def test_a_clone_begins_with_the_branch_that_the_bundle_s_head_is_at(
    git: Git, tmp_path: Path, branch: str, refs: list[str], wanted: str
) -> None:
    work, folder = work_in(git, tmp_path / "work", branch), plot(tmp_path)
    git("bundle", "create", "-q", folder / PROJECT / "repo.bundle", *refs, cwd=work)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        url = served.url("forge")
        assert gitlab.Gitlab(url).projects.get("plot/beds").default_branch == wanted
        git("clone", "-q", f"{url}/plot/beds.git", tmp_path / "clone")
        assert git("branch", "--show-current", cwd=tmp_path / "clone").stdout.strip() == wanted
        there = {path.name for path in (tmp_path / "clone").iterdir()}
        assert there == ({".git", "a.txt"} if wanted == "aside" else {".git", "a.txt", "b.txt"})


def test_of_several_branches_at_head_the_usual_one_is_taken(git: Git, tmp_path: Path) -> None:
    work, folder = tmp_path / "work", plot(tmp_path)
    git("init", "-qb", "master", work)
    git.commit(work, "One", a_txt="1")
    git("branch", "aside", cwd=work)
    git("bundle", "create", "-q", folder / PROJECT / "repo.bundle", "--all", cwd=work)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        assert gitlab.Gitlab(served.url("forge")).projects.get("plot/beds").default_branch == "master"


def test_a_branch_that_the_world_names_counts_and_must_be_there(git: Git, tmp_path: Path) -> None:
    work, folder = work_in(git, tmp_path / "work", "master"), plot(tmp_path, "default_branch: zinnia\n")
    git("bundle", "create", "-q", folder / PROJECT / "repo.bundle", "--all", cwd=work)
    assert check_world(folder) == []
    (folder / PROJECT / "project.yml").write_text("default_branch: main\n")
    [problem] = check_world(folder)
    assert (problem.file, problem.message) == (
        f"{PROJECT}/project.yml",
        "There is no branch 'main' in repo.bundle.",
    )
    assert problem.fix == "Leave default_branch out, or write one of: aside, master, zinnia."


def test_a_world_is_checked_and_built_by_a_relative_path(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, folder = work_in(git, tmp_path / "work", "master"), plot(tmp_path)
    git("bundle", "create", "-q", folder / PROJECT / "repo.bundle", "--all", cwd=work)
    monkeypatch.chdir(tmp_path)
    for words in (["check", "w"], ["build", "w", "--cache", "cache", "--json"]):
        answer = CliRunner().invoke(dayjob, ["world", *words], catch_exceptions=False)
        assert answer.exit_code == 0, answer.output
    assert Path(json.loads(answer.output)["path"]).is_dir()


@pytest.mark.parametrize("spoiled", ["no bundle", "half", "needs more"])
def test_a_bundle_that_cannot_be_used_is_named_in_a_sentence(git: Git, tmp_path: Path, spoiled: str) -> None:
    work, folder = work_in(git, tmp_path / "work", "main"), plot(tmp_path)
    bundle = folder / PROJECT / "repo.bundle"
    git("bundle", "create", "-q", bundle, *(["aside..main"] if spoiled == "needs more" else ["--all"]), cwd=work)
    if spoiled == "no bundle":
        bundle.write_bytes(b"PK\3\4")
    if spoiled == "half":
        bundle.write_bytes(bundle.read_bytes()[:-40])
    answer = CliRunner().invoke(
        dayjob, ["world", "build", str(folder), "--cache", str(tmp_path / "cache")], catch_exceptions=False
    )
    words = {
        "no bundle": "This is not a git bundle.",
        "half": "git cannot read this bundle: ",
        "needs more": "This bundle needs commits that are not in it.",
    }
    [line, _] = answer.output.splitlines()
    assert answer.exit_code == 1
    assert f"{PROJECT}/repo.bundle: {words[spoiled]}" in line
    assert line.endswith("Make one with 'git bundle create repo.bundle --all'.")
