"""Tries mutants one after another: a process that has loaded pytest and the libraries, forked for each of them.

A program of its own, run by the working copy's interpreter: a request a line on its input, an answer a line on its
output. Nothing of a mutant outlives its turn: the file is put back, its folder for temporary files and caches is
removed, and every process that its tests left is ended.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

sys.path[0] = str(Path(__file__).parents[2])
from tools.mutants.reaping import become_reaper, end_descendants  # noqa: E402 - found only through the line above

sys.path.pop(0)  # the tests find their own project first

_LIBRARIES = (
    *("asyncio", "ssl", "sqlite3", "hypothesis", "hypothesis.stateful", "hypothesis.strategies", "httpx", "yaml"),
    *("starlette.applications", "starlette.routing", "starlette.responses", "uvicorn", "uvloop", "websockets"),
    *("jinja2", "pygit2", "click", "click.testing", "rich.console", "rich.table", "requests", "cryptography.fernet"),
    *("markdown_it", "pygments", "defusedxml", "fastjsonschema", "re2", "httptools", "multipart", "openpyxl", "docx"),
    *("playwright.sync_api", "gitlab", "email.message", "concurrent.futures", "xml.etree.ElementTree", "zipfile"),
    "cryptography.hazmat.primitives.asymmetric.ed25519",
)
PLUGINS = tuple(dict.fromkeys(found.module for found in entry_points(group="pytest11")))


def main() -> None:
    become_reaper()
    for name in (*_LIBRARIES, *PLUGINS):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # a child's collections need not go through all of it, nor copy its pages
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    moment = int(time.time())
    for line in sys.stdin:
        moment += 2  # a compiled file is known by the second and the size of its source
        answers.write(json.dumps(_tried(json.loads(line), moment)) + "\n")
        answers.flush()


def _tried(request: dict[str, Any], moment: int) -> dict[str, Any]:
    path = Path(request["path"])
    before = path.read_bytes()
    temporary = Path(tempfile.mkdtemp(prefix="mut"))
    temporary.chmod(0o755)
    try:
        _write(path, request["text"].encode(), moment)
        return _run(request["tests"], request["limit"], temporary)
    finally:
        end_descendants()
        _write(path, before, moment + 1)
        shutil.rmtree(temporary, ignore_errors=True)


def _write(path: Path, text: bytes, moment: int) -> None:
    path.write_bytes(text)
    os.utime(path, (moment, moment))


def _run(tests: list[str], limit: float, temporary: Path) -> dict[str, Any]:
    told = temporary / "told.json"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = _in_child(tests, temporary, told)
        finally:
            os._exit(code)
    code = _wait(child, limit)
    facts: dict[str, Any] = json.loads(told.read_text("utf-8")) if told.exists() else {}
    said = (temporary / "said").read_text("utf-8", "replace")[-3000:]
    return {"code": code, "seconds": time.monotonic() - began, "said": said, **facts}


def _wait(child: int, limit: float) -> int:
    """The child's exit code, or -1 when its time is up; minus a hundred and more when a signal ended it."""
    until = time.monotonic() + limit
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else code - 100
        time.sleep(0.02)
    return -1


def _in_child(tests: list[str], temporary: Path, told: Path) -> int:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    said = os.open(temporary / "said", os.O_WRONLY | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
    (temporary / "t").mkdir()
    os.environ.update(TMPDIR=str(temporary / "t"), XDG_CACHE_HOME=str(temporary / "cache"))
    os.environ.update(HYPOTHESIS_STORAGE_DIRECTORY=str(temporary / "hypothesis"))
    tempfile.tempdir = None
    first = _First()
    options = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # it reads every package's list of files, half a second
    code = int(pytest.main([*options, *tests], plugins=[first, *(sys.modules[name] for name in PLUGINS)]))
    told.write_text(json.dumps({"failed": first.failed}), "utf-8")
    sys.stdout.flush()
    return code


class _First:
    """A plugin that remembers the first test that failed, or the file that could not be loaded."""

    def __init__(self) -> None:
        self.failed: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid


if __name__ == "__main__":
    main()
