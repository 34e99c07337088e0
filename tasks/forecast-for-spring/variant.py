"""What changes for the three teams: other amounts, and another month from which the telephone is dearer."""

DRAFT = {
    "Leadership": 2400,
    "Operations": 3300,
    "Finance": 1200,
    "People": 2400,
    "Product": 2700,
    "Customers": 6000,
    "Engineering": 7200,
}


def values(load_tests, course, telephone, new_contract, fire_safety, newsletter, trip):
    months = {"May": 2, "June": 1}[new_contract]
    forecasts = {
        "Engineering": DRAFT["Engineering"] + load_tests + course,
        "Operations": DRAFT["Operations"] + telephone * months + fire_safety,
        "Customers": DRAFT["Customers"] + newsletter - trip,
    }
    return {
        "load_tests": load_tests,
        "course": course,
        "telephone": telephone,
        "new_contract": new_contract,
        "old_contract": {"May": "April is", "June": "April and May are"}[new_contract],
        "months": months,
        "fire_safety": fire_safety,
        "newsletter": newsletter,
        "trip": trip,
        "key": {"forecasts": forecasts, "sum": sum((DRAFT | forecasts).values())},
    }


CANONICAL = values(950, 300, 12, "May", 444, 300, 700)


def draw(random):
    newsletter, trip = random.sample(range(150, 960, 10), 2)
    return values(
        load_tests=random.randrange(400, 1000, 10),
        course=random.randrange(150, 600, 10),
        telephone=random.randrange(11, 60),
        new_contract=random.choice(["May", "June"]),
        fire_safety=random.randrange(210, 700),
        newsletter=newsletter,
        trip=trip,
    )
