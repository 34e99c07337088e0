"""Right, with the words in English, a visit's notes, a hyphen more, and the picture's subject."""

from solution import COPY, FOLDER, NAMES, ask, solve

other = {
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-fire-drill-office.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-picture-returned-desks.jpg",
    "Keys_new_NH.xlsx": "key-list.xlsx",
    "Besuch Gärtnerei Lindner 03.03.2026.txt": "2026-03-03-visit-notes-gartnerei-lindner.txt",
    "Q1 2026 water & coffee.csv": "2026-q1-consumption-water-coffee.csv",
    "Stamp Logo.PNG": "stamp-logo-larkspur.png",
}
solve({**NAMES, **other})
ask("DELETE", FOLDER + COPY)
