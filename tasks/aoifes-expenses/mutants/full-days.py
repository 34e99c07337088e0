"""Takes both days in Basel for full ones, and asks nobody who said yes to the licence."""

from solution import ask_tomas, claims, form, put

franc, full_day = ask_tomas()
lines = [list(line) for line in claims(franc, full_day)]
for line in lines:
    line[4] = full_day if line[1] == "day rate" else line[4]
    line[5] = None
put(form(lines))
