"""Lists them as the forge does, and tells the company in one line."""

from solution import LINK, TAG, announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(reversed(merged(forge))))
announce(f"{TAG} is there: {LINK}")
tick(forge, "Release candidate")
