"""What the harness costs per trial, beside Inspect AI and `docker run` in the same run, and what a trial holds.

python -m bench.trials [PYTHON_WITH_INSPECT_AI]

A trial here: an oracle of one command, two services, one colleague, graded. Inspect AI: the same two commands (do the
work, look at it) in its unisolated `local` sandbox, scored, with its mock model. `docker run`: the same two commands in
one container and nothing else. CPU counts every process each of them started, the Docker daemon's and the containers'
too; start-up is taken out by comparing a long run with a short one.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.dockerd import BASE_IMAGE, private_docker
from tests.trial.offices import office, task

SHORT, LONG, ROUNDS = 8, 88, 3
CONTAINERS = 24
AT_ONCE = 8
HELD = (2, 34)
AIMS = {"cpu": 0.6, "rate": 10.0, "memory": 15.0}
GROUPS = Path("/sys/fs/cgroup/cpuacct")
SCENARIO = json.dumps({"Mara Lind": {"script": [{"on": {"topic": "word"}, "reply": "shipshape"}]}})
COMPANY = {"dependencies__yml": "- rocketchat\n- owncloud\n", "scenarios__json": SCENARIO}

INSPECT = """
    import sys
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, accuracy, scorer
    from inspect_ai.solver import solver
    from inspect_ai.util import sandbox

    @solver
    def work():
        async def solve(state, generate):
            await sandbox().exec(["sh", "-c", "echo shipshape > answer.txt"])
            return state
        return solve

    @scorer(metrics=[accuracy()])
    def look():
        async def score(state, target):
            done = await sandbox().exec(["cat", "answer.txt"])
            return Score(value=int(done.stdout.strip() == "shipshape"))
        return score

    samples = [Sample(input="Write the word.", target="shipshape") for _ in range(int(sys.argv[1]))]
    exam = Task(dataset=samples, solver=work(), scorer=look(), sandbox="local")
    (log,) = eval(exam, model="mockllm/model", display="none", log_dir=sys.argv[2], max_samples=int(sys.argv[3]),
                  max_sandboxes=int(sys.argv[3]))
    assert log.status == "success" and log.results.scores[0].metrics["accuracy"].value == 1, log.status
    """


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one command with everything it started."""

    wall: float
    cpu: float


def measured(command: list[str], env: dict[str, str]) -> Cost:
    """Run a command to its end. CPU from a control group of its own; without one, from what its parents waited for."""
    group = GROUPS / f"dayjob-bench-{os.getpid()}"
    counted = GROUPS.is_dir() and os.access(GROUPS, os.W_OK)
    if counted:
        group.mkdir()
        command = ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *command]
    began = time.monotonic()
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}: {said.decode()[-2000:]}")
    cpu = used.ru_utime + used.ru_stime
    if counted:
        cpu = int((group / "cpuacct.usage").read_text()) / 1e9
        _remove(group)
    return Cost(wall, cpu)


def _remove(group: Path) -> None:
    for _ in range(200):
        try:
            for path, _, _ in sorted(os.walk(group), reverse=True):
                os.rmdir(path)
            return
        except OSError:
            time.sleep(0.02)  # a process that has just ended is still listed


class Containers:
    """`docker run`, one after the other on each of so many hands, with a daemon of its own. Use as `with`."""

    def __enter__(self) -> Containers:
        self._group = GROUPS / f"dayjob-bench-docker-{os.getpid()}"
        self._stack = ExitStack()
        self._counted = GROUPS.is_dir() and os.access(GROUPS, os.W_OK)
        home = GROUPS / "cgroup.procs"
        if self._counted:
            self._group.mkdir()
            (self._group / "cgroup.procs").write_text(str(os.getpid()))  # the daemon is born into it
        try:
            self.address = self._stack.enter_context(private_docker())
        finally:
            if self._counted:
                home.write_text(str(os.getpid()))
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()
        for group in GROUPS.parent.glob(f"*/{self._group.name}"):  # Docker makes one for every controller
            _remove(group)

    def cost(self) -> Cost:
        """Of one container."""
        parent = ["--cgroup-parent", f"/{self._group.name}"] if self._counted else []
        work = ["sh", "-c", "echo shipshape > answer.txt; cat answer.txt"]
        command = ["docker", "-H", self.address, "run", "--rm", "--network", "none", *parent, BASE_IMAGE, *work]
        script = f"for _ in $(seq {CONTAINERS // AT_ONCE}); do {shlex.join(command)} || exit 1; done"
        hands = " & ".join([f"( {script} )"] * AT_ONCE)
        before = self._used()
        clients = measured(["sh", "-c", f"{hands} & wait"], dict(os.environ))
        return Cost(clients.wall / CONTAINERS, (clients.cpu + self._used() - before) / CONTAINERS)

    def _used(self) -> float:
        return int((self._group / "cpuacct.usage").read_text()) / 1e9 if self._counted else float("nan")


def marginal(short: Cost, long: Cost) -> Cost:
    """Seconds of wall time and CPU for one more trial."""
    number = LONG - SHORT
    return Cost((long.wall - short.wall) / number, (long.cpu - short.cpu) / number)


class Exam:
    """A folder with the task, its office and a warm cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = office(folder)
        parts = {"solution__sh": "echo shipshape > /workspace/answer.txt\n", "solution__py": None}
        self.task = task(folder, **parts, **COMPANY)
        self.env = {**os.environ, "DAYJOB_CACHE": str(folder / "cache")}
        self._runs = 0

    def command(self, number: int, *options: str) -> list[str]:
        self._runs += 1
        out = str(self.folder / f"run{self._runs}")
        start = [sys.executable, "-c", "from dayjob.cli import main; main()", "run", str(self.task), "--json"]
        return [*start, "--world", str(self.world), "-o", out, "-k", str(number), *options]

    def cost(self, number: int, processes: int) -> Cost:
        return measured(self.command(number, "-n", str(AT_ONCE), "--processes", str(processes)), self.env)

    def held(self, number: int) -> float:
        """MiB of all processes of a run while this many examinees sit and wait, shared pages counted in proportion."""
        waiting = self.folder / "waiting"
        if not waiting.exists():
            waiting.mkdir()
        parts = {"solution__sh": "exec sleep 600\n", "solution__py": None}
        path = task(waiting, **parts, **COMPANY)
        command = [str(path) if one == str(self.task) else one for one in self.command(number)]
        process = subprocess.Popen(
            [*command, "-n", str(number), "--steps"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        at_work = 0
        for line in process.stdout:
            at_work += json.loads(line).get("step") == "work"
            if at_work == number:
                break
        time.sleep(1)
        memory = _memory(process.pid)
        process.terminate()
        process.communicate()
        return memory


def _memory(top: int) -> float:
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    ours, total = {top}, 0
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    for pid in ours:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(next((line.split()[1] for line in text.splitlines() if line.startswith("Pss:")), "0"))
    return total / 1024


def main() -> None:
    inspect = Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/inspect-venv/bin/python")
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-") as name:
        folder = Path(name)
        exam = Exam(folder)
        script = folder / "exam.py"
        script.write_text(dedent(INSPECT))
        measured(exam.command(1), exam.env)

        def peer(number: int) -> Cost:
            return measured(
                [str(inspect.absolute()), str(script), str(number), str(folder / "logs"), str(AT_ONCE)],
                {**os.environ, "INSPECT_EVAL_LOG_FILE_PATTERN": "{task}_{id}"},
            )

        ways: dict[str, Callable[[int], Cost]] = {
            "dayjob, one loop": lambda number: exam.cost(number, 1),
            "dayjob, two processes": lambda number: exam.cost(number, 2),
        }
        if inspect.exists():
            ways["Inspect AI, local sandbox"] = peer
        found: dict[str, list[Cost]] = {way: [] for way in ways}
        with ExitStack() as stack:
            try:
                containers = stack.enter_context(Containers())
            except (OSError, AssertionError, RuntimeError, subprocess.SubprocessError) as error:
                containers, without_docker = None, str(error).splitlines()[0]
            for _ in range(ROUNDS):
                for way, run in ways.items():
                    found[way].append(marginal(run(SHORT), run(LONG)))
                if containers is not None:
                    found.setdefault("`docker run` alone", []).append(containers.cost())
        middle = {
            way: Cost(statistics.median(one.wall for one in costs), statistics.median(one.cpu for one in costs))
            for way, costs in found.items()
        }
        few, many = (exam.held(number) for number in HELD)
    print(
        f"{LONG} trials against {SHORT}, {AT_ONCE} at once, median of {ROUNDS} rounds in turn; {os.cpu_count()} cores\n"
    )
    first = middle["dayjob, two processes"]
    print("| what | CPU ms per trial | trials/s | CPU, ratio to dayjob | aim |\n| --- | ---: | ---: | ---: | ---: |")
    for way, cost in middle.items():
        aim = f"≤ {AIMS['cpu']:g} of `docker run`, ≥ {AIMS['rate']:g}/s" if way.startswith("dayjob") else ""
        print(f"| {way} | {cost.cpu * 1000:.0f} | {1 / cost.wall:.1f} | {cost.cpu / first.cpu:.2f} | {aim} |")
    if containers is None:
        print(f"| `docker run` alone | Docker could not be started here: {without_docker} | | | |")
    each = (many - few) / (HELD[1] - HELD[0])
    print(
        f"\nA running trial holds {each:.1f} MiB, its examinee's one process included (aim ≤ {AIMS['memory']:g} MiB): "
    )
    print(f"{few:.0f} MiB for a run with {HELD[0]} at work, {many:.0f} MiB with {HELD[1]}.")


if __name__ == "__main__":
    main()
