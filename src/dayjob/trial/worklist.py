"""Which trials of a run are not done, and which comes next: every task in turn, and once more what the table of labels
tries again."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator

from dayjob.trial.outcome import MEANINGS, Label, Outcome
from dayjob.trial.run_folder import Opened
from dayjob.trial.spec import TrialSpec


def not_done(run: Opened, again: Iterable[Label] = ()) -> Iterator[TrialSpec]:
    """The trials without an outcome that counts: none yet, one the table tries again, or one of `again`."""
    also = frozenset(again)
    for spec in run.specs:
        outcome = run.outcome(spec)
        if outcome is None or MEANINGS[outcome.label].retry or outcome.label in also:
            yield spec


class Worklist:
    """The trials still to be begun. A task with many trials does not keep the others waiting."""

    def __init__(self, specs: Iterable[TrialSpec], retries: int = 0) -> None:
        self._tasks: dict[str, deque[TrialSpec]] = {}
        for spec in specs:
            self._tasks.setdefault(spec.task, deque()).append(spec)
        self._turns = deque(self._tasks)
        self._retries = retries
        self._tried: Counter[str] = Counter()
        self.total = sum(map(len, self._tasks.values()))

    def __len__(self) -> int:
        return sum(map(len, self._tasks.values()))

    def next(self) -> TrialSpec | None:
        """The next trial to begin; None when there is none."""
        if not self._turns:
            return None
        task = self._turns.popleft()
        waiting = self._tasks[task]
        spec = waiting.popleft()
        if waiting:
            self._turns.append(task)
        return spec

    def again(self, spec: TrialSpec, outcome: Outcome) -> bool:
        """Whether this trial is to be tried once more; then it waits behind the others."""
        if not MEANINGS[outcome.label].retry or outcome.label is Label.CANCELLED:
            return False
        if self._tried[spec.out] >= self._retries:
            return False
        self._tried[spec.out] += 1
        self.put_back(spec)
        return True

    def put_back(self, spec: TrialSpec) -> None:
        """A trial that was begun and has to be begun once more waits behind the others."""
        self._tasks[spec.task].append(spec)
        if spec.task not in self._turns:
            self._turns.append(spec.task)

    def drop(self) -> None:
        """Begin nothing more."""
        self._turns.clear()
        for waiting in self._tasks.values():
            waiting.clear()
