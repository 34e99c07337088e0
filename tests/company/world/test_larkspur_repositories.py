"""Every repository of Larkspur, cloned from a running company, builds and passes its own tests."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gitlab
import pytest

from dayjob.company.world import Snapshot
from tests.clients import node_folder
from tests.company.serving import WORLDS, Served, serve, snapshot_of

PYTHON = [sys.executable, "-B", "-W", "error"]
UNITTEST = [*PYTHON, "-m", "unittest"]
COMPILED = WORLDS.parent / ".cache" / "go"  # Go's own library, mostly: named by its content, as Go keeps it
CHECKS: dict[str, list[list[str]]] = {
    "larkspur/catalogue-import": [UNITTEST, [*PYTHON, "-m", "catalogue", "samples/clean.csv"]],
    "larkspur/data/reports": [UNITTEST, [*PYTHON, "-m", "reports", "build", "sample.db"]],
    "larkspur/handbook": [[*PYTHON, "check_links.py"]],
    "larkspur/labs/plant-names": [UNITTEST],
    "larkspur/platform/infra": [["./check.py"], ["./deploy.sh", "--dry-run", "greenhouse-2"]],
    "larkspur/sync": [["go", "vet", "./..."], ["go", "build", "./..."], ["go", "test", "-count=1", "./..."]],
    "larkspur/timesheets": [UNITTEST, [*PYTHON, "-m", "timesheets", "examples/week.csv"]],
    "larkspur/trellis": [UNITTEST],
    "larkspur/trellis-web": [["npm", "run", "--silent", "build"], ["npm", "test", "--silent"]],
    "larkspur/website": [UNITTEST, [*PYTHON, "build.py"]],
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture(scope="module")
def company(snapshot: Snapshot) -> Iterator[Served]:
    with serve(snapshot) as found:
        yield found


def run(command: list[str], folder: Path, home: Path, **more: str) -> str:
    """Run a command with nobody's configuration; the test fails with what it said when it fails."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0",
        "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": str(COMPILED), **more,
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


def cloned(company: Served, path: str, place: Path) -> Path:
    url = company.url("forge").replace("://", "://root:admin-of-larkspur-forge@")
    run(["git", "clone", "-q", f"{url}/{path}.git", str(place / "clone")], place, place)
    return place / "clone"


def test_every_repository_has_a_check(company: Served) -> None:
    client = gitlab.Gitlab(company.url("forge"), private_token="larkspur-root-token")
    assert {one.path_with_namespace for one in client.projects.list(get_all=True)} == set(CHECKS)


@pytest.mark.parametrize("path", CHECKS)
def test_a_clone_builds_and_passes_its_own_tests(company: Served, path: str, tmp_path: Path) -> None:
    if CHECKS[path][0][0] == "go" and shutil.which("go") is None:
        pytest.skip("go is not installed: install golang-go to build the repository in Go")
    clone = cloned(company, path, tmp_path)
    if (clone / "package-lock.json").exists():
        (clone / "node_modules").symlink_to(node_folder("trellis-web", clone) / "node_modules")
    for command in CHECKS[path]:
        run(command, clone, tmp_path)
    assert run(["git", "status", "--porcelain"], clone, tmp_path).splitlines() in ([], ["?? node_modules"])


@pytest.mark.parametrize("path", CHECKS)
def test_a_history_is_of_colleagues_on_working_days_before_the_world_begins(
    company: Served, path: str, tmp_path: Path
) -> None:
    clone = cloned(company, path, tmp_path)
    people = {person.stem for person in (WORLDS / "larkspur" / "people").glob("*.yml")}
    lines = run(["git", "log", "--all", "--format=%ae %ad", "--date=format:%u %H %s"], clone, tmp_path).splitlines()
    assert 8 <= len(lines) <= 40
    for line in lines:
        email, weekday, hour, moment = line.split()
        assert email.partition("@")[0] in people - {"sam.reed"}
        assert int(weekday) <= 5, line
        assert 6 <= int(hour) < 20, line
        assert int(moment) < company.company.clock.now().timestamp()


def test_the_command_of_reports_answers_from_its_sample(company: Served, tmp_path: Path) -> None:
    clone = cloned(company, "larkspur/data/reports", tmp_path)
    run([*PYTHON, "-m", "reports", "build", "sample.db"], clone, tmp_path)
    said = run([*PYTHON, "-m", "reports", "revenue", "sample.db", "--month", "2025-01"], clone, tmp_path)
    assert said.splitlines() == [
        "country,customers,sites,revenue", "BE,2,2,96.0", "DE,1,1,26.0", "FR,1,1,45.0", "NL,1,1,81.0",
    ]  # fmt: skip


# -- the small honest bugs that issues describe -----------------------------------------------------------------------


def test_revenue_is_counted_once_for_every_site_of_a_customer(company: Served, tmp_path: Path) -> None:
    clone = cloned(company, "larkspur/data/reports", tmp_path)
    run([*PYTHON, "-m", "reports", "build", "sample.db"], clone, tmp_path)
    with sqlite3.connect(clone / "sample.db") as db:
        db.execute("INSERT INTO sites VALUES (6, 3, 'Nijmegen')")
    db.close()
    said = run([*PYTHON, "-m", "reports", "revenue", "sample.db", "--month", "2025-02"], clone, tmp_path)
    assert "NL,1,2,162.0" in said.splitlines()


def test_a_night_over_the_change_of_clocks_is_counted_as_the_wall_shows_it(company: Served, tmp_path: Path) -> None:
    clone = cloned(company, "larkspur/timesheets", tmp_path)
    (clone / "night.csv").write_text("person,in,out,break\nWout,2026-03-28T22:00,2026-03-29T06:00,\n")
    assert run([*PYTHON, "-m", "timesheets", "night.csv"], clone, tmp_path) == "Wout,7.50\n"


def test_rounding_changed_in_a_commit_about_something_else(company: Served, tmp_path: Path) -> None:
    clone = cloned(company, "larkspur/timesheets", tmp_path)
    (tmp_path / "day.csv").write_text("person,in,out,break\nWout,2026-02-02T08:00,2026-02-02T11:53,\n")

    def hours(ref: str) -> str:
        run(["git", "checkout", "-q", ref], clone, tmp_path)
        return run([*PYTHON, "-m", "timesheets", str(tmp_path / "day.csv")], clone, tmp_path)

    assert (hours("v1.1"), hours("v1.2")) == ("Wout,4.00\n", "Wout,3.75\n")
    subjects = run(
        ["git", "log", "--no-merges", "--format=%s", "v1.1..v1.2", "--", "timesheets/rounding.py"], clone, tmp_path
    )
    assert subjects == "Read names with accents on every machine\n"


def test_the_fourth_catalogue_format_is_refused_and_overbooked_names_no_job(company: Served, tmp_path: Path) -> None:
    clone = cloned(company, "larkspur/catalogue-import", tmp_path)
    ask = "import catalogue\ntry: catalogue.read('x.xlsx')\nexcept catalogue.BadCatalogue as error: print(error)"
    said = run([*PYTHON, "-c", ask], clone, tmp_path)
    assert said == "x.xlsx: this format is not read yet; known are .csv, .json\n"
    (tmp_path / "t").mkdir()
    trellis = cloned(company, "larkspur/trellis", tmp_path / "t")
    ask = (
        "from trellis.schedule import Job, Overbooked, plan\ntry: plan([Job('repot', 500)])\n"
        "except Overbooked as error: print(error, hasattr(error, 'job'))"
    )
    assert run([*PYTHON, "-c", ask], trellis, tmp_path) == "20 minutes too many False\n"
