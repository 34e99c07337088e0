"""The example's policy learns: on variants that it has never worked on, it is worth more than before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[2] / "examples" / "learn_status_round.py"


def curve(cache: Path, **options: int) -> list[dict[str, Any]]:
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    environment = {**os.environ, "DAYJOB_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--json", *given], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_policy_is_worth_more_on_variants_it_has_not_seen(cache: Path) -> None:
    first, last = curve(cache, updates=4, batch=6, variants=12, held_out=4, every=4, seed=0)
    assert (first["attempts"], last["attempts"]) == (0, 24)
    assert first["held_out"] == 0.0
    assert last["held_out"] >= 0.25
    assert first["learning"] is None


def test_a_seed_gives_the_same_curve_again(cache: Path) -> None:
    one, again, other = (
        curve(cache, updates=1, batch=4, variants=4, held_out=1, every=1, seed=seed) for seed in (3, 3, 4)
    )
    assert one == again
    assert one != other
