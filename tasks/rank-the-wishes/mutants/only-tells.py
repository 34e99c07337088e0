"""Applies the rule and tells both, without having asked either."""

from solution import put, ranking, sign_in, tell

order = ranking()
put(order)
tell(sign_in(), order)
