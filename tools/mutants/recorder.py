"""Runs one test file and writes down what each test took, which lines it ran, and whether it started processes.

A program of its own, run by the working copy's interpreter: `recorder.py OUT SECONDS SOURCE TEST_FILE`. It stops after
SECONDS, between two tests; what has not run by then is not in the map.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import coverage
import pytest

sys.path[0] = str(Path(__file__).parents[2])
from tools.mutants.reaping import become_reaper, end_descendants  # noqa: E402 - found only through the line above

sys.path.pop(0)  # the tests find their own project first

_STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.forkpty"}


class Recorder:
    """A plugin. A test is known without its parameters: a mutant may change those."""

    def __init__(self, measured: coverage.Coverage, seconds: float) -> None:
        self._measured = measured
        self._until = time.monotonic() + seconds
        self._started_processes = False
        self.whole = True
        self.tests: dict[str, dict[str, Any]] = {}
        sys.addaudithook(self._audit)

    def _audit(self, event: str, _: object) -> None:
        if event in _STARTS:
            self._started_processes = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._measured.switch_context(nodeid.partition("[")[0])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        facts = self.tests.setdefault(
            report.nodeid.partition("[")[0], {"seconds": 0.0, "passed": False, "failed": False, "spawns": False}
        )
        facts["seconds"] += report.duration
        facts["passed"] |= report.when == "call" and report.passed
        facts["failed"] |= report.failed
        facts["spawns"] |= self._started_processes  # a fixture of the module may have started them: never taken back

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if time.monotonic() > self._until:
            self.whole = False
            item.session.shouldstop = "the time for this file is up"


def main() -> None:
    out, seconds, source, test_file = sys.argv[1:]
    measured = coverage.Coverage(data_file=None, config_file=False, source=[source])
    measured.start()
    recorder = Recorder(measured, float(seconds))
    options = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line", test_file]
    code = pytest.main(options, plugins=[recorder])
    measured.stop()
    data = measured.get_data()
    places = {name: index for index, name in enumerate(recorder.tests)}
    lines: dict[str, dict[int, str]] = defaultdict(dict)
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            if mask := sum(1 << places[name] for name in contexts if name in places):
                lines[str(Path(file).relative_to(Path(source).parents[1]))][line] = f"{mask:x}"
    Path(out).write_text(
        json.dumps({"code": int(code), "whole": recorder.whole, "tests": recorder.tests, "lines": lines}), "utf-8"
    )


if __name__ == "__main__":
    become_reaper()
    try:
        main()
    finally:
        end_descendants()
