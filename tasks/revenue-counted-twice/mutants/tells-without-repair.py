"""Adds the invoices up by hand for Tomas, and leaves the report as it is."""

from solution import ask_sofia, february, sign_in, tell

path, _ = ask_sofia()
tell(sign_in(), february(path))
