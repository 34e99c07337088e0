"""The task folder format: model, loading, lint rules, scaffold. Parses task code, never imports it."""

from dayjob.task.findings import Finding as Finding
from dayjob.task.findings import TaskError as TaskError
from dayjob.task.model import Mutant as Mutant
from dayjob.task.model import Task as Task
from dayjob.task.rules import Rule as Rule
from dayjob.task.rules import Severity as Severity
from dayjob.task.settings import Settings as Settings
