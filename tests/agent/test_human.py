"""`dayjob shell` at a real terminal: a person works, reads a page in a browser of their own, leaves and is graded."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.trial.offices import office, task

EVALUATOR = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Points, Result

    REFERENCE = Path(__file__).resolve().parent / "references" / "answer.txt"

    @grader
    def grade_answer():
        answer = Path("/workspace/answer.txt")
        said = answer.read_text().strip() if answer.exists() else "nothing"
        return Points(2 * (said == REFERENCE.read_text().strip()), f"the answer is {said}")

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, grade_answer())])
    """


class Person:
    """Someone at a terminal in front of `dayjob shell`."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.out = folder / "out"
        self.seen = ""
        self._terminal, inner = pty.openpty()
        path, world = task(folder, evaluator__py=EVALUATOR), office(folder)
        command = [sys.executable, "-m", "dayjob", "shell", str(path), "--world", str(world), "-o", str(self.out)]
        self.process = subprocess.Popen(
            [*command, *options],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            env={**os.environ, "DAYJOB_CACHE": str(folder / "cache"), "TERM": "dumb"},
        )
        os.close(inner)

    def wait_for(self, pattern: str) -> re.Match[str]:
        while (found := re.search(pattern, self.seen)) is None:
            assert select.select([self._terminal], [], [], 60)[0], f"nothing more after {self.seen!r}"
            try:
                data = os.read(self._terminal, 65536)
            except OSError:
                data = b""
            assert data, f"it ended after {self.seen!r}"
            self.seen += data.decode("utf-8", "replace")
        return found

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def trajectory(self) -> str:
        [path] = self.out.glob("*/trajectory.json")
        return path.read_text("utf-8")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._terminal)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    one = Person(tmp_path)
    yield one
    one.close()


def test_a_person_works_in_a_terminal_sees_the_pages_and_is_graded(person: Person) -> None:
    page = person.wait_for(r"drive \(port 8092\) is (http://127\.0\.0\.1:\d+) in your browser")[1]
    person.wait_for(r"[#$] $")
    status = requests.get(f"{page}/status.php", timeout=10)
    assert status.json()["installed"] is True
    person.type("test -t 0 && pwd && printf ship > answer.txt\r")
    person.wait_for(r"\n/workspace\r\n")
    assert "the answer is" not in person.seen
    assert "openpyxl" in person.seen
    assert "pdftotext" in person.seen
    person.type("printf shape >> answer.txt; exit\r")
    person.wait_for(r"resolved.*2/2")
    person.wait_for("See it again")
    assert person.process.wait(30) == 0
    steps = json.loads(person.trajectory())["steps"]
    assert "printf shape" in steps[-1]["observation"]["results"][0]["content"]


def test_a_person_who_leaves_with_nothing_done_has_failed(person: Person) -> None:
    person.wait_for(r"[#$] $")
    person.type("\x04")
    person.wait_for(r"failed.*0/2")
    person.wait_for(r"0/2 +It is right\.")
    person.wait_for(r"→ the answer is nothing")
    person.wait_for(r"= 0/2")
    assert person.process.wait(30) == 1


def test_a_person_whose_time_is_up_is_graded_on_what_is_there(tmp_path: Path) -> None:
    late = Person(tmp_path, "--seconds", "4")
    try:
        late.wait_for(r"[#$] $")
        late.type("printf shipshape > answer.txt\r")
        late.wait_for(r"resolved.*2/2")
        assert late.process.wait(30) == 0
    finally:
        late.close()
