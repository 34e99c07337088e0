"""Names the release as the older ones are named, not as the wiki asks for, and announces it in #launch."""

from solution import announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(merged(forge)), name="Trellis 2.0 rc1")
announce(channel="launch")
tick(forge, "Release candidate")
