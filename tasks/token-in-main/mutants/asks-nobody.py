"""Takes the line out and opens an issue, without a word to Chidi: the relay has no token any more."""

from solution import SETTINGS, merge, open_issue, propose, sign_in, without_token

forge = sign_in()
merge(forge, propose(forge, {SETTINGS: without_token(forge)}))
open_issue(forge, assigned=False)
