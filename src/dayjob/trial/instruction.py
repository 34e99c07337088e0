"""What an examinee is told: the task's text, what day and hour it is at the company, and how to let time pass."""

from __future__ import annotations

from datetime import datetime

from dayjob.task import Task
from dayjob.trial.company_process import TrialCompany
from dayjob.trial.wait_program import COMMAND

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def instruction_for(task: Task, company: TrialCompany) -> str:
    """The instruction, followed by a line with the company's time unless the task says no."""
    if not task.settings.tell_time:
        return task.instruction
    return f"{task.instruction.rstrip()}\n\n{time_line(company.clock.now(), company.world.name)}\n"


def time_line(now: datetime, company: str) -> str:
    """In English, whatever the machine's language is."""
    day = f"{_DAYS[now.weekday()]}, {now.day} {_MONTHS[now.month - 1]} {now.year}"
    return f"It is {day}, {now:%H:%M} (UTC) at {company}; `{COMMAND} 45m` lets time pass there."
