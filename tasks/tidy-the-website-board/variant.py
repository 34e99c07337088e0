"""What was added to the board last: which items are there twice, and which lack a module or a date.

The first fifteen items are the same in every variant; four of them lack the module.
"""

FIRST = 16
HOMELESS = [8, 11, 12, 15]
# Number of the earlier one: what may be its twin. Names and labels are YAML.
TWINS = {
    8: (
        "Front page for 2.0",
        "launch",
        "luca.moretti",
        'The same as "New front page for Trellis 2.0". I did not see that we have it.',
    ),
    11: ("What 2.0 costs", "[text, launch]", "luca.moretti", "Twice, I think: Priya has the price page."),
    12: (
        "Mail to everybody who subscribed",
        "[text, launch]",
        "luca.moretti",
        "Twice, I think: Jana has the newsletter.",
    ),
    13: (
        "Magazines get the press kit",
        "launch",
        "jana.weber",
        'The same as "Send the press kit to the trade papers". Sorry, Mara.',
    ),
    15: (
        "Three pictures of a planned week",
        "[picture, launch]",
        "jana.weber",
        "Twice, I think: Sam has the screenshots.",
    ),
}
# Name, state, priority, assignees, labels, who added it.
FOOTER = ("Footer with the new address for the press", "Todo", "low", "jana.weber", "[text, launch]", "jana.weber")
ALT_TEXTS = (
    '"Alt texts for all pictures of the front page"',
    "In Progress",
    "medium",
    "yusuf.demir",
    "[picture, launch]",
    "yusuf.demir",
)
OF_THE_LAUNCH = [
    FOOTER,
    ALT_TEXTS,
    ("Questions and answers about 2.0", "In Progress", "medium", "priya.nair", "[text, launch]", "priya.nair"),
    ("Old addresses lead to the new pages", "Todo", "high", "arjun.mehta", "[build, launch]", "arjun.mehta"),
    ("Icons of the new menu", "Todo", "medium", "yusuf.demir", "[picture, launch]", "luca.moretti"),
    ("Page that thanks whoever signs up", "In Progress", "low", "jana.weber", "[text, launch]", "jana.weber"),
]
NOT_OF_THE_LAUNCH = [
    ("Imprint names the new opening hours", "Todo", "low", "hana.sato", "text", "hana.sato"),
    ("Links to the old manual are dead", "In Progress", "medium", "arjun.mehta", "build", "luca.moretti"),
    ("Portraits of the new colleagues", "Todo", "low", "hana.sato", "picture", "hana.sato"),
    ("Map of the way to the office", "In Progress", "low", "mara.lindqvist", "picture", "mara.lindqvist"),
]
SUMMER = ("Pictures of the summer party", "Backlog", "low", "", "picture", "hana.sato")
FOR_SOME_DAY = [
    SUMMER,
    ("Calendar of the fairs in autumn", "Backlog", "low", "", "text", "luca.moretti"),
    ("Page for schools", "Backlog", "none", "", "[text, launch]", "priya.nair"),
    ("Launch film with subtitles", "Backlog", "low", "", "[picture, launch]", "luca.moretti"),
]
TIMES = ["14:20", "14:31", "14:40", "14:52", "15:05", "15:12", "15:26"]
DAYS = ["2026-03-11", "2026-03-12", "2026-03-16"]


def item(name, state, priority, assignees, labels, by, due=""):
    return {
        "name": name,
        "state": state,
        "priority": priority,
        "assignees": assignees,
        "labels": labels,
        "due": due,
        "by": by,
        "description": "",
    }


def twin(earlier):
    name, labels, by, description = TWINS[earlier]
    return {**item(name, "Todo", "none", "", labels, by), "description": description, "earlier": earlier}


def values(later):
    """`later`: the items after the first fifteen, in their order."""
    numbered = list(enumerate(later, FIRST))
    others = [(number, one) for number, one in numbered if "earlier" not in one and one["state"] != "Backlog"]
    return {
        "later": [{**one, "at": at} for one, at in zip(later, TIMES, strict=False)],
        "key": {
            "twins": [[number, one["earlier"]] for number, one in numbered if "earlier" in one],
            "module": HOMELESS + [number for number, one in others if "launch" in one["labels"]],
            "due": [number for number, one in others if not one["due"]],
        },
    }


CANONICAL = values([twin(8), twin(15), item(*FOOTER), item(*ALT_TEXTS), item(*SUMMER)])


def draw(random):
    """Two twins, six items for the module and two without a date, as in the canonical variant."""
    later = [twin(earlier) for earlier in random.sample(sorted(TWINS), 2)]
    dated = random.randrange(3)
    for at, one in enumerate(random.sample(OF_THE_LAUNCH, 2)):
        later.append(item(*one, due=random.choice(DAYS) if at < dated else ""))
    later += [item(*one) for one in random.sample(NOT_OF_THE_LAUNCH, dated)]
    later.append(item(*random.choice(FOR_SOME_DAY)))
    random.shuffle(later)
    return values(later)
