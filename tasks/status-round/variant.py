"""How the six items stand: four of them have moved on or back since somebody last looked after the board."""

BEFORE = {
    "15": "todo",
    "16": "in review",
    "20": "in progress",
    "23": "todo",
    "25": "in progress",
    "28": "in review",
}
# What each of the six may say of their item: the state, what they answer, and the same again in other words.
# The first is what they say in the canonical variant.
TOLD = {
    "15": {
        "todo": (
            "The deploy is on the morning of the 16th and not a minute earlier. So it is still to do, exactly as "
            "it says.",
            "Todo. Before the 16th, 07:00, there is nothing to do for it.",
            "Not begun, because it cannot be. Todo.",
        ),
        "in progress": (
            "The deploy itself is on the morning of the 16th, but getting ready is part of it, and I am at that. "
            "In progress, then.",
            "In Progress: step one, getting ready, is under way.",
            "Preparing it is part of it, and I prepare. So it is in progress.",
        ),
        "in review": (
            "For the morning of the 16th all is prepared, and Lena reads the script before it runs. It is in review.",
            "In Review: the script is written, and Lena has it.",
            "Lena reads it before anything runs, and until she has it stays in review.",
        ),
    },
    "16": {
        "done": (
            "the week view was merged on friday, and ewa has checked it since. that one is done",
            "done, yes. merged friday, and ewa has seen it scroll",
            "ewa checked it after the merge, so done",
        ),
        "in progress": (
            "the week view came back to me on friday, it jumps when one scrolls fast. at it again, so in progress",
            "in progress: it jumps, i fix",
            "not finished, it still jumps when you are fast, so in progress",
        ),
        "in review": (
            "yusuf has not had time for the week view yet. it is in review, as the board has it",
            "in review: yusuf's eyes, when he has a minute",
            "waits for yusuf, so in review",
        ),
    },
    "20": {
        "in review": (
            "Tablets: I have finished, but Jonas has not looked at it yet. In review, then; do not call it done, "
            "he will notice.",
            "My part is finished, Jonas's is not. In Review!",
            "It waits for Jonas, so In Review and not one step further.",
        ),
        "done": (
            "Tablets: Jonas has read it, it is in main, and every tablet in the office wakes up. Done!",
            "Really done! Jonas has read it and it is in main.",
            "All tablets wake up, so Done.",
        ),
        "in progress": (
            "Tablets: the fake battery passes, one real tablet does not. So it is in progress, like before.",
            "In Progress: one real tablet sleeps on, do you have a hammer?",
            "Not there yet, one tablet still shows the old plan, so In Progress.",
        ),
    },
    "23": {
        "in progress": (
            "The import report? I began on it this morning, so it is in progress.",
            "In Progress, since this morning.",
            "I have begun, and no more than that. So in progress.",
        ),
        "in review": (
            "The import report? I wrote it on Friday, and Arjun is reading it. It is in review.",
            "In Review: written on my side, not yet read on Arjun's.",
            "Arjun has not finished reading, so it stays in review.",
        ),
        "todo": (
            "The import report? I have not come to it. It is still to do.",
            "Todo. The scheduler comes first.",
            "Nobody has begun it, so it is still to do.",
        ),
        "done": (
            "The import report? That was quick: written on Friday, read by Arjun, merged. It is done.",
            "Done. Arjun has read it, and it is merged.",
            "Merged, with a test. Done.",
        ),
    },
    "25": {
        "in progress": (
            "Two of the three phones are through, the third comes tomorrow. Still in progress until I have seen "
            "all three.",
            "In Progress: two of three.",
            "I call nothing done that I have not seen on all three, so In Progress it is.",
        ),
        "done": (
            "The third phone came on Friday afternoon after all, and I have seen all three. You may call it done.",
            "Done. Three of three.",
            "All three passed on Friday. Done.",
        ),
        "in review": (
            "I have seen all three phones now, and Yusuf reads my notes. Until he has, it is in review.",
            "In Review: three phones seen, notes not yet read.",
            "Yusuf has my notes, and it stays in review until he is through.",
        ),
    },
    "28": {
        "done": (
            "The summer time thing went in this morning, with a test that failed before it. Reviewed by Lena. Done.",
            "Done, with a test that failed before.",
            "It is in main since this morning, so Done.",
        ),
        "in progress": (
            "The summer time thing: Lena found a second place that counts 168 hours. I took it back. In progress.",
            "In Progress, because of the second place.",
            "168 hours in a second place, so it is open again, In Progress.",
        ),
        "in review": (
            "The summer time thing is with Lena, and she has not read it to the end. In review.",
            "In Review, with Lena.",
            "Lena reads carefully and has not come to the end, so In Review.",
        ),
    },
}
# Whose item it is, what it is called, what it is spoken of by, and how they greet.
PEOPLE = {
    "15": ("Chidi Eze", "the deploy", "deploy", "Hello ${sender}."),
    "16": ("Arjun Mehta", "the week view", "week view|scroll", "Hi ${sender}, what is up?"),
    "20": ("Mateo Vargas", "tablets with battery saving", "tablets?|battery", "Hey ${sender}!"),
    "23": ("Lena Fischer", "the import report", "import report|latin", "Morning ${sender}."),
    "25": ("Ewa Kowalska", "swaps on three kinds of phone", "phones?|swaps?", "Hello ${sender}, how can I help?"),
    "28": ("Jonas Weber", "summer time", "summer|clock change|time change|168", "Morning. Link?"),
}


def values(states):
    people = []
    for number, state in states.items():
        name, called, words, greeting = PEOPLE[number]
        answer, *again = TOLD[number][state]
        one = {"name": name, "number": number, "state": state, "called": called, "words": words}
        people.append({**one, "answer": answer, "again": again, "greeting": greeting})
    return {"people": people, "before": BEFORE, "key": {"states": states}}


CANONICAL = values({number: next(iter(told)) for number, told in TOLD.items()})


def draw(random):
    """Two items are in the state in which the board has them, the other four in another."""
    same = random.sample(list(BEFORE), 2)
    others = {number: [state for state in told if state != BEFORE[number]] for number, told in TOLD.items()}
    return values({number: BEFORE[number] if number in same else random.choice(others[number]) for number in BEFORE})
