"""The files of the folder that are others in this variant, over the world's own, and when they came there."""

import datetime
import json

import pypdf

PLACE = "drive/files/Operations/To sort"
TIMES = "drive/times.yml"
COPY = "Delivery note VERDANT 27.01.2026 (copy).PDF"
WORLD = {
    "note": "Delivery note VERDANT 27.01.2026.PDF",
    "call": "Besuch Gärtnerei Lindner 03.03.2026.txt",
    "quarter": "Q1 2026 water & coffee.csv",
    "month": "february 2026 Cleaning hours.csv",
}


def build(values, made, world):
    names, copy = values["names"], values["copy"]
    if (names, copy) == (WORLD, COPY):
        return
    folder = made / "world" / PLACE
    folder.mkdir(parents=True)
    write_note(values, world / PLACE / WORLD["note"], folder / names["note"])
    for what, text in {"call": call, "quarter": quarter, "month": month}.items():
        old = (world / PLACE / WORLD[what]).read_text("utf-8")
        (folder / names[what]).write_text(text(values, old), "utf-8")
    (folder / copy).write_bytes((folder / names[values["key"]["twice"]]).read_bytes())
    there = set(names.values()) | {copy}
    gone = [f"{PLACE}/{old}" for old in (*WORLD.values(), COPY) if old not in there]
    (made / "world" / "overlay.toml").write_text(f"delete = {json.dumps(gone, ensure_ascii=False)}\n", "utf-8")
    (made / "world" / TIMES).write_text(times(values, (world / TIMES).read_text("utf-8")), "utf-8")


def replaced(text, *pairs):
    for old, new in pairs:
        if old not in text:
            raise ValueError(f"not there: {old}")
        text = text.replace(old, new)
    return text


def write_note(values, old, new):
    """The world's note with another vendor, another day and other goods."""
    writer = pypdf.PdfWriter(clone_from=old)
    stream = writer.pages[0]["/Contents"].get_object()
    text = replaced(
        stream.get_data().decode(),
        ("(Verdant Couriers)", f"({values['vendor']})"),
        ("(Date: 2026-01-27)", f"(Date: {values['key']['note'][0]})"),
        ("(12 parcels, samples)", f"({values['delivered']})"),
    )
    stream.set_data(text.encode())
    writer.add_metadata({"/Author": values["vendor"]})
    writer.write(new)


def call(values, old):
    day = datetime.date.fromisoformat(values["key"]["call"][0])
    return replaced(
        old, ("Gärtnerei Lindner", values["caller"]), ("3 March 2026", f"{day.day} {day.strftime('%B %Y')}")
    )


def quarter(values, old):
    """The world's quarter has two months so far; one that is over has three."""
    year, number = values["key"]["quarter"].split("-q")
    if (year, number) == ("2026", "1"):
        return old
    first = 3 * int(number) - 2
    months = replaced(old, ("2026-01", f"{year}-{first:02}"), ("2026-02", f"{year}-{first + 1:02}"))
    return months + f"{year}-{first + 2:02},90,13\n"


def month(values, old):
    return replaced(old, ("2026-02-", f"{values['key']['month']}-"))


def times(values, old):
    """The world's times, with the lines of these files for those of the world."""
    names, key = values["names"], values["key"]
    days = {"note": key["note"][0], "call": key["call"][0], "quarter": "2026-03-02", "month": "2026-03-02"}
    hours = {"note": "08:21", "call": "12:07", "quarter": "09:06", "month": "08:32"}
    lines = [f"{names[what]}: {days[what]}T{hours[what]}:00Z" for what in names]
    lines.append(f"{values['copy']}: {days[key['twice']]}T12:57:00Z")
    kept = [line for line in old.splitlines() if not line.startswith(tuple(f"{start()}{one}:" for one in taken()))]
    return "\n".join([*kept, *(start() + line for line in lines)]) + "\n"


def start():
    return f"{PLACE.removeprefix('drive/')}/"


def taken():
    return [*WORLD.values(), COPY]
