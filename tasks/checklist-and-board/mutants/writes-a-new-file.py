"""The right lines, and the explanation thrown away."""

import requests
from solution import ACCOUNT, FILE, items, line, tell

found = sorted(items())
requests.put(FILE, "\n".join(line(*one) for one in found).encode(), auth=ACCOUNT, timeout=30).raise_for_status()
tell([number for number, _, _, who in found if not who])
