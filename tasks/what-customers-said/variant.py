"""What people answered: everybody who took part has the opinion that somebody had, in this variant another one."""

WISHES = [
    "copy last year's week",
    "who changed a shift",
    "print on one page",
    "holidays per country",
    "swap with three people",
]
# The world's answers in their order: country, how satisfied, how likely to recommend, which wish first.
ANSWERED = """
DE-2-3-0 BE-5-10-2 FR-4-5-4 NL-5-8-1 BE-3-7-3 BE-4-8-2 FR-3-5-0 BE-3-6-1 NL-4-10-0 BE-5-9-1 FR-5-8-0 BE-3-6-4
NL-2-5-0 DE-5-10-2 BE-3-5-2 FR-5-7-0 FR-4-8-3 FR-3-6-0 NL-5-10-0 BE-4-7-1 BE-3-6-0 NL-3-4-3 BE-3-5-1 NL-4-7-4
DE-2-5-0 NL-2-5-3 FR-4-4-2 FR-2-3-0 NL-4-7-1 DE-3-7-0 NL-4-9-2 BE-5-10-2 NL-5-10-3 NL-5-10-4 NL-5-7-3 FR-3-5-0
DE-3-6-2 BE-5-10-4 NL-4-9-0 FR-3-5-0 NL-3-7-2 DE-4-10-0 FR-2-3-0 FR-4-7-1 FR-5-9-3 BE-5-7-3 NL-4-7-3 DE-5-9-0
BE-4-7-1 BE-4-9-2 NL-4-6-1 NL-3-5-0 BE-3-6-1 BE-5-9-2 BE-4-10-1 FR-2-3-1 BE-4-8-1 BE-2-4-4 BE-4-7-2 DE-5-10-1
DE-3-7-3 NL-4-7-1 DE-2-3-2 BE-3-7-1 FR-5-7-0 NL-5-10-2 BE-5-8-1 BE-5-10-1 BE-2-3-2 BE-2-4-0 NL-3-7-0 DE-4-9-4
DE-5-10-0 DE-4-8-1 DE-4-7-2 BE-3-5-3 BE-4-10-2 NL-4-7-2 NL-4-6-1 BE-5-10-0 NL-3-5-3 DE-3-6-1 NL-5-10-0 DE-4-8-1
BE-4-8-0 NL-4-8-1 NL-4-8-0 NL-2-6-0 DE-1-2-0 BE-5-8-0 NL-5-10-1 NL-4-8-1 NL-3-4-0 NL-4-6-3 BE-3-5-0 BE-5-9-1
BE-3-5-1
"""
ANSWERS = ANSWERED.split()


def line(opinions):
    """How many answered, how satisfied they are, and how many per cent more recommend us than do not."""
    gave = [recommend for _, recommend, _ in opinions]
    share = 100 * (sum(one >= 9 for one in gave) - sum(one <= 6 for one in gave)) / len(gave)
    return [len(opinions), round(sum(satisfied for satisfied, _, _ in opinions) / len(opinions), 1), round(share)]


def values(sources):
    """`sources` says of each answer whose opinion it has, by its place."""
    countries = [one.split("-")[0] for one in ANSWERS]
    known = [[int(part) for part in one.split("-")[1:]] for one in ANSWERS]
    opinions = [known[source] for source in sources]
    lines = {
        name.lower(): line([one for one, country in zip(opinions, countries, strict=True) if country == name])
        for name in ("BE", "NL", "DE", "FR")
    }
    wishes = [wish for _, _, wish in opinions]
    first = max(range(len(WISHES)), key=wishes.count)
    return {
        "sources": sources,
        "others": [wish for wish in WISHES if wish != WISHES[first]],
        "key": {"wish": WISHES[first], "lines": {**lines, "all": line(opinions)}},
    }


CANONICAL = values(list(range(len(ANSWERS))))


def draw(random):
    """Opinions of those who want a drawn wish first are held more often, so that it leads by three at least."""
    while True:
        favourite = str(random.randrange(len(WISHES)))
        weights = [random.choice((1, 2, 3)) * (3 if one.endswith(favourite) else 1) for one in ANSWERS]
        sources = random.choices(range(len(ANSWERS)), weights, k=len(ANSWERS))
        wishes = [ANSWERS[source][-1] for source in sources]
        first, second = sorted((wishes.count(wish) for wish in "01234"), reverse=True)[:2]
        if first >= second + 3:
            return values(sources)
