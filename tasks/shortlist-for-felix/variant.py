"""Who has withdrawn, what counts on top for how many points, and what decides between people with as many."""

# Everybody with all four must-haves: Dutch or French, Linux, horticulture, years of experience, the first day.
PEOPLE = {
    "Thomas Aerts": (True, True, True, 5.5, "2026-05-01"),
    "Nadia Rahimi": (True, True, True, 3.5, "2026-04-20"),
    "Lotte Vandenbroeck": (True, True, False, 4, "2026-04-15"),
    "Marta Kruger": (False, True, False, 4, "2026-04-15"),
    "Amira Benali": (True, False, False, 3, "2026-04-01"),
    "Sanne Bakker": (True, False, False, 2.5, "2026-05-01"),
}
TIES = {"years": "years of experience", "day": "the earlier first day"}


def values(withdrawn, languages, linux, horticulture, tie):
    worth = (languages, linux, horticulture)
    points = {name: sum(one for one, has in zip(worth, of, strict=False) if has) for name, of in PEOPLE.items()}

    def place(name):
        *_, years, day = PEOPLE[name]
        return -points[name], -years if tie == "years" else day

    ranked = sorted((name for name in PEOPLE if name != withdrawn), key=place)
    return {
        "gone": {"name": withdrawn, "pronoun": "he" if withdrawn == "Thomas Aerts" else "she"},
        "worth": {"languages": languages, "linux": linux, "horticulture": horticulture},
        "tie": TIES[tie],
        "other_tie": next(words for name, words in TIES.items() if name != tie),
        "called": [name.split()[-1].lower() for name in ranked[:2]],
        "key": {"ranked": [[name, points[name]] for name in ranked], "withdrawn": withdrawn},
    }


CANONICAL = values("Marta Kruger", languages=2, linux=2, horticulture=1, tie="years")


def draw(random):
    return values(
        withdrawn=random.choice(sorted(PEOPLE)),
        languages=random.randrange(1, 5),
        linux=random.randrange(1, 5),
        horticulture=random.randrange(1, 5),
        tie=random.choice(sorted(TIES)),
    )
