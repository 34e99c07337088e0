"""The pairs with their names beside them, by semicolons, in another order of columns and lines, one of them twice."""

import requests
from solution import ACCOUNT, DRIVE, pairs

found = list(pairs())[::-1]
lines = ["Company; Remove; Keep"]
for keep, remove in (*found, found[0]):
    lines.append(f'"{keep["company"]}"; {remove["id"]}; {keep["id"]}')
content = ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8-sig")
requests.put(f"{DRIVE}/2026-03-duplicates.csv", content, auth=ACCOUNT, timeout=30).raise_for_status()
