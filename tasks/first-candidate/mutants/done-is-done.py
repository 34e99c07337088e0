"""Ticks off everything while at it."""

from solution import announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(merged(forge)))
announce()
tick(forge, "Release candidate", "Ewa's round", "v2.0.0 on Monday")
