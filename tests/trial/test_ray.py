"""A run on a real cluster of three nodes: one is killed, a person stops it, keys stay hidden, and nothing is lost.

Each node has a cache of its own, so that whatever a trial needs has to travel.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dayjob.cli.run import run as run_command
from dayjob.llm.scripted import ScriptedModel, serve_script
from dayjob.trial.outcome import Outcome
from tests.trial.offices import office, task

SMALLEST_STORE = 78 * 1024 * 1024  # the least Ray takes
SLOW = "command:sh -c 'echo shipshape > answer.txt; sleep 3'"
QUICK = "oracle"

# Works in step with two others: the first three end when all three have begun, the next three when they are told to.
IN_STEP = """\
"$DAYJOB_SANDBOX" sh -c 'echo shipshape > answer.txt'
number=1
until mkdir "$1/$number" 2>/dev/null; do number=$((number + 1)); done
case $number in
  [1-3]) waits_for=$1/3 ;;
  [4-6]) waits_for=$1/go ;;
  *) exit 0 ;;
esac
for _ in $(seq 600); do [ -e "$waits_for" ] && exit 0; sleep 0.2; done
exit 1
"""


class Nodes:
    """Three machines of one CPU each, and a head that runs no trial."""

    def __init__(self, folder: Path) -> None:
        from ray.cluster_utils import Cluster

        self.folder = folder
        small: dict[str, Any] = {"object_store_memory": SMALLEST_STORE}
        head = {"num_cpus": 0, "include_dashboard": False, "temp_dir": str(folder / "ray"), **small}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.caches = [folder / f"cache-{number}" for number in range(3)]
        self.nodes = [
            self.cluster.add_node(num_cpus=1, env_vars={"DAYJOB_CACHE": str(cache)}, **small) for cache in self.caches
        ]

    @property
    def address(self) -> str:
        return f"ray:{self.cluster.address}"

    def lose_one(self) -> None:
        """As when its power goes."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Short names, because Ray's sockets are in there too."""
    folder = Path(tempfile.mkdtemp(prefix="dj-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_TMPDIR", str(folder))  # where Ray notes a cluster's address
        started = Nodes(folder)
        yield started
        started.cluster.shutdown()  # type: ignore[no-untyped-call]  # Ray leaves it untyped
    shutil.rmtree(folder, ignore_errors=True)


class Run:
    """`dayjob run --on ray:…` in a process of its own, heard event by event."""

    def __init__(self, nodes: Nodes, out: Path, *arguments: str, **environment: str) -> None:
        self.out = out
        self.seen: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dayjob", *arguments, "--on", nodes.address, "--json", "--steps"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            cwd=out.parent,
        )

    def events(self) -> Iterator[dict[str, Any]]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.seen.append(json.loads(line))
            yield self.seen[-1]

    def end(self) -> int:
        for _ in self.events():
            pass
        return self.process.wait()

    def ended(self, *, again: bool = False) -> list[str]:
        return [one["folder"] for one in self.seen if one["event"] == "outcome" and one["again"] is again]

    def outcomes(self) -> dict[str, Outcome]:
        found = sorted(self.out.glob("*/outcome.json"))
        return {path.parent.name: Outcome.from_json(path.read_text("utf-8")) for path in found}

    def why(self) -> str:
        assert self.process.stderr is not None
        return f"{self.seen[-5:]} {self.process.stderr.read()[-3000:]}"


def arguments(folder: Path, out: Path, agent: str, attempts: int) -> list[str]:
    given = ["-k", str(attempts), "-o", str(out), "--retries", "0", "--world", str(office(folder))]
    return ["run", str(task(folder)), "-a", agent, *given]


def test_a_node_that_dies_costs_no_trial_and_doubles_none(nodes: Nodes, tmp_path: Path) -> None:
    out, begun = tmp_path / "run", tmp_path / "begun"
    begun.mkdir()
    (tmp_path / "in-step.sh").write_text(IN_STEP, "utf-8")
    run = Run(nodes, out, *arguments(tmp_path, out, f"host-command:sh {tmp_path}/in-step.sh {begun}", 6))
    ends = time.monotonic() + 120
    while not (begun / "6").exists():
        assert run.process.poll() is None, run.why()
        assert time.monotonic() < ends, sorted(path.name for path in begun.iterdir())
        time.sleep(0.1)
    nodes.lose_one()  # each node has one slot, so each has ended one trial and is at work on another
    for _ in run.events():
        if run.ended(again=True):
            break
    (begun / "go").touch()
    assert run.end() == 0, run.why()

    names = {str(out / f"small-task.{folder.name.split('.', 1)[1]}") for folder in out.glob("small-task.*")}
    assert len(names) == 6
    assert sorted(run.ended()) == sorted(names)
    outcomes = run.outcomes()
    assert [one.label for one in outcomes.values()] == ["resolved"] * 6
    assert len({one.made_of["node"] for one in outcomes.values()}) == 3
    (lost,) = run.ended(again=True)
    kept = Outcome.from_json(Path(lost, "earlier", "1", "outcome.json").read_text("utf-8"))
    assert "its node was lost" in kept.reason
    for name in outcomes:
        files = {path.name for path in (out / name).iterdir()}
        assert files >= {"journal.jsonl", "trajectory.json", "kept.tar.gz", "workspace.tar.gz", "spec.json", "logs"}
        spec = json.loads((out / name / "spec.json").read_text("utf-8"))
        assert (spec["task"], spec["out"]) == (str(tmp_path / "small-task"), str(out / name))
    assert not list(out.glob(".arriving-*"))
    # The task and the world came to every node; nothing of them was read from the driver's disk.
    for cache in nodes.caches:
        assert {path.name for path in cache.glob("parcels/*/*")} == {"small-task", "office"}


def test_a_driver_that_is_killed_leaves_nothing_at_work_and_is_gone_on_with(nodes: Nodes, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = Run(nodes, out, *arguments(tmp_path, out, SLOW, 3))
    for event in run.events():
        if event["event"] == "step" and event["step"] == "work":
            assert at_work(nodes.folder)
            run.process.kill()
            break
    run.end()
    resumed = Run(nodes, out, "resume", str(out))
    assert resumed.end() == 0, resumed.why()
    assert [one.label for one in resumed.outcomes().values()] == ["resolved"] * 3
    ends = time.monotonic() + 30
    while workers := at_work(nodes.folder):
        assert time.monotonic() < ends, workers
        time.sleep(0.2)


def at_work(folder: Path) -> list[str]:
    """The worker processes of this cluster's slots: they have the node's cache in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (
                b"dayjob.trial.worker" in (process / "cmdline").read_bytes()
                and str(folder).encode() in (process / "environ").read_bytes()
            ):
                found.append(process.name)
        except OSError:
            continue  # it has just ended
    return found


def test_a_run_that_a_person_stops_keeps_its_evidence_and_is_gone_on_with(nodes: Nodes, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = Run(nodes, out, *arguments(tmp_path, out, SLOW, 4))
    for event in run.events():
        if event["event"] == "step" and event["step"] == "work":
            run.process.send_signal(signal.SIGINT)
            break
    assert run.end() == 130, run.why()
    cancelled = [name for name, one in run.outcomes().items() if one.label == "cancelled"]
    assert cancelled
    assert any((out / name / "journal.jsonl").is_file() for name in cancelled), "one of them had begun to work"

    resumed = Run(nodes, out, "resume", str(out))
    assert resumed.end() == 0, resumed.why()
    assert [one.label for one in resumed.outcomes().values()] == ["resolved"] * 4
    assert all((out / name / "earlier" / "1" / "outcome.json").is_file() for name in cancelled)


def test_a_models_key_reaches_the_node_and_is_written_nowhere(nodes: Nodes, tmp_path: Path) -> None:
    script = {
        "format": 1,
        "rules": [
            {"when": {"turn": 1}, "call": {"name": "shell", "arguments": {"command": "echo shipshape > answer.txt"}}},
            {"when": {"turn": 2}, "call": {"name": "finish", "arguments": {"summary": "done"}}},
        ],
    }
    (tmp_path / "model.yml").write_text(yaml.safe_dump(script), "utf-8")
    out = tmp_path / "run"
    settings = '[llm.providers.lab]\nbase_url = "{}"\nkey_file = "{}"\n[llm.roles.examinee]\nmodel = "lab/scripted"\n'

    async def ask() -> tuple[int, str, str]:
        async with serve_script(ScriptedModel.load(tmp_path / "model.yml")) as server:
            key = server.key.reveal()
            (tmp_path / "key").write_text(key, "utf-8")
            (tmp_path / "dayjob.toml").write_text(settings.format(server.base_url, tmp_path / "key"), "utf-8")
            run = Run(nodes, out, *arguments(tmp_path, out, "worker", 1))
            return await asyncio.to_thread(run.end), key, run.why()

    code, key, why = asyncio.run(ask())
    assert code == 0, why
    (tmp_path / "key").unlink()
    # The office's accounts are on the disk of each node while it works; the key is in processes only.
    for place in (out, nodes.folder):
        written = subprocess.run(["grep", "-rlF", "--", key, str(place)], capture_output=True, text=True)
        assert written.stdout == ""


def test_a_budget_of_the_run_holds_over_all_nodes(nodes: Nodes, tmp_path: Path) -> None:
    rules = [
        {"when": {"turn": 1}, "call": {"name": "shell", "arguments": {"command": "echo shipshape > answer.txt"}}},
        {"call": {"name": "finish", "arguments": {"summary": "done"}}},
    ]
    (tmp_path / "model.yml").write_text(yaml.safe_dump({"format": 1, "rules": rules}), "utf-8")
    (tmp_path / "dayjob.toml").write_text("[llm.budget.run]\ncalls = 6\n", "utf-8")
    out = tmp_path / "run"
    run = Run(nodes, out, *arguments(tmp_path, out, "worker", 6), "-m", "script:model.yml")
    assert run.end() == 1, run.why()
    assert json.loads((out / "spent.json").read_text("utf-8"))["calls"] == 6
    found = [str(one.label) for one in run.outcomes().values()]
    assert found.count("resolved") in (3, 4), (found, "two calls each; who had its share is graded on what it left")
    assert set(found) <= {"resolved", "cancelled"}


def test_a_scripted_model_travels_with_the_trial(nodes: Nodes, tmp_path: Path) -> None:
    rules = [{"when": {"turn": 1}, "call": {"name": "finish", "arguments": {"summary": "nothing"}}}]
    (tmp_path / "model.yml").write_text(yaml.safe_dump({"format": 1, "rules": rules}), "utf-8")
    out = tmp_path / "run"
    run = Run(nodes, out, *arguments(tmp_path, out, "worker", 1), "-m", "script:model.yml")
    assert run.end() == 0, run.why()
    (outcome,) = run.outcomes().values()
    assert outcome.label == "failed"
    assert "parcels" not in json.dumps(outcome.made_of)


def test_without_the_extra_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    given = arguments(tmp_path, tmp_path / "run", QUICK, 1)[1:]
    said = CliRunner().invoke(run_command, [*given, "--on", "ray"])
    assert said.exit_code == 2
    assert "pip install 'dayjob[ray]'" in said.output


def test_a_clusters_processes_are_not_counted_by_hand(tmp_path: Path) -> None:
    given = arguments(tmp_path, tmp_path / "run", QUICK, 1)[1:]
    said = CliRunner().invoke(run_command, [*given, "--on", "ray", "--processes", "2"])
    assert said.exit_code == 2
    assert "--processes is for --on local" in said.output


@pytest.mark.parametrize("where", ["moon", "local:there", "ray:ray://head.test:10001"])
def test_a_place_that_cannot_be_is_refused(where: str, tmp_path: Path) -> None:
    given = arguments(tmp_path, tmp_path / "run", QUICK, 1)[1:]
    said = CliRunner().invoke(run_command, [*given, "--on", where])
    assert said.exit_code == 2
    assert where.removeprefix("ray:") in said.output
