"""Variants of a family are attempts at one task: counted together, as a cluster, and told apart by name."""

from __future__ import annotations

from pathlib import Path

from dayjob.report.summary import summarise
from dayjob.report.text import line
from dayjob.report.viewer.index import Index
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec, trial_name


def outcome(task: str, label: Label, variant: int | None, attempt: int = 1, set: str | None = None) -> Outcome:
    marks = {"result": 2 if label is Label.RESOLVED else 0, "total": 2}
    found = Outcome(task, "worker", attempt, label, variant=variant, variant_set=set, **marks)  # type: ignore[arg-type]
    found.checkpoints = [marks]
    return found


def test_twenty_variants_of_two_families_say_less_than_twenty_tasks() -> None:
    labels = [Label.RESOLVED] * 10 + [Label.FAILED] * 10
    families = [outcome("one" if at < 10 else "two", label, at % 10) for at, label in enumerate(labels)]
    attempts = [outcome("one" if at < 10 else "two", label, None, at % 10 + 1) for at, label in enumerate(labels)]
    tasks = [outcome(f"task-{at}", label, None) for at, label in enumerate(labels)]
    of_families, of_attempts, of_tasks = summarise(families), summarise(attempts), summarise(tasks)
    assert of_families.interval == of_attempts.interval
    assert of_families.interval is not None
    assert of_tasks.interval is not None
    assert of_families.resolved == of_tasks.resolved == 0.5
    wide, narrow = (high - low for low, high in (of_families.interval, of_tasks.interval))
    assert wide > narrow


def test_a_variant_is_named_wherever_a_trial_is() -> None:
    assert line(outcome("shelf", Label.RESOLVED, 7)).startswith("shelf · worker v7 #1 ")
    assert line(outcome("shelf", Label.RESOLVED, None)).startswith("shelf · worker  ")
    private = outcome("shelf", Label.FAILED, 3, 2, "0123456789abcdef")
    assert private.which == "v3 of 01234567 #2"
    assert Outcome.from_json(private.to_json()) == private
    spec = TrialSpec("/tasks/shelf", "worker", "/out", attempt=2, variant=3, variant_set="0123456789abcdef")
    assert spec.name == "shelf.v3-01234567.worker.2" == trial_name("shelf", "worker", 2, 3, "0123456789abcdef")
    assert TrialSpec.from_json(spec.to_json()) == spec
    of_spec = Outcome.of(spec, Label.CANCELLED)
    assert (of_spec.variant, of_spec.variant_set) == (3, "0123456789abcdef")


def test_the_viewer_lists_a_trial_with_its_variant(tmp_path: Path) -> None:
    for number in (0, 12):
        folder = tmp_path / "run" / f"shelf.v{number}.worker.1"
        folder.mkdir(parents=True)
        (folder / "outcome.json").write_text(outcome("shelf", Label.RESOLVED, number).to_json())
    index = Index([tmp_path / "run"], tmp_path / "index.sqlite")
    index.refresh()
    rows, count = index.page(None, 0, 10)
    index.close()
    assert count == 2
    assert {row.which for row in rows} == {"v0 #1", "v12 #1"}
