"""An over-eager cleaner: what looks unimportant is gone."""

from solution import COPY, FOLDER, NAMES, ask, solve

unimportant = {"IMG_0231 desks returned 2026-02-05.JPEG", "Keys_new_NH.xlsx", "Stamp Logo.PNG"}
solve({old: new for old, new in NAMES.items() if old not in unimportant})
for old in (*unimportant, COPY):
    ask("DELETE", FOLDER + old)
