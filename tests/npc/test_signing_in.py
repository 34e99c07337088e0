"""The three ways into chat, without one."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from dayjob.company.chat import Chat
from dayjob.npc.signing_in import SignIn, SignInError, with_administrator, with_company, with_passwords


def signed_in(sign_in: SignIn, username: str = "mara.lind") -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        return await sign_in(username)

    return asyncio.run(main())


def test_a_password_is_sent_as_its_digest_and_only_for_whom_it_is() -> None:
    sign_in = with_passwords({"mara.lind": "secret"})
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"  # sha-256 of "secret"
    assert signed_in(sign_in) == {
        "user": {"username": "mara.lind"},
        "password": {"digest": digest, "algorithm": "sha-256"},
    }
    with pytest.raises(SignInError, match=r"There is no password for 'tom\.berg'\."):
        signed_in(sign_in, "tom.berg")


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


def administered(
    monkeypatch: pytest.MonkeyPatch, *answers: httpx.Response | Exception, url: str = "http://chat.test"
) -> tuple[SignIn, list[httpx.Request], list[dict[str, Any]]]:
    """An administrator's way in, to a chat that answers so."""
    left, asked, made = list(answers), list[httpx.Request](), list[dict[str, Any]]()
    real = httpx.AsyncClient

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def client(**options: Any) -> httpx.AsyncClient:
        made.append(options)
        return real(transport=httpx.MockTransport(answer), base_url=options["base_url"], trust_env=False, verify=False)

    monkeypatch.setattr(httpx, "AsyncClient", client)
    return with_administrator(url, "admin", "pass"), asked, made


ENTRY = httpx.Response(200, json={"data": {"authToken": "t", "userId": "u"}})


@pytest.mark.parametrize(("url", "verified"), [("http://chat.test", False), ("https://chat.test", True)])
def test_an_administrator_asks_for_the_colleagues_token(
    url: str, verified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = httpx.Response(200, json={"data": {"authToken": "hers"}})
    sign_in, asked, options = administered(monkeypatch, ENTRY, made, url=url)
    assert signed_in(sign_in) == {"resume": "hers"}
    assert [(one.method, str(one.url), json.loads(one.content)) for one in asked] == [
        ("POST", f"{url}/api/v1/login", {"user": "admin", "password": "pass"}),
        ("POST", f"{url}/api/v1/users.createToken", {"username": "mara.lind"}),
    ]
    assert (asked[1].headers["x-auth-token"], asked[1].headers["x-user-id"]) == ("t", "u")
    assert options == [{"base_url": f"{url}/api/v1/", "timeout": 20, "trust_env": False, "verify": verified}]


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ([httpx.Response(401)], r"The administrator 'admin' cannot sign in to http://chat\.test\."),
        ([ENTRY, httpx.Response(400, text="n" * 300)], f"Chat gave no token for 'mara.lind': {'n' * 200}$"),
        ([httpx.ConnectError("no route")], r"Chat at http://chat\.test cannot be reached: no route\."),
        ([ENTRY, httpx.ReadTimeout("slow")], r"Chat at http://chat\.test cannot be reached: slow\."),
    ],
)
def test_a_way_that_is_closed_is_said(answers: list[Any], sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in, _, _ = administered(monkeypatch, *answers)
    with pytest.raises(SignInError, match=sentence):
        signed_in(sign_in)
