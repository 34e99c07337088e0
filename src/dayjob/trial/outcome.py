"""What can come of a trial: one label, one table that says what each label means for scoring and for trying again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dayjob.scoring import clean_reason
from dayjob.trial.colleague_rows import clean_counts, clean_fault
from dayjob.trial.judged import clean_row
from dayjob.trial.line_summary import clean_line

if TYPE_CHECKING:
    from dayjob.trial.spec import TrialSpec

FORMAT = 1
EXHAUSTED = "exhausted"


class Label(StrEnum):
    """The one word for how a trial went."""

    RESOLVED = "resolved"
    PARTIAL = "partial"
    FAILED = "failed"
    INIT_ERROR = "init_error"
    INFRA_ERROR = "infra_error"
    GRADER_ERROR = "grader_error"
    UNGRADED = "ungraded"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Meaning:
    """`scored`: it counts for or against the agent. `retry`: another attempt may end differently."""

    scored: bool
    retry: bool
    sentence: str


MEANINGS = {
    Label.RESOLVED: Meaning(True, False, "full marks"),
    Label.PARTIAL: Meaning(True, False, "some of the marks"),
    Label.FAILED: Meaning(True, False, "no marks"),
    Label.INIT_ERROR: Meaning(False, False, "the task could not be set up: the task's fault"),
    Label.INFRA_ERROR: Meaning(False, True, "the machinery failed, or the agent before it began"),
    Label.GRADER_ERROR: Meaning(False, False, "the evaluator failed: the task's fault"),
    Label.UNGRADED: Meaning(False, True, "something did not answer while grading"),
    Label.CANCELLED: Meaning(False, True, "stopped before it ended"),
}


@dataclass(slots=True)
class Outcome:
    """How one trial went. `reason` is a sentence for everything that is not simply a score."""

    task: str
    agent: str
    attempt: int
    label: Label
    reason: str = ""
    variant: int | None = None
    """Which variant of a family; None where the task is none."""
    variant_set: str | None = None
    """The fingerprint of the key of a private set; None: the public one. What was drawn is nowhere in an outcome."""
    step: str = ""
    """Where it ended, when it did not end by itself."""
    result: int | None = None
    total: int | None = None
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    """Each checkpoint's `total` and `result`, and its `reason` where the check gave one."""
    raised: list[str] = field(default_factory=list)
    """What checks of the evaluator raised, in words: each counted as no points."""
    judged: list[dict[str, Any]] = field(default_factory=list)
    """What the judge was asked and how it decided: `question`, `verdict`, `agreement` (`2 of 3`) and `votes`."""
    score_line: dict[str, Any] = field(default_factory=dict)
    """What the work was worth along the way, where that was asked for: the `file` with all of it, how many `points`
    it has and how many `failed`, the `best` result, the seconds that the examinee was `held` and that grading took."""
    faults: list[dict[str, Any]] = field(default_factory=list)
    colleagues: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the audit counts of each colleague: `mind`, whether they have a `sheet`, `asked`, `answered` and so on."""
    colleague_fault: list[dict[str, Any]] = field(default_factory=list)
    """Faults of colleagues that can have cost a point: `colleague`, `kind`, `fact`, `quote`, `said`, `message`.

    They change nothing: the label and the score stand, and the trial is not tried again for them.
    """
    ended: str = "done"
    """How the work ended: done, timeout, budget, error (the agent's own program failed), or exhausted.

    Exhausted means that its company could take no more: no marks.
    """
    stopped: str = ""
    """Why the agent stopped, in a few words: its own, or what ended it. Empty where it did not begin."""
    waited_for_model: float = 0.0
    """Seconds of the work during which its clock stood still, because the provider kept the examinee waiting."""
    timings: dict[str, float] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    """What grading itself changed in the company, in words. A grader looks and leaves things as they are."""
    made_of: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: TrialSpec, label: Label, reason: str = "") -> Outcome:
        """One for a trial of which no more is known than its spec."""
        name = Path(spec.task).name
        return cls(name, spec.agent, spec.attempt, label, reason, spec.variant, spec.variant_set)

    @property
    def which(self) -> str:
        """Which of the attempts at its task it is: `#2`, of a family `v7 #2`, of a private set `v7 of 3f9a1c2b #2`."""
        set = f" of {self.variant_set[:8]}" if self.variant_set else ""
        return f"#{self.attempt}" if self.variant is None else f"v{self.variant}{set} #{self.attempt}"

    @property
    def scored(self) -> bool:
        return MEANINGS[self.label].scored

    @property
    def score(self) -> float | None:
        """The field's partial score: half for the share of marks, half for full marks."""
        if self.ended == EXHAUSTED:
            return 0.0
        if not self.scored or not self.total:
            return None
        return 0.5 * (self.result or 0) / self.total + 0.5 * (self.label is Label.RESOLVED)

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self), "score": self.score}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        facts = json.loads(text)
        if facts.pop("format", None) != FORMAT:
            raise ValueError(f"this is not an outcome of format {FORMAT}; update dayjob")
        facts.pop("score", None)
        # A file of evidence may have been anywhere: its words are read as an evaluator's are.
        for row in facts.get("checkpoints") or ():
            if isinstance(row, dict) and "reason" in row:
                row["reason"] = clean_reason(row["reason"], "a checkpoint's reason")
        facts["raised"] = [clean_reason(one) for one in facts.get("raised") or ()]
        counts = facts.get("colleagues") or {}
        facts["colleagues"] = {clean_reason(name): clean_counts(row) for name, row in counts.items()}
        facts["colleague_fault"] = [clean_fault(one) for one in facts.get("colleague_fault") or ()]
        facts["score_line"] = clean_line(facts.get("score_line"))
        facts["judged"] = [clean_row(one) for one in facts.get("judged") or ()]
        return cls(**{**facts, "label": Label(facts["label"])})


def label_for(result: int, total: int) -> Label:
    if total and result == total:
        return Label.RESOLVED
    return Label.PARTIAL if result else Label.FAILED


def without_digests(made_of: dict[str, Any]) -> dict[str, Any]:
    """The same without what is made from a private variant's content: from a digest its few values could be guessed."""
    return {name: value for name, value in made_of.items() if name not in ("image", "snapshot", "regraded_with")}
