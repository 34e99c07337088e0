"""Lists every merge request there is, and announces it in the words the channel asks in."""

from solution import LINK, TAG, announce, ask, listed, release, sign_in, tick

forge = sign_in()
found = ask(forge, "merge_requests", state="all", per_page=100)
release(forge, listed(sorted(found, key=lambda one: one["iid"])))
announce(f"Tag: {TAG} {LINK}\nWhat changed for customers\nWhat to watch\nWho to call")
tick(forge, "Release candidate")
