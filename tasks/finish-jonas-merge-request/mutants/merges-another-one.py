"""Brings test and change into main by a merge request of its own."""

from solution import BRANCH, PROJECT, TESTS, ask_lena, commit, merge, sign_in, tell_priya, with_test

forge = sign_in()
commit(forge, {TESTS: with_test(forge)}, branch="same-hour", start_branch=BRANCH)
content = {"source_branch": "same-hour", "target_branch": "main", "title": "Keep jobs in order, with a test"}
answer = forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30)
answer.raise_for_status()
tell_priya(forge)
ask_lena()
merge(forge, answer.json()["iid"])
