"""What the payroll office gets: hours a person, rounded shift by shift."""

from collections import defaultdict
from datetime import timedelta

from timesheets.rounding import hours, to_quarter


def totals(shifts):
    """Hours to pay for each person, in alphabetical order."""
    found = defaultdict(timedelta)
    for shift in shifts:
        found[shift.person] += to_quarter(shift.worked)
    return {person: hours(found[person]) for person in sorted(found)}


def by_day(shifts):
    """The same, for each person and day."""
    found = defaultdict(timedelta)
    for shift in shifts:
        found[shift.person, shift.day] += to_quarter(shift.worked)
    return {key: hours(found[key]) for key in sorted(found)}
