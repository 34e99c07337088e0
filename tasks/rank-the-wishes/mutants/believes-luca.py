"""The loudest wish first, the rest by the rule."""

from solution import put, ranking, sign_in, tell

order = ranking()
order.insert(0, order.pop(4))
put(order)
tell(sign_in(), order)
