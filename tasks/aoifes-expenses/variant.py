"""What is on the receipts, and the two figures that only Tomas has."""


def values(lunch, taxi, dinner, minibar, licence, fine, kilometres, franc, full_day):
    paid = {
        "lunch": min(50.0, lunch),
        "taxi": round(taxi * franc, 2),
        "half_day": full_day / 2,
        "licence": licence,
        "car": round(kilometres * 0.44, 2),
    }
    paid["total"] = round(sum(paid.values()) + full_day / 2, 2)
    refused = [
        [18, dinner],
        [18, round(dinner * franc, 2)],
        [19, minibar],
        [19, round(minibar * franc, 2)],
        [26, fine],
    ]
    return {
        "lunch": lunch,
        "taxi": taxi,
        "dinner": dinner,
        "minibar": minibar,
        "licence": licence,
        "fine": fine,
        "kilometres": kilometres,
        "franc": franc,
        "full_day": full_day,
        "refused": refused,
        "key": paid,
    }


CANONICAL = values(64.0, 38.0, 42.0, 9.5, 89.0, 30.0, 98, 1.06, 60)


def draw(random):
    """A lunch above or below what we pay; nothing that is refused has the amount of something that is paid."""
    while True:
        found = values(
            lunch=random.randrange(380, 900) / 10,
            taxi=random.randrange(50, 110) / 2,
            dinner=random.randrange(60, 130) / 2,
            minibar=random.randrange(10, 40) / 2,
            licence=float(random.randrange(55, 190)),
            fine=float(random.choice([20, 25, 30, 35, 40, 45])),
            kilometres=random.randrange(86, 124, 2),
            franc=random.choice([1.03, 1.04, 1.05, 1.07, 1.08, 1.09]),
            full_day=random.choice([52, 54, 56, 58, 62, 64, 66, 68]),
        )
        paid = [
            amount for name in ("taxi", "half_day", "car") for amount in (found["key"][name], 2 * found["key"][name])
        ]
        if not {amount for _, amount in found["refused"]} & set(paid):
            return found
