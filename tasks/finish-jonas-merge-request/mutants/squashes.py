"""Makes one tidy commit of it, and Jonas's is gone."""

from solution import TESTS, ask_lena, commit, merge, sign_in, tell_priya, with_test

forge = sign_in()
commit(forge, {TESTS: with_test(forge)})
tell_priya(forge)
ask_lena()
merge(forge, squash=True)
