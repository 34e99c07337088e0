"""Who left, and why: other customers have stayed, and those who left say other reasons."""

ACTIVE = {"be": 52, "nl": 41, "de": 29, "fr": 18}
REASONS = ["chose another product", "closed the business", "too expensive", "went back to paper"]
# Number: country, what they paid in a month, why they left.
LEFT = {
    "C1010": ("be", 855, "too expensive"),
    "C1028": ("be", 141, "chose another product"),
    "C1035": ("de", 297, "closed the business"),
    "C1038": ("de", 2748, "closed the business"),
    "C1049": ("de", 534, "went back to paper"),
    "C1050": ("nl", 612, "closed the business"),
    "C1052": ("de", 1023, "closed the business"),
    "C1060": ("fr", 2046, "too expensive"),
    "C1076": ("nl", 87, "chose another product"),
    "C1080": ("fr", 345, "too expensive"),
    "C1083": ("be", 768, "too expensive"),
    "C1084": ("de", 690, "chose another product"),
    "C1087": ("nl", 117, "chose another product"),
    "C1100": ("nl", 195, "closed the business"),
    "C1102": ("be", 1587, "closed the business"),
    "C1103": ("be", 519, "closed the business"),
    "C1108": ("de", 657, "too expensive"),
    "C1115": ("nl", 1920, "closed the business"),
    "C1117": ("de", 777, "closed the business"),
    "C1118": ("de", 1599, "chose another product"),
    "C1122": ("be", 606, "too expensive"),
    "C1127": ("fr", 405, "went back to paper"),
}


def line(active, gone):
    """A country's line: those active, those who left, their share, what they paid, the reason given most often."""
    told = [reason for _, _, reason in gone]
    most = max(REASONS, key=told.count)
    share = round(100 * len(gone) / (active + len(gone)), 1)
    return [active, len(gone), share, sum(fee for _, fee, _ in gone), most]


def is_clear(gone):
    """Does one reason lead?"""
    told = [reason for _, _, reason in gone]
    first, second = sorted((told.count(reason) for reason in REASONS), reverse=True)[:2]
    return first > second


def values(left):
    parts = {country: [one for one in left.values() if one[0] == country] for country in ACTIVE}
    stayed = {country: sum(one[0] == country for one in LEFT.values()) - len(parts[country]) for country in ACTIVE}
    active = {country: number + stayed[country] for country, number in ACTIVE.items()}
    lines = {country: line(active[country], gone) for country, gone in parts.items()}
    lines["all"] = line(sum(active.values()), list(left.values()))
    return {
        "stayed": sorted(LEFT.keys() - left.keys()),
        "reasons": {number: reason for number, (_, _, reason) in left.items()},
        "key": {"lines": lines},
    }


CANONICAL = values(LEFT)


def draw(random):
    """At least two in a country have left, and everywhere one reason is given most often."""
    while True:
        left = {
            number: (country, fee, random.choice(REASONS))
            for number, (country, fee, _) in LEFT.items()
            if random.random() < 0.75
        }
        parts = [[one for one in left.values() if one[0] == country] for country in ACTIVE]
        if all(len(gone) >= 2 and is_clear(gone) for gone in [*parts, list(left.values())]):
            return values(left)
