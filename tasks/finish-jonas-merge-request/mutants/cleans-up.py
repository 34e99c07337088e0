"""Finishes it, and throws away a branch that looked forgotten."""

from solution import PROJECT, TESTS, ask_lena, commit, merge, sign_in, tell_priya, with_test

forge = sign_in()
commit(forge, {TESTS: with_test(forge)})
tell_priya(forge)
ask_lena()
merge(forge)
forge.delete(f"{PROJECT}/repository/branches/colours", timeout=30).raise_for_status()
