"""How a colleague gets into chat: with a token of our own company.

It is the argument of the realtime method `login`; a reset of chat forgets all tokens, so each is looked at before use.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayjob.company.company import Company

SignIn = Callable[[str], Awaitable[dict[str, Any]]]
"""From a username to what `login` takes."""


class SignInError(Exception):
    """Nobody can sign in as this colleague."""


def with_company(company: Company, tokens: dict[str, str] | None = None) -> SignIn:
    """For a company of this process: it mints the token itself, so no colleague needs a password.

    `tokens` are those in use, by username: one that still holds is used again.
    """

    known = {} if tokens is None else tokens

    async def sign_in(username: str) -> dict[str, Any]:
        from dayjob.company.chat import Chat

        chat = company.service("chat")
        assert isinstance(chat, Chat)
        accounts = chat.store.accounts
        if accounts.named(username) is None:
            raise SignInError(f"Nobody in chat is called '{username}': add them to the world's people.")
        token = known.get(username)
        if token is None or accounts.bearer(token) is None:
            token = known[username] = accounts.mint_token(username)
        return {"resume": token}

    return sign_in
