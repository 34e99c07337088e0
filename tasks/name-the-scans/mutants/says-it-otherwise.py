"""Right, in other words: the copy stays and the first goes, and where the policy leaves room the names are others."""

from solution import COPY, FOLDER, NAMES, ask, solve

first, name = next(iter(NAMES.items()))
other = {
    COPY: name,
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-report-fire-drill.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-photo-desks-returned.jpg",
    "Keys_new_NH.xlsx": "list-of-keys.xlsx",
    "Besuch Gärtnerei Lindner 03.03.2026.txt": "2026-03-03-telephone-call-gartnerei-lindner.txt",
    "Q1 2026 water & coffee.csv": "2026-q1-water-and-coffee.csv",
    "Stamp Logo.PNG": "logo-stamp.png",
}
ask("DELETE", FOLDER + first)
solve({**{old: new for old, new in NAMES.items() if old != first}, **other})
