"""The usage of the quarter with fewer sites at work in December, and a few swaps more, over the world's own."""

import shutil
import sqlite3

USAGE = "drive/files/Engineering/Usage/2025-q4-usage.sqlite"


def build(values, made, world):
    if not values["closed"] and not any(number for _, number in values["swapped"]):
        return
    target = made / "world" / USAGE
    target.parent.mkdir(parents=True)
    shutil.copyfile(world / USAGE, target)
    db = sqlite3.connect(target)
    with db:
        for site in values["closed"]:
            db.execute(
                "UPDATE weeks SET plans_saved = 0 WHERE site = ? AND monday > date('2025-12-31', '-28 days')", [site]
            )
        for site, number in values["swapped"]:
            db.execute(
                "UPDATE weeks SET swaps = swaps + ? WHERE site = ? AND monday = "
                "(SELECT min(monday) FROM weeks WHERE site = ?)",
                [number, site, site],
            )
    db.close()
