"""One attempt at one task by one agent: the straight line from build to evidence, and what can come of it."""

from dayjob.trial.outcome import Label as Label
from dayjob.trial.outcome import Outcome as Outcome
from dayjob.trial.spec import TrialSpec as TrialSpec
