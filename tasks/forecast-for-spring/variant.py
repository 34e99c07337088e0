"""What changes for the three teams: other amounts. What the telephone costs from May on is known in the company."""

DRAFT = {
    "Leadership": 2400,
    "Operations": 3300,
    "Finance": 1200,
    "People": 2400,
    "Product": 2700,
    "Customers": 6000,
    "Engineering": 7200,
}


TELEPHONE, MONTHS = 12, 2


def values(load_tests, course, fire_safety, newsletter, trip):
    forecasts = {
        "Engineering": DRAFT["Engineering"] + load_tests + course,
        "Operations": DRAFT["Operations"] + TELEPHONE * MONTHS + fire_safety,
        "Customers": DRAFT["Customers"] + newsletter - trip,
    }
    return {
        "load_tests": load_tests,
        "course": course,
        "fire_safety": fire_safety,
        "newsletter": newsletter,
        "trip": trip,
        "key": {"forecasts": forecasts, "sum": sum((DRAFT | forecasts).values())},
    }


CANONICAL = values(950, 300, 444, 300, 700)


def draw(random):
    newsletter, trip = random.sample(range(150, 960, 10), 2)
    return values(
        load_tests=random.randrange(400, 1000, 10),
        course=random.randrange(150, 600, 10),
        fire_safety=random.randrange(210, 700),
        newsletter=newsletter,
        trip=trip,
    )
