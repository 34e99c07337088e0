"""What the five wish for: other articles, and other numbers of them. Beatriz wishes for nothing, whatever is drawn."""

CENTRES = {"Lena Fischer": 700, "Arjun Mehta": 700, "Yusuf Demir": 500, "Aoife Byrne": 600}
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
PRICES = {
    "KL-1031": 39.9,
    "KL-2005": 219.0,
    "KL-2006": 319.0,
    "KL-2100": 54.5,
    "KL-2101": 119.0,
    "KL-2110": 29.9,
    "KL-2111": 48.0,
    "KL-2200": 45.0,
    "KL-2201": 159.0,
    "KL-2300": 129.0,
    "KL-2310": 34.5,
    "KL-3010": 14.9,
}
# What Lena may wish for: the thing, how she tells it from others, and why.
LENA = {
    "KL-2101": ("split keyboard", "The one in two halves.", "My wrists vote for it."),
    "KL-2100": ("quiet keyboard", "The quiet one, in one piece.", "The split one was not for me."),
    "KL-1031": ("desk lamp", "There is only one kind, with warm light.", "The evenings are still dark."),
    "KL-2300": ("docking station", "There is only one kind, I believe.", "I have run out of sockets."),
    "KL-2310": ("laptop stand", "There is only one kind.", "My neck votes for it."),
}
MICE = {"KL-2111": "upright", "KL-2110": "wireless"}
HEADSETS = {"KL-2201": "quiet wireless", "KL-2200": "wired"}


def values(lena, inches, monitors, mouse, packs, headset, headsets):
    wishes = [
        (lena, 1, "Lena Fischer"),
        ({32: "KL-2006", 27: "KL-2005"}[inches], monitors, "Arjun Mehta"),
        (mouse, 1, "Yusuf Demir"),
        ("KL-3010", packs, "Yusuf Demir"),
        (headset, headsets, "Aoife Byrne"),
    ]
    return {
        "lena": dict(zip(("thing", "which", "why"), LENA[lena], strict=True)),
        "arjun": {
            "count": NUMBERS[monitors],
            "inches": inches,
            "other": {32: 27, 27: 32}[inches],
            "size": {32: "larger", 27: "smaller"}[inches],
        },
        "yusuf": {
            "mouse": MICE[mouse],
            "a_mouse": f"{'An' if MICE[mouse] == 'upright' else 'A'} {MICE[mouse]} mouse",
            "other_mouse": {"upright": "wireless", "wireless": "upright"}[MICE[mouse]],
            "packs": f"{NUMBERS[packs]} {'pack' if packs == 1 else 'packs'}",
            "count": NUMBERS[packs],
        },
        "aoife": {
            "count": NUMBERS[headsets],
            "headset": HEADSETS[headset],
            "other_headset": {"quiet wireless": "wired", "wired": "wireless"}[HEADSETS[headset]],
            "all": "both" if headsets == 2 else "all",
            "helpers": "somebody sits" if headsets == 2 else "there are more of us",
            "one": "one is" if headsets == 2 else "the others are",
        },
        "key": {
            "wishes": [[article, count, PRICES[article], name, CENTRES[name]] for article, count, name in wishes],
            "total": round(sum(count * PRICES[article] for article, count, _ in wishes), 2),
        },
    }


CANONICAL = values("KL-2101", 32, 2, "KL-2111", 1, "KL-2201", 2)


def draw(random):
    """At least three monitors of the smaller kind, so that the delivery is free in every variant."""
    inches = random.choice([27, 32])
    return values(
        lena=random.choice(sorted(LENA)),
        inches=inches,
        monitors=random.randrange(3, 5) if inches == 27 else random.randrange(2, 5),
        mouse=random.choice(sorted(MICE)),
        packs=random.randrange(1, 5),
        headset=random.choice(sorted(HEADSETS)),
        headsets=random.randrange(2, 5),
    )
