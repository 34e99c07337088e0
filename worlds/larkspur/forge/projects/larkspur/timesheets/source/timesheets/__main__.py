"""`python -m timesheets FILE --zone ZONE` prints one line a person."""

import argparse
import sys

from timesheets.payroll import totals
from timesheets.reading import read_shifts
from timesheets.shift import BadShift


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="timesheets", description="Hours to pay, one line a person.")
    parser.add_argument("file", help="clock-ins as the tablets export them")
    parser.add_argument("--zone", default="Europe/Brussels", help="the site's time zone")
    chosen = parser.parse_args(arguments)
    try:
        found = totals(read_shifts(chosen.file, chosen.zone))
    except (BadShift, OSError, KeyError) as error:
        print(f"timesheets: {error}", file=sys.stderr)
        return 1
    for person, worked in found.items():
        print(f"{person},{worked:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
