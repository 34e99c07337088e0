"""Which days a nursery works: weekly closing days and public holidays."""

from datetime import date, timedelta

FIXED = {
    "BE": [(1, 1), (5, 1), (7, 21), (8, 15), (11, 1), (11, 11), (12, 25)],
    "NL": [(1, 1), (4, 27), (5, 5), (12, 25), (12, 26)],
}
# Days after Easter Sunday.
MOVING = {"BE": [1, 39, 50], "NL": [0, 1, 39, 49, 50]}


def easter(year):
    """Easter Sunday, by Gauss's rule as Lichtenberg completed it."""
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    sun = 2 - (3 * century + 3) // 4
    age = year % 19
    seed = (19 * age + moon) % 30
    limit = 21 + seed - (seed + age // 11) // 29
    return date(year, 3, 1) + timedelta(days=limit + 7 - (limit - (7 - (year + year // 4 + sun) % 7)) % 7 - 1)


def holidays(country, year):
    """The public holidays of a country, in order."""
    moving = [easter(year) + timedelta(days=days) for days in MOVING[country]]
    return sorted([date(year, month, day) for month, day in FIXED[country]] + moving)


def is_open(day, country="BE", closed=(6,)):
    """Whether a nursery works on a day; `closed` are weekdays, Monday is 0."""
    return day.weekday() not in closed and day not in holidays(country, day.year)


def next_open(day, country="BE", closed=(6,)):
    """The first working day after one."""
    while True:
        day += timedelta(days=1)
        if is_open(day, country, closed):
            return day
