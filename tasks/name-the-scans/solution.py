"""Reads the policy and the files, then renames each over WebDAV."""

from urllib.parse import quote

import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
FOLDER = "/Operations/To sort/"
NAMES = {
    "Delivery note VERDANT 27.01.2026.PDF": "2026-01-27-delivery-note-verdant-couriers.pdf",
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-fire-drill.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-desks-returned.jpg",
    "Keys_new_NH.xlsx": "keys.xlsx",
    "Besuch Gärtnerei Lindner 03.03.2026.txt": "2026-03-03-besuch-gartnerei-lindner.txt",
    "Q1 2026 water & coffee.csv": "2026-q1-water-coffee.csv",
    "Stamp Logo.PNG": "stamp-logo.png",
    "february 2026 Cleaning hours.csv": "2026-02-cleaning-hours.csv",
    "Room plan_v2_final.md": "room-plan.md",
}
COPY = "Delivery note VERDANT 27.01.2026 (copy).PDF"


def ask(method, path, **more):
    answer = requests.request(method, DRIVE + quote(path), auth=ACCOUNT, timeout=30, **more)
    answer.raise_for_status()
    return answer


def rename(old, new):
    ask("MOVE", FOLDER + old, headers={"Destination": DRIVE + quote(FOLDER + new)})


def solve(names):
    for old, new in names.items():
        rename(old, new)


if __name__ == "__main__":
    ask("GET", "/Company/Policies/naming-documents.md")
    assert ask("GET", FOLDER + COPY).content == ask("GET", FOLDER + next(iter(NAMES))).content
    solve(NAMES)
    ask("DELETE", FOLDER + COPY)
