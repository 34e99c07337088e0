"""A release of main without notes, and a fine announcement of it."""

from solution import announce, release, sign_in, tick

forge = sign_in()
release(forge, "", ref="main")
announce()
tick(forge, "Release candidate")
