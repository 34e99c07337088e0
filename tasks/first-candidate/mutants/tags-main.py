"""Tags main, where one change more has arrived since the branch was cut."""

from solution import announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(merged(forge, "main")), ref="main")
announce()
tick(forge, "Release candidate")
