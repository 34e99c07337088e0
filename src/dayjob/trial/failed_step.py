"""A step that ends an attempt, and whose fault that is."""

from __future__ import annotations

from dayjob.trial.outcome import Label


class StepFailed(Exception):
    """A step that ends the trial, and the label it ends with."""

    def __init__(self, label: Label, sentence: str) -> None:
        super().__init__(sentence)
        self.label = label
