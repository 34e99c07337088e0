"""How far two names are apart: an edit distance in which usual mistakes are cheap."""

CHEAP = {frozenset(pair) for pair in ("ei", "ae", "ck", "cz", "fv", "iy", "sz", "td", "ou")}


def cost(one, other):
    if one == other:
        return 0.0
    return 0.4 if frozenset((one, other)) in CHEAP else 1.0


def distance(one, other):
    """The least sum of costs to turn one name into the other; a doubled letter costs little."""
    before = [float(number) for number in range(len(other) + 1)]
    for row, letter in enumerate(one, 1):
        line = [float(row)]
        for column, wanted in enumerate(other, 1):
            gone = 0.3 if row > 1 and one[row - 2] == letter else 1.0
            extra = 0.3 if column > 1 and other[column - 2] == wanted else 1.0
            line.append(min(before[column] + gone, line[-1] + extra, before[column - 1] + cost(letter, wanted)))
        before = line
    return before[-1]
