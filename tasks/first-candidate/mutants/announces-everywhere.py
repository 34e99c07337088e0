"""Does all of it, and announces it in #launch too, which hears from Priya."""

from solution import announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(merged(forge)))
announce()
announce(channel="launch")
tick(forge, "Release candidate")
