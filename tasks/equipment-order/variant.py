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
# What Lena may wish for: in her words, and for a model that plays her.
LENA = {
    "KL-2101": ("One split keyboard, please, the one in two halves. My wrists vote for it.", "one split keyboard"),
    "KL-2100": ("One quiet keyboard, please, in one piece. The split one was not for me.", "one quiet keyboard"),
    "KL-1031": ("One desk lamp, please. The evenings are still dark.", "one desk lamp"),
    "KL-2300": ("One docking station, please. I have run out of sockets.", "one docking station"),
    "KL-2310": ("One laptop stand, please. My neck votes for it.", "one laptop stand"),
}
MICE = {"KL-2111": "upright", "KL-2110": "wireless"}
HEADSETS = {"KL-2201": "quiet wireless", "KL-2200": "wired"}


def values(lena, inches, monitors, mouse, packs, headset, headsets):
    other = {32: 27, 27: 32}[inches]
    size = {32: "larger", 27: "smaller"}[inches]
    a_mouse = f"{'An' if MICE[mouse] == 'upright' else 'A'} {MICE[mouse]} mouse"
    of_packs = "pack" if packs == 1 else "packs"
    wishes = [
        (lena, 1, "Lena Fischer"),
        ({32: "KL-2006", 27: "KL-2005"}[inches], monitors, "Arjun Mehta"),
        (mouse, 1, "Yusuf Demir"),
        ("KL-3010", packs, "Yusuf Demir"),
        (headset, headsets, "Aoife Byrne"),
    ]
    return {
        "lena": {"reply": LENA[lena][0], "wish": f"You wish for {LENA[lena][1]}. Nothing else."},
        "arjun": {
            "reply": f"{NUMBERS[monitors].capitalize()} of the {size} monitors, please: {inches} inch, not {other}. "
            "They go on the wall of charts, so no arms.",
            "wish": f"You wish for {NUMBERS[monitors]} {'large ' if inches == 32 else ''}monitors of {inches} inches, "
            f"for the wall of charts. Not the {other} inch ones. No arms.",
            "hint": f"Say {NUMBERS[monitors]} of the {'large' if inches == 32 else 'small'} monitors; "
            f"when asked which, say {inches} inches.",
        },
        "yusuf": {
            "reply": f"{a_mouse}, and {NUMBERS[packs]} {of_packs} of the A5 notebooks. I still draw on paper.",
            "wish": f"You wish for one {MICE[mouse]} mouse and {NUMBERS[packs]} {of_packs} of A5 notebooks.",
        },
        "aoife": {
            "reply": f"{NUMBERS[headsets].capitalize()} of the {HEADSETS[headset]} headsets: mine is dying, and in "
            f"launch week {'somebody sits' if headsets == 2 else 'there are more of us'} beside me. "
            f"Put {'both' if headsets == 2 else 'all'} on my name.",
            "wish": f"You wish for {NUMBERS[headsets]} {HEADSETS[headset]} headsets: one is for you, "
            f"{'one' if headsets == 2 else 'the others'} for whoever helps on the telephone in launch week. "
            f"{'Both' if headsets == 2 else 'All'} go on your name.",
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
