"""Clock-ins as the tablets export them: a CSV file with person, in, out and break, in local time."""

import csv
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from timesheets.shift import BadShift, Shift


def read_shifts(path, zone):
    """The shifts of a file, in its order. `zone` is the site's, for example Europe/Brussels."""
    place = ZoneInfo(zone)
    shifts = []
    with open(path, newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                start, end = (datetime.fromisoformat(row[key]).replace(tzinfo=place) for key in ("in", "out"))
                pause = timedelta(minutes=int(row.get("break") or 0))
            except (KeyError, TypeError, ValueError) as error:
                raise BadShift(f"{path}, line {number}: {error}") from error
            shifts.append(Shift(row["person"].strip(), start, end, pause))
    return shifts
