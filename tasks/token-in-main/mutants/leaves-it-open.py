"""Opens a merge request and leaves it to others to merge."""

from solution import SERVICE, SETTINGS, open_issue, propose, reading, sign_in, tell_chidi, without_token

forge = sign_in()
propose(forge, {SETTINGS: without_token(forge), SERVICE: reading(forge, tell_chidi())})
open_issue(forge)
