"""The forge's part of a world: what it compiles to, and how it says what is wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import gitlab

from dayjob.company.company import Company
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.forge.conftest import Git
from tests.company.serving import WORLDS, serve


def world(folder: Path, **files: str) -> Path:
    (folder / "people").mkdir(parents=True)
    (folder / "world.toml").write_text('name = "Plot"\nhost = "plot.test"\nnow = 2026-03-09T09:00:00Z\n')
    (folder / "people" / "kim.yml").write_text("name: Kim\nusername: kim\npassword: kim-password\n")
    for name, text in files.items():
        path = folder / "forge" / name.replace("__", "/").replace("_yml", ".yml").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_same_world_gives_the_same_bytes_and_shas(larkspur: Snapshot, tmp_path: Path) -> None:
    again = build_snapshot(WORLDS / "larkspur", cache=tmp_path)
    assert (again.path / "forge.db").read_bytes() == (larkspur.path / "forge.db").read_bytes()
    for file in sorted(larkspur.path.glob("git/**/*")):
        if file.is_file():
            assert (again.path / file.relative_to(larkspur.path)).read_bytes() == file.read_bytes()


def test_larkspur_has_history_issues_requests_releases_and_a_wiki(larkspur: Snapshot, git: Git, tmp_path: Path) -> None:
    with serve(larkspur) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        trellis = client.projects.get("larkspur/trellis")
        assert [one.state for one in trellis.mergerequests.list(order_by="created_at", sort="asc")] == [
            "opened",
            "merged",
        ]
        assert trellis.issues.get(2).milestone["title"] == "Spring launch"
        assert trellis.releases.list()[0].tag_name == "v1.4.0"
        assert {one.slug for one in trellis.wikis.list()} == {"home", "onboarding", "releasing"}
        request = trellis.mergerequests.list(state="opened")[0]
        changes: Any = request.changes()
        assert [one["new_path"] for one in changes["changes"]] == ["trellis/schedule.py"]
        url = served.url("forge").replace("://", "://sam.reed:sam-reed-first-day@")
        git("clone", "-q", f"{url}/larkspur/trellis.git", tmp_path / "trellis")
        assert git("-C", tmp_path / "trellis", "fsck", "--strict").returncode == 0
        refused = git("clone", "-q", f"{url}/larkspur/platform/infra.git", tmp_path / "infra", ok=False)
        assert refused.returncode != 0


def test_a_company_touches_no_repository_until_somebody_does(larkspur: Snapshot) -> None:
    company = Company(larkspur)
    try:
        assert company.ready("forge")
        assert company._temporary is None
    finally:
        company.close()
    with serve(larkspur) as served:
        client = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        assert len(client.projects.list()) == 3
        assert client.projects.get("larkspur/trellis").issues.list()
        assert not list((served.company.folder / "own").glob("forge/*.git"))
        client.projects.get("larkspur/trellis").repository_tree()
        assert [one.name for one in (served.company.folder / "own" / "forge").glob("*.git")] == ["2.git"]


def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path) -> None:
    folder = world(
        tmp_path / "w",
        groups_yml="- path: plot\n  members:\n    nobody: owner\n    kim: emperor\n",
        projects__plot__beds__project_yml="labels:\n  - {name: a}\n  - {name: a}\nodd: 1\n",
        projects__plot__beds__history_yml=(
            "- author: kim\n  at: 2026-01-01\n  message: x\n  files: {a: b}\n- at: never\n  message: y\n"
            "- at: 2026-01-02\n  message: z\n  merge: ghost\n"
        ),
        projects__plot__beds__issues_yml="- title: One\n  labels: [missing]\n  milestone: Never\n- description: "
        "no title\n",
        projects__plot__beds__merge_requests_yml="- title: M\n  source: nowhere\n",
        projects__plot__beds__releases_yml="- tag: v9\n",
        projects__elsewhere__x__project_yml="",
        stray_md="what is this",
    )
    found = {(one.file, one.line, one.rule) for one in check_world(folder)}
    base = "forge/projects/plot/beds"
    assert {
        ("forge/groups.yml", 3, "unknown-person"),
        ("forge/groups.yml", 4, "forge"),
        (f"{base}/project.yml", 3, "duplicate"),
        (f"{base}/project.yml", 4, "forge"),
        (f"{base}/history.yml", 5, "forge"),
        (f"{base}/history.yml", 9, "forge"),
        (f"{base}/issues.yml", 2, "dangling"),
        (f"{base}/issues.yml", 3, "dangling"),
        (f"{base}/issues.yml", 4, "forge"),
        (f"{base}/merge_requests.yml", 2, "dangling"),
        (f"{base}/releases.yml", 1, "dangling"),
        ("forge/projects/elsewhere/x/project.yml", 1, "forge"),
        ("forge/stray.md", 0, "forge"),
    } <= found


def test_a_bundle_brings_a_whole_history(git: Git, tmp_path: Path) -> None:
    work = tmp_path / "work"
    git("init", "-qb", "main", work)
    first = git.commit(work, "One", a_txt="1")
    git("tag", "-a", "v1", "-m", "First", cwd=work)
    git("checkout", "-qb", "topic", cwd=work)
    second = git.commit(work, "Two", b_txt="2")
    folder = world(
        tmp_path / "w", groups_yml="- path: plot\n", projects__plot__beds__project_yml="visibility: public\n"
    )
    bundle = folder / "forge" / "projects" / "plot" / "beds" / "repo.bundle"
    git("bundle", "create", "-q", bundle, "--all", cwd=work)
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        url = f"{served.url('forge')}/plot/beds.git"
        heads = subprocess.run(["git", "ls-remote", url], capture_output=True, text=True, check=True, timeout=60).stdout
        assert f"{first}\trefs/heads/main" in heads
        assert f"{second}\trefs/heads/topic" in heads
        assert f"{first}\trefs/tags/v1^{{}}" in heads
