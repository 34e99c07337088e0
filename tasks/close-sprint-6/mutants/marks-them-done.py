"""Closes the sprint by closing its items."""

from solution import board, project, tell, unfinished

here = project()
done = next(one["id"] for one in board("GET", f"projects/{here}/states/")["results"] if one["name"] == "Done")
left = unfinished(here)
for one in left:
    board("PATCH", f"projects/{here}/issues/{one['id']}/", json={"state": done})
tell(len(left))
