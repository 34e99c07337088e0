"""Asks both, and believes Priya: her wish first, the rest as the board has them."""

from solution import hear, put, sign_in, tell, wishes

headers = sign_in()
for username in ("priya.nair", "luca.moretti"):
    hear(headers, username)
names = [name for name, _, _ in wishes()]
order = sorted(names, key=lambda name: (not name.startswith("Copy last year"), names.index(name)))
put(order)
tell(headers, order)
