"""Moves and comments as asked, and sends Priya one number after the other."""

from solution import comment, move, project, sprints, tell, unfinished

here = project()
left = unfinished(here)
move(here, sprints(here)["Sprint 7"], left)
comment(here, left)
for count in range(1, 11):
    tell(count, "{} items went over, as you asked in Sprint 5.")
