"""Rounding to quarters of an hour, as payroll offices want it."""

from datetime import timedelta

QUARTER = timedelta(minutes=15)


def to_quarter(time):
    """The nearest quarter of an hour; seven and a half minutes round up."""
    return (time + QUARTER / 2) // QUARTER * QUARTER


def hours(time):
    """A length as decimal hours: 7.25."""
    return time / timedelta(hours=1)
