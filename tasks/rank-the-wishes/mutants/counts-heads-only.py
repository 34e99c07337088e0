"""By the number of customers, and the alphabet where that is the same."""

from solution import put, sign_in, tell, wishes

order = [name for name, _, _ in sorted(wishes(), key=lambda wish: (-len(wish[1]), wish[0]))]
put(order)
tell(sign_in(), order)
