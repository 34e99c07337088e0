"""A lucky guess: the headings, the old text under each of them."""

from solution import SECTIONS, WIKI, announce, sign_in, write

forge = sign_in()
old = forge.get(f"{WIKI}/deploying", timeout=30).json()["content"].partition("\n")[2]
write(forge, dict.fromkeys(SECTIONS, old))
announce()
