"""`trellis day.json` prints the plan of the day, one line a job."""

import argparse
import sys

from trellis.day import BadDay, read_day
from trellis.schedule import Overbooked, plan

OPENING = 8 * 60


def clock(minute):
    """Minute 0 is eight in the morning."""
    hour, rest = divmod(OPENING + minute, 60)
    return f"{hour:02}:{rest:02}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="trellis", description="Print the plan of the day.")
    parser.add_argument("day", help="a JSON file with the day's jobs")
    chosen = parser.parse_args(arguments)
    try:
        planned = plan(read_day(chosen.day))
    except (BadDay, Overbooked, OSError) as error:
        print(f"trellis: {error}", file=sys.stderr)
        return 1
    for start, job in planned:
        print(f"{clock(start)}  {job.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
