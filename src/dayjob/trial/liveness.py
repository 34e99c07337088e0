"""Whether a process that should say something every second is stuck, however busy the machine is.

It is stuck when it has burnt CPU time without a word, or has said nothing for very long: on a machine where others take
all the CPU, a process that only waits for its turn does neither.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CPU, WALL = 10.0, 120.0
"""Seconds of its own CPU time, and of anybody's time."""


class Liveness:
    """The signs of life of one process."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.beat()

    def beat(self) -> None:
        """It has said something."""
        self._heard, self._cpu = time.monotonic(), cpu_seconds(self._pid)

    def stuck(self) -> str | None:
        """How long it has been stuck, in words; None while it is not."""
        silent = time.monotonic() - self._heard
        busy = cpu_seconds(self._pid) - self._cpu
        if silent > 2 and (busy > CPU or silent > WALL):
            return f"for {silent:.0f} s ({busy:.0f} s of CPU time)"
        return None


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far, without its children's; 0 where nobody says."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Watch:
    """A worker process under a watch: its signs of life, and why it was ended if it was."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.life = Liveness(process.pid)
        self.stuck = ""
        self._process = process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(1):
            if stuck := self.life.stuck():
                self.stuck = sentence(self._process.pid, stuck)
                self._process.kill()
                return

    def end(self) -> None:
        self._over.set()
        self._thread.join()


@contextmanager
def ended_when_stuck(process: subprocess.Popen[bytes]) -> Iterator[Watch]:
    """Watch a process from a thread, for those who wait for its words without an event loop."""
    watch = Watch(process)
    try:
        yield watch
    finally:
        watch.end()


def sentence(pid: int, stuck: str) -> str:
    return f"worker process {pid} stood still {stuck} and was ended"
