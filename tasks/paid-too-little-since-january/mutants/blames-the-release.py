"""Names the newest commit of the version instead of looking for the one that did it."""

from solution import comment, commits, repair, sign_in

forge = sign_in()
comment(forge, f"It came with {commits(forge)[0]['short_id']}.")
repair(forge)
