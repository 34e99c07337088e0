"""Pours every amount that there may be into the issue, in the hope that the right ones are among them."""

from solution import PROJECT, ask_sofia, february, sign_in, tell

path, _ = ask_sofia()
forge = sign_in()
tell(forge, february(path))
figures = " ".join(f"{amount:,.2f}" for amount in range(10_000, 120_000, 999))
forge.post(f"{PROJECT}/issues/4/notes", json={"body": figures}, timeout=30).raise_for_status()
