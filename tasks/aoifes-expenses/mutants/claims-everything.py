"""Every receipt in full, and the day rates beside the dinner."""

from solution import ask_tomas, claims, form, put

franc, full_day = ask_tomas()
lines = [line for line in claims(franc, full_day) if line[0] != 12]
lines += [
    (12, "Bistro Korenmarkt", "Lunch", "meals", 64.0, None, "yes"),
    (18, "Gasthof Rheinblick", "Dinner", "meals", round(42 * franc, 2), None, "yes"),
    (19, "Hotel Rheinblick", "Minibar", "other", round(9.5 * franc, 2), None, "yes"),
    (26, "City of Bruges", "Parking", "travel", 30.0, None, "yes"),
]
put(form(sorted(lines)))
