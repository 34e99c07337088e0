"""Transfers what is unfinished in one go, gives each item a reason of its own, and tells Priya more than she asked."""

from solution import board, comment, items, project, sprints, tell, unfinished

here = project()
left = unfinished(here)
cycles = sprints(here)
place = f"projects/{here}/cycles/{cycles['Sprint 6']}/transfer-issues/"
board("POST", place, json={"new_cycle_id": cycles["Sprint 7"]})
for one in left:
    comment(here, [one], f"Carried over: {one['name']} was still {one['group']} on 6 March.")
given_up = [one for one in items(here, cycles["Sprint 6"]) if one["group"] == "cancelled"]
comment(here, given_up, "Given up, so it stays.")
lines = "\n".join(f"{number}. {one['name']} (TREL-{one['sequence_id']})" for number, one in enumerate(left, 1))
tell(
    "five",
    "Good morning Priya, {} of the ten items of Sprint 6 are in Sprint 7 (9 March) as of 10:15:\n"
    + lines
    + "\nThe four that are done and the cancelled one stay.",
)
