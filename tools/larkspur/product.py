"""Product's folder: the roadmap as pptx and odp, the research notes as odt, the launch slides of Marketing."""

from __future__ import annotations

from tools.larkspur.containers import slides
from tools.larkspur.opendocument import odp, odt

ROADMAP = (
    ("Where we are", ("Catalogue import: done, three formats", "Shift swaps: done, without undo",
                      "Time zones and summer time: in review", "Launch of Trellis 2.0: Monday 16 March 2026, 09:00")),
    ("Order until the launch", ("1. Import", "2. Swaps", "3. Time zones", "4. Launch",
                                "Everything else is after 16 March or never")),
    ("Sprint 7, 9 to 20 March", ("Launch on the 16th", "Fixes only, each with a test that failed before",
                                 "Roll back a bad plan with one button")),
    ("Sprint 8, 23 March to 3 April", ("What customers ask for most, ranked by the rule in the handbook",
                                       "Plans for the night of 29 March are watched by Lena and Ewa")),
    ("Second quarter", ("Holiday calendars for four countries", "Reports for the owner: hours and cost of a week",
                        "The fourth catalogue format, if a customer still needs it")),
    ("Not planned", ("Fax export", "A USB stick", "Scheduling the cat")),
)  # fmt: skip

LAUNCH = (
    ("What is new", ("Bring your plant catalogue: a spreadsheet is enough",
                     "Two people swap a shift, you see it at once",
                     "The week of the clock change adds up")),
    ("A pilot says", ("Greenacre Nursery, Ghent, since 24 February 2026", "“The week finally fits on one screen.”",
                      "“We plan Saturday in ten minutes now.”")),
    ("Speed", ("140 garden centres planning at once: 95 % of answers within 410 ms",
               "300 at once: within 900 ms", "The biggest nursery's week: eleven times faster than in 1.5")),
    ("Price", ("From 16 March 2026: 45 EUR a month for each site with up to five people",
               "Each further person 6 EUR", "Signed before 16 March: 39 EUR", "All without VAT")),
    ("On the day", ("07:00 deploy: Jonas and Chidi", "09:00 live", "Support telephone from 07:30: Luca, then Mara",
                    "Press: Jana, press@larkspur.test")),
)  # fmt: skip

_DE_LINDE = (
    ("Who and when", ("Tuinhuis De Linde, Utrecht, Thursday 15 January 2026. Luca Moretti and Yusuf Demir, three "
                      "hours, in the greenhouse and at the till.",)),
    ("What we saw", ("- The week is printed, hung on the door and changed with a pencil.",
                     "- Of 40 pencil marks on four weeks, 32 were swaps of two people.",
                     "- Tablets are held at arm's length, often with wet gloves. Tapping happens by accident.",
                     "- The planner needs 35 minutes for a week, ten of them for the watering rounds.")),
    ("What they said", ("“I do not want to be asked whether I am sure by a machine.”",
                        "“If it does not fit on one page it does not hang on the door.”")),
    ("What follows", ("- Swaps first. Hold, not tap.", "- Printing on one page is a request, with two names.",
                      "- Try the swap screen again with gloves.")),
)  # fmt: skip
_SWAPS = (
    ("Question", ("How do people in a greenhouse say yes to a swap?",)),
    ("Method", ("Nine people at Fernhill and Kwekerij Van Damme, 3 to 5 February 2026, three ways each: tap, hold, "
                "drag. Dry hands, then wet gloves.",)),
    ("Result", ("- Tap: nine of nine with dry hands, four of nine with gloves, and six accidental swaps.",
                "- Hold: nine of nine with dry hands, eight of nine with gloves, no accident.",
                "- Drag: seven of nine with dry hands, two of nine with gloves.")),
    ("Decision", ("Hold for 0.6 seconds. The button says “swap” in all four languages.",)),
)  # fmt: skip


def files() -> dict[str, bytes]:
    product, marketing = "drive/files/Product", "drive/files/Marketing"
    subtitle = "Priya Nair, 6 March 2026"
    return {
        f"{product}/2026-q1-roadmap.pptx": slides("Trellis: roadmap", subtitle, ROADMAP),
        f"{product}/2026-q1-roadmap.odp": odp([("Trellis: roadmap", (subtitle,)), *ROADMAP]),
        f"{product}/Research/2026-01-15-visit-tuinhuis-de-linde.odt": odt("Visit to Tuinhuis De Linde", _DE_LINDE),
        f"{product}/Research/2026-02-swap-gestures.odt": odt("Saying yes to a swap", _SWAPS),
        f"{marketing}/2026-03-16-launch-slides.pptx": slides(
            "Trellis 2.0", "Who waters, who sells, who drives", LAUNCH
        ),
    }
