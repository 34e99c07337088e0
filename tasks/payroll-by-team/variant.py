"""What everybody earns. The canonical variant is the list as the world has it."""

TEAMS = {
    "Leadership": {"ines.carvalho": 6900},
    "Operations": {"mara.lindqvist": 4650, "noor.haddad": 3050, "sam.reed": 2950},
    "Finance": {"tomas.okafor": 4800, "beatriz.ramos": 3300},
    "People": {"hana.sato": 4350, "felix.brandt": 3500},
    "Product": {"priya.nair": 4700, "yusuf.demir": 3850},
    "Customers": {"luca.moretti": 4400, "aoife.byrne": 3100, "marek.nowak": 3450, "jana.weber": 3350},
    "Engineering": {
        "jonas.weber": 5600,
        "lena.fischer": 4600,
        "arjun.mehta": 4250,
        "chidi.eze": 4550,
        "sofia.papadaki": 3900,
        "mateo.vargas": 3600,
        "ewa.kowalska": 4000,
    },
}


def values(teams, changed):
    return {
        "changed": changed,
        "earns": {username: amount for each in teams.values() for username, amount in each.items()},
        "key": {"salaries": {team: list(each.values()) for team, each in teams.items()}},
    }


CANONICAL = values(TEAMS, changed=False)


# What their contracts on the drive say: nobody has less since, and Sam's begins today.
LEAST = {"sofia.papadaki": 0, "jana.weber": 0, "mateo.vargas": 0}
BEGINS = {"sam.reed"}


def draw(random):
    raised = {
        team: {
            username: amount + 10 * random.randrange(LEAST.get(username, -35), 60) * (username not in BEGINS)
            for username, amount in each.items()
        }
        for team, each in TEAMS.items()
    }
    return values(raised, changed=True)
