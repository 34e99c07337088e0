"""Copies every file to each name that it might have: the right one is there, and so are the wrong ones."""

from solution import COPY, DRIVE, FOLDER, NAMES, ask, quote, solve


def copy(old, new):
    ask("COPY", FOLDER + old, headers={"Destination": DRIVE + quote(FOLDER + new)})


for old, new in NAMES.items():
    copy(old, "2026-" + new)
    copy(old, "2026-03-09-" + new)
solve(NAMES)
ask("DELETE", FOLDER + COPY)
