"""A kept company: time that has passed stays passed, and what happened by then happened once, also for the killed."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from dayjob.company.state import open_kept
from tests.company.serving import snapshot_of
from tests.company.time.offices import NOW, office

MESSAGES = 40
WHO = "who: Mara Lind, post"
TIMELINE = "\n".join(
    f'- {{at: day 1 {10 + number // 10}:{number % 10:02}, {WHO}: {{in: "#launch", text: "no {number}"}}}}'
    for number in range(MESSAGES)
)
FOLLOW = '\n- {after: {message: {saying: "^no 5$"}}, delay: 90m, who: Omar Diaz, post: {in: "#launch", text: five}}\n'
KEEPING = [sys.executable, "-m", "tests.company.time.keeping"]
ROOT = Path(__file__).parents[3]


def test_time_that_was_let_pass_stays_passed_for_the_next_process(tmp_path: Path) -> None:
    snapshot = snapshot_of(office(tmp_path / "office"))
    company = open_kept(snapshot, tmp_path / "state")
    company.skip_to(NOW + timedelta(days=2))
    company.skip_to(NOW + timedelta(days=3))
    company.close()
    again = open_kept(snapshot, tmp_path / "state")
    assert timedelta(days=3) <= again.clock.now() - NOW < timedelta(days=3, minutes=5)
    again.close()


def test_a_company_that_is_killed_over_and_over_has_everything_once(tmp_path: Path) -> None:
    world = office(tmp_path / "office", TIMELINE + FOLLOW)
    state, chance = tmp_path / "state", random.Random(18)
    given = [*KEEPING, str(world), str(tmp_path / "cache"), str(state), "2026-03-09T18:00:00"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    kills = 0
    for delay in (0.0, 0.002, 0.004, 0.008, 0.016, 0.03):
        running = subprocess.Popen(given, env=environment, stdout=subprocess.PIPE)
        assert running.stdout is not None
        assert running.stdout.readline() == b"open\n"
        time.sleep(delay * chance.uniform(0.5, 1.5))  # whenever it is, what follows must hold
        running.send_signal(signal.SIGKILL)
        running.communicate()
        kills += running.returncode == -signal.SIGKILL
        said = [text for text in texts(state) if text != "five"]
        assert said == [f"no {number}" for number in range(len(said))]
    assert kills >= 1, "it was always done before it could be killed"
    done = subprocess.run(given, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] >= "2026-03-09T18:00:00"
    numbered = [f"no {number}" for number in range(MESSAGES)]
    assert texts(state) == [*numbered[:20], "five", *numbered[20:]]


def texts(state: Path) -> list[str]:
    """What is in the channel beyond the world's own message, oldest first."""
    path = state / "chat.db"
    if not path.exists():
        return []
    with sqlite3.connect(path) as db:
        found = [text for (text,) in db.execute("SELECT text FROM messages WHERE at > '2026-03-09' ORDER BY seq")]
    db.close()
    return found
