"""The way into chat, without one."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.company.chat import Chat
from dayjob.npc.signing_in import SignIn, SignInError, with_company


def signed_in(sign_in: SignIn, username: str = "mara.lind") -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        return await sign_in(username)

    return asyncio.run(main())


def test_a_company_mints_a_token_for_who_is_in_chat() -> None:
    class Accounts:
        def named(self, username: str) -> str | None:
            return username if username == "mara.lind" else None

        def mint_token(self, username: str) -> str:
            return f"token of {username}"

    chat = Chat.__new__(Chat)
    chat.store = cast(Any, SimpleNamespace(accounts=Accounts()))
    sign_in = with_company(cast(Any, SimpleNamespace(service={"chat": chat}.__getitem__)))
    assert signed_in(sign_in) == {"resume": "token of mara.lind"}
    with pytest.raises(SignInError, match=r"Nobody in chat is called 'tom\.berg': add them to the world's people\."):
        signed_in(sign_in, "tom.berg")
