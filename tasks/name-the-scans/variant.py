"""What lies in the folder: whose delivery note, which call, quarter and month, and which of the four is there twice."""

import datetime

VENDORS = {
    "Verdant Couriers": "12 parcels, samples",
    "Pennant Print": "4 boxes, letter paper",
    "Fernhill Catering": "3 crates, cups and plates",
}
# As the caller is called, and as our policy writes it.
CALLERS = {
    "Gärtnerei Lindner": "gartnerei-lindner",
    "Gärtnerei Böhm": "gartnerei-bohm",
    "Blumengeschäft Grün": "blumengeschaft-grun",
    "Baumschule Jäger": "baumschule-jager",
    "Staudenhof Kühn": "staudenhof-kuhn",
    "Rosenschule Möller": "rosenschule-moller",
}
QUARTERS = {"2026-q1": "Q1 2026", "2025-q4": "Q4 2025", "2025-q3": "Q3 2025"}
MONTHS = {
    "2026-02": "february 2026",
    "2026-01": "january 2026",
    "2025-12": "december 2025",
    "2025-11": "november 2025",
    "2025-10": "october 2025",
}

# Noor, who signs for what is delivered, is not in the office on these days, and Marek, who visits, is on leave.
NOOR_AWAY = [f"2026-01-{day}" for day in ("07", "12", "13", "14")] + [
    f"2026-02-{day}" for day in ("03", "09", "10", "11", "16", "17", "18", "19")
]
MAREK_AWAY = ["2026-02-09", "2026-02-10"]


def values(vendor, delivered, caller, called, quarter, month, twice):
    day = {what: ".".join(reversed(one.split("-"))) for what, one in (("note", delivered), ("call", called))}
    names = {
        "note": f"Delivery note {vendor.split()[0].upper()} {day['note']}.PDF",
        "call": f"Besuch {caller} {day['call']}.txt",
        "quarter": f"{QUARTERS[quarter]} water & coffee.csv",
        "month": f"{MONTHS[month]} Cleaning hours.csv",
    }
    stem, _, ending = names[twice].rpartition(".")
    return {
        "names": names,
        "copy": f"{stem} (copy).{ending}",
        "vendor": vendor,
        "delivered": VENDORS[vendor],
        "caller": caller,
        "key": {
            "twice": twice,
            "note": [delivered, vendor.lower().replace(" ", "-")],
            "call": [called, CALLERS[caller]],
            "quarter": quarter,
            "month": month,
        },
    }


CANONICAL = values("Verdant Couriers", "2026-01-27", "Gärtnerei Lindner", "2026-03-03", "2026-q1", "2026-02", "note")


def working_day(random, first, last, away):
    """A day from Monday to Friday, of these two or between them, on which nobody is missing."""
    days = [first + datetime.timedelta(days=number) for number in range((last - first).days + 1)]
    return random.choice([str(day) for day in days if day.weekday() < 5 and str(day) not in away])


def draw(random):
    return values(
        vendor=random.choice(sorted(VENDORS)),
        delivered=working_day(random, datetime.date(2026, 1, 5), datetime.date(2026, 3, 5), NOOR_AWAY),
        caller=random.choice(sorted(CALLERS)),
        called=working_day(random, datetime.date(2026, 2, 2), datetime.date(2026, 3, 6), MAREK_AWAY),
        quarter=random.choice(sorted(QUARTERS)),
        month=random.choice(sorted(MONTHS)),
        twice=random.choice(["note", "call", "quarter", "month"]),
    )
