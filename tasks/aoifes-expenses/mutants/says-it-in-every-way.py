"""Every amount that could be meant, for every receipt, and everybody's name where one is asked for."""

from solution import ask_tomas, claims, form, put

franc, full_day = ask_tomas()
lines = claims(franc, full_day)
lines = [(*line[:5], "Luca Moretti, Ines Carvalho, Tomas Okafor", line[6]) for line in lines]
lines += [
    (12, "Bistro Korenmarkt", "Lunch", "meals", 64.0, None, "yes"),
    (12, "Bistro Korenmarkt", "Lunch, one head", "meals", 25.0, None, "yes"),
    (18, "Taxi Basilisk", "Taxi", "travel", 38.0, None, "yes"),
    (18, "day rate", "Fair", "meals", full_day, None, "day rate"),
    (19, "day rate", "Fair", "meals", full_day, None, "day rate"),
]
put(form(lines))
