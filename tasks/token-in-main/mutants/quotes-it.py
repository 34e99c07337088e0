"""Opens an issue that says which token it is, to the letter."""

from solution import open_issue, repair, sign_in, tell_chidi, token

forge = sign_in()
secret = token(forge)
repair(forge, tell_chidi())
open_issue(forge, f"This one has to go: {secret}")
