"""Reads the policy and the files, then renames each over WebDAV."""

import calendar
import re
import unicodedata
from urllib.parse import quote, unquote
from xml.etree import ElementTree

import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
FOLDER, VENDORS = "/Operations/To sort/", "/Finance/vendor-budgets-2026.csv"
SETTLED = {
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-fire-drill.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-desks-returned.jpg",
    "Keys_new_NH.xlsx": "keys.xlsx",
    "Stamp Logo.PNG": "stamp-logo.png",
    "Room plan_v2_final.md": "room-plan.md",
}


def ask(method, path, **more):
    answer = requests.request(method, DRIVE + quote(path), auth=ACCOUNT, timeout=30, **more)
    answer.raise_for_status()
    return answer


def listed():
    """The names in the folder."""
    answer = ask("PROPFIND", FOLDER, headers={"Depth": "1"})
    paths = [unquote(node.text) for node in ElementTree.fromstring(answer.content).iter("{DAV:}href")]
    return [path.rpartition("/")[2] for path in paths if not path.endswith("/")]


def right_name(old):
    """What the policy calls a file, by its name and, for the vendor, by Finance's list."""
    if old in SETTLED:
        return SETTLED[old]
    day = re.search(r"(\d\d)\.(\d\d)\.(\d{4})", old)
    if old.startswith("Delivery note"):
        vendors = [line.split(",")[0] for line in ask("GET", VENDORS).text.splitlines()[1:]]
        [vendor] = [one for one in vendors if one.split()[0].upper() in old]
        return f"{day[3]}-{day[2]}-{day[1]}-delivery-note-{small(vendor)}.pdf"
    if old.startswith("Besuch"):
        return f"{day[3]}-{day[2]}-{day[1]}-besuch-{small(old[7 : day.start() - 1])}.txt"
    if quarter := re.match(r"Q(\d) (\d{4}) water & coffee", old):
        return f"{quarter[2]}-q{quarter[1]}-water-coffee.csv"
    month, year = re.match(r"(\w+) (\d{4}) Cleaning hours", old).groups()
    return f"{year}-{list(calendar.month_name).index(month.capitalize()):02}-cleaning-hours.csv"


def small(text):
    plain = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()
    return plain.lower().replace(" ", "-")


def names():
    """Each file's right name, first that of which there is a copy; and the copy."""
    found = listed()
    [copy] = [one for one in found if " (copy)" in one]
    first = copy.replace(" (copy)", "")
    return {old: right_name(old) for old in (first, *found) if old != copy}, copy


def rename(old, new):
    ask("MOVE", FOLDER + old, headers={"Destination": DRIVE + quote(FOLDER + new)})


def throw_away(copy):
    ask("DELETE", FOLDER + copy)


def solve(names):
    for old, new in names.items():
        rename(old, new)


NAMES, COPY = names()

if __name__ == "__main__":
    ask("GET", "/Company/Policies/naming-documents.md")
    assert ask("GET", FOLDER + COPY).content == ask("GET", FOLDER + next(iter(NAMES))).content
    solve(NAMES)
    throw_away(COPY)
