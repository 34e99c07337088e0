"""Which contract the lawyers are to read, and how long and how well locked our policy wants a link to be."""

# The file, what it is about, the other party, the last month.
CONTRACTS = {
    "2024-05-01-contract-noordzee-telecom.docx": ("telephone", "Noordzee Telecom", "April"),
    "2025-07-01-contract-koepel-verzekeringen.docx": ("insurance", "Koepel Verzekeringen", "June"),
    "2023-09-01-contract-stadsfiets-leasing.docx": ("bicycle", "Stadsfiets Leasing", "August"),
    "2025-01-01-contract-brightwater-hosting.docx": ("server", "Brightwater Hosting", "December"),
}
DAYS, SIGNS = 14, 12


def values(contract, days, signs):
    about, party, month = CONTRACTS[contract]
    return {
        "about": about,
        "party": party,
        "party_word": party.split()[0].lower(),
        "month": month,
        "key": {"contract": contract, "days": days, "signs": signs},
    }


CANONICAL = values("2024-05-01-contract-noordzee-telecom.docx", DAYS, SIGNS)


def draw(random):
    """Another length of time and of the password than the world's policy has, so that nobody knows it by heart."""
    return values(
        contract=random.choice(sorted(CONTRACTS)),
        days=random.choice([days for days in range(4, 22) if days != DAYS]),
        signs=random.randrange(SIGNS + 1, 25),
    )
