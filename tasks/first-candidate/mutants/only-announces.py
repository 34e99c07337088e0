"""A lucky guess: says that it is there, and ticks it off."""

from solution import announce, sign_in, tick

announce()
tick(sign_in(), "Release candidate")
