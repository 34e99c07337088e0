"""How a colleague gets into chat: with a token of our own company.

It is the argument of the realtime method `login`, fresh every time, because a reset of chat forgets all tokens.
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


def with_company(company: Company) -> SignIn:
    """For a company of this process: it mints the token itself, so no colleague needs a password."""

    async def sign_in(username: str) -> dict[str, Any]:
        from dayjob.company.chat import Chat

        chat = company.service("chat")
        assert isinstance(chat, Chat)
        if chat.store.accounts.named(username) is None:
            raise SignInError(f"Nobody in chat is called '{username}': add them to the world's people.")
        return {"resume": chat.store.accounts.mint_token(username)}

    return sign_in
