"""Makes the coverage map and tries mutants, in several working copies at once with a warm process in each."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tools.mutants.choosing import Choice, choose
from tools.mutants.coverage_map import CoverageMap, KnownTest
from tools.mutants.mutant import Mutant
from tools.mutants.results import Result, Results, Verdict
from tools.mutants.trust import Trust
from tools.mutants.working_copy import Copy, working_copy

_FAILED, _INTERRUPTED, _TIME_UP = 1, 2, -1
T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """Seconds: of tests a mutant, of a test file under coverage, of waiting beyond what the tests should take; and when
    to begin nothing new (a moment of the monotonic clock)."""

    budget: float = 30.0
    mapping: float = 120.0
    patience: float = 20.0
    until: float = float("inf")


class Line(Generic[T]):
    """Things to do, taken by several threads until there are none, the time is up, or the run is stopped."""

    def __init__(self, things: list[T], until: float) -> None:
        self._things: queue.SimpleQueue[T] = queue.SimpleQueue()
        self._until = until
        self.stopped = threading.Event()
        for thing in things:
            self._things.put(thing)

    def __iter__(self) -> Line[T]:
        return self

    def __next__(self) -> T:
        if self.stopped.is_set() or time.monotonic() > self._until:
            raise StopIteration
        try:
            return self._things.get_nowait()
        except queue.Empty:
            raise StopIteration from None

    def work(self, jobs: int, work: Callable[[], None]) -> None:
        """Run `work` in so many threads. When one fails, the others finish what they do."""
        failures: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # raised again below, in the thread that waits
                failures.append(error)
                self.stopped.set()

        # Threads of a run that is interrupted end with it, and each one's process ends when its thread does.
        threads = [threading.Thread(target=guarded, daemon=True) for _ in range(min(jobs, self._things.qsize()))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]


class Nursery(AbstractContextManager["Nursery"]):
    """One working copy and its warm process, which ends with the block."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        command = [str(copy.python), str(Path(__file__).with_name("nursery.py"))]
        self._process = subprocess.Popen(
            command, cwd=copy.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            # Somebody else, forked meanwhile, still holds the other end of its input.
            self._process.terminate()
            self._process.wait()

    def terminate(self) -> None:
        """End it in the middle of what it does; whoever waits for an answer gets a `ValueError`."""
        self._process.terminate()

    def ask(self, path: str, text: bytes, batch: tuple[KnownTest, ...], limit: float) -> dict[str, Any]:
        """Run tests with a file as `text`, and what came of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        tests = [test.id for test in batch]
        request = {"path": path, "text": text.decode("utf-8"), "tests": tests, "limit": limit}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@dataclass(frozen=True)
class Run:
    """Where a run keeps things and what it knows; `jobs` is how many working copies it uses."""

    root: Path
    cache: Path
    known: CoverageMap
    results: Results
    trust: Trust
    jobs: int
    limits: Limits

    def make_map(self, files: list[str], tell: Callable[[str], None]) -> None:
        """Run the test files that the map does not know yet."""
        line = Line(self.known.missing(files, self.limits.mapping), self.limits.until)

        def work() -> None:
            with working_copy(self.root, self.cache / "copies") as copy:
                for file in line:
                    self.known.make(file, copy, self.limits.mapping)
                    tell(file)

        line.work(self.jobs, work)

    def earlier(
        self, mutants: list[Mutant], test_files: Callable[[Mutant], list[str]]
    ) -> tuple[dict[str, Result], list[tuple[Mutant, Choice]]]:
        """The results that earlier runs have decided, by key, and the mutants still to be tried with their tests."""
        done: dict[str, Result] = {}
        left: list[tuple[Mutant, Choice]] = []
        for mutant in mutants:
            choice = choose(mutant, test_files(mutant), self.known, self.limits.budget)
            names = [test.id for test in choice.tests]
            if not names:
                done[mutant.key] = Result(mutant.key, "not covered", "", [], "", 0.0, False)
            elif result := self.results.known(mutant.key, names):
                done[mutant.key] = result
            else:
                left.append((mutant, choice))
        return done, left

    def try_mutants(
        self, left: list[tuple[Mutant, Choice]], tell: Callable[[Mutant, Result], None]
    ) -> dict[str, Result]:
        """The result of each, by key, kept as soon as it is known."""
        done: dict[str, Result] = {}
        line = Line(left, self.limits.until)
        lock = threading.Lock()

        def work() -> None:
            with working_copy(self.root, self.cache / "copies") as copy, Nursery(copy) as nursery:
                for mutant, choice in line:
                    result = self._decide(mutant, choice, nursery)
                    with lock:
                        self.results.add(result)
                        done[mutant.key] = result
                        tell(mutant, result)

        line.work(self.jobs, work)
        return done

    def _decide(self, mutant: Mutant, choice: Choice, nursery: Nursery) -> Result:
        seconds, by, said = 0.0, "", ""
        verdict: Verdict = "survived"
        for batch in choice.batches:
            answer, by = self._tried(mutant, batch, nursery)
            seconds += answer["seconds"]
            if answer["code"] != 0:
                verdict, said = _verdict(answer["code"], by), answer["said"]
                break
        names = [test.id for test in choice.tests]
        found = verdict in ("killed", "timed out")
        tests_hash = self.results.tests_hash([by] if found and by else names, nursery.copy.path)
        return Result(
            mutant.key, verdict, by, [] if found else names, tests_hash,
            round(seconds, 2), choice.cut, said if verdict == "error" else "",
        )  # fmt: skip

    def _tried(self, mutant: Mutant, batch: tuple[KnownTest, ...], nursery: Nursery) -> tuple[dict[str, Any], str]:
        """What became of a batch, and the test that failed; those that fail without any mutant are left out of it."""
        while True:
            batch = tuple(one for one in batch if self.trust.passes(one.id, self._digest(one.id, nursery)) is not False)
            if not batch:
                return {"code": 0, "seconds": 0.0}, ""
            answer = nursery.ask(mutant.path, mutant.text, batch, self._patience(batch))
            by = (answer.get("failed") or "").partition("[")[0]
            killer = tuple(one for one in batch if one.id == by)
            if not killer or self._trusted(mutant, killer[0], nursery):
                return answer, by

    def _trusted(self, mutant: Mutant, test: KnownTest, nursery: Nursery) -> bool:
        """Whether a test that has just failed passes with the file as it is."""
        digest = self._digest(test.id, nursery)
        passes = self.trust.passes(test.id, digest)
        if passes is None:
            answer = nursery.ask(mutant.path, mutant.source, (test,), self._patience((test,)))
            passes = answer["code"] == 0
            self.trust.learn(test.id, digest, passes)
        return passes

    def _digest(self, test: str, nursery: Nursery) -> str:
        return self.results.tests_hash([test], nursery.copy.path)

    def _patience(self, batch: tuple[KnownTest, ...]) -> float:
        return self.limits.patience + 6 * sum(test.seconds for test in batch)


def _verdict(code: int, by: str) -> Verdict:
    if code == _TIME_UP:
        return "timed out"
    if by or code in (_FAILED, _INTERRUPTED) or code < 0:  # below zero: the mutant brought the process itself down
        return "killed"
    return "error"
