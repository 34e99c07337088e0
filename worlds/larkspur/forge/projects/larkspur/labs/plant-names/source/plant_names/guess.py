"""The best guesses for a name, with how sure we are."""

from plant_names.distance import distance
from plant_names.names import KNOWN, plain

UNSURE = 0.35


def guesses(name, known=KNOWN, most=3):
    """(known name, distance a letter), the nearest first; what is too far away is left out."""
    wanted = plain(name)
    if not wanted:
        return []
    found = []
    for one in known:
        target = plain(one)
        share = distance(wanted, target) / max(len(wanted), len(target))
        if share <= UNSURE:
            found.append((one, round(share, 3)))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))[:most]
