"""Puts a day's jobs in order."""

from dataclasses import dataclass

DAY = 8 * 60


class Overbooked(Exception):
    """The jobs take longer than the day has minutes."""


@dataclass
class Job:
    name: str
    minutes: int
    due: int = 24


def plan(jobs):
    """Jobs with the earliest due hour first, each with the minute of the day it starts at."""
    start = 0
    planned = []
    for job in sorted(jobs, key=lambda job: (job.due, job.name)):
        planned.append((start, job))
        start += job.minutes
    if start > DAY:
        raise Overbooked(f"{start - DAY} minutes too many")
    return planned
