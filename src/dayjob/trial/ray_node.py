"""One slot of a node: a worker process like any local run's, fed with one trial at a time by the run's driver.

It runs as an actor of Ray. Keys reach it in `equip`, a call that goes straight from the driver's process to this one,
and go on into the worker's environment; specs, parcels and logs hold none.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from dayjob import __version__, owned
from dayjob.company.world.snapshot import default_cache
from dayjob.trial.leases import EVENT
from dayjob.trial.liveness import ended_when_stuck
from dayjob.trial.ray_settings import FOR_MODELS, SETTINGS, NodeSettings
from dayjob.trial.ray_transfer import PackedTrial, evidence_pieces, receive
from dayjob.trial.spec import TrialSpec
from dayjob.trial.worker import BEAT
from dayjob.trial.worker_process import cut_short

Said = tuple[str, Any]
"""`("step", name)`, `("turns", event)` for `leases`, `("piece", bytes)` of the evidence's archive, `("end", None)`."""


class Slot:
    """Runs one trial after the other; `stop` may come at any time, from another thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._writing = Lock()
        owned.sweep_folders()
        self._folder = owned.folder("slot")
        self._environment: dict[str, str] = {}

    def equip(self, settings: NodeSettings) -> dict[str, str]:
        """Take what models are asked with; says who this is."""
        (self._folder / SETTINGS).write_text(settings.settings, "utf-8")
        # A key of this node's own would change which models are asked.
        own = {name: value for name, value in os.environ.items() if not FOR_MODELS.fullmatch(name)}
        self._environment = {**own, **settings.environment}
        return {"dayjob": __version__, "node": _node()}

    def run(self, sent: PackedTrial) -> Iterator[Said]:
        """One trial: its steps as they come, then its evidence."""
        spec, home = self._at_home(sent)
        try:
            yield from self._steps(spec)
            for piece in evidence_pieces(Path(spec.out), home, _node()):
                yield "piece", piece
            yield "end", None
        finally:
            shutil.rmtree(spec.out, ignore_errors=True)

    def stop(self) -> None:
        """Cancel what is at work; its evidence is still sent."""
        self._stopped = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def reply(self, line: str) -> None:
        """Hand an answer of the driver's to the worker."""
        self._write(line)

    def _write(self, line: str) -> None:
        process = self._process
        # It may have ended, or have been told to: what it left says what came of the trial.
        with self._writing, contextlib.suppress(OSError, ValueError):
            if process is not None and process.stdin is not None:
                process.stdin.write(line.encode() + b"\n")

    def leave(self) -> None:
        """End the worker process and remove what is here."""
        self.stop()
        if self._process is not None:
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _at_home(self, sent: PackedTrial) -> tuple[TrialSpec, dict[str, str]]:
        """The spec with this node's paths, and what the driver calls each of them."""
        import ray

        spec = TrialSpec.from_json(sent.spec)
        places = {"out": str(self._folder / Path(spec.out).name)}
        for name, parcel in sent.parcels.items():
            path = receive(parcel, default_cache(), ray.get)
            places[name] = f"script:{path}" if name.endswith("model") else str(path)
        called = {"out": spec.out, **sent.called}
        here = replace(spec, **places)  # type: ignore[arg-type]  # fields that are text
        return here, {place: called[name] for name, place in places.items()}

    def _steps(self, spec: TrialSpec) -> Iterator[Said]:
        process = self._process or self._start()
        assert process.stdout is not None
        self._write(" ".join(spec.to_json().split("\n")))
        with ended_when_stuck(process) as watch:
            while line := process.stdout.readline():
                watch.life.beat()
                event = json.loads(line)
                if event["event"] == EVENT:
                    yield EVENT, event
                elif event["event"] == "step":
                    yield "step", event["step"]
                elif event["event"] != BEAT:
                    return
        self._process = None
        cut_short(spec, watch.stuck or process.wait(), cancelled=self._stopped)

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dayjob.trial.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,
            env=self._environment,
            start_new_session=True,
        )
        return self._process


def _node() -> str:
    """A name a person knows the node by, and the one Ray has for it."""
    import ray

    return f"{platform.node()} ({ray.get_runtime_context().get_node_id()[:12]})"
