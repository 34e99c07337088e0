"""Deletes the page about secrets, since deploying has nothing to do with it."""

from solution import SECTIONS, WIKI, announce, sign_in, write

forge = sign_in()
write(forge, SECTIONS)
forge.delete(f"{WIKI}/secrets", timeout=30).raise_for_status()
announce()
