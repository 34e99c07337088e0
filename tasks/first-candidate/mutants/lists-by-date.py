"""Lists what was merged since the last release, whether or not it is in the branch."""

from solution import announce, ask, listed, release, sign_in, tick

forge = sign_in()
found = [one for one in ask(forge, "merge_requests", state="merged", per_page=100) if one["merged_at"] > "2025-12-09"]
release(forge, listed(sorted(found, key=lambda one: one["merged_at"])))
announce()
tick(forge, "Release candidate")
