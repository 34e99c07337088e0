"""The steps of a trial, in their order: what outcomes time, reports list and the viewer draws."""

from __future__ import annotations

from typing import Literal, get_args

Step = Literal["build", "start", "init", "setup", "work", "freeze", "grade", "collect"]
STEPS: tuple[Step, ...] = get_args(Step)
TOLD: tuple[Step, ...] = ("build", "start", "init", "work", "grade")
"""Those whose times a reader asks for; the others are short."""
