"""What init scripts and graders sign in with: the world's own accounts, with secrets that hold for one step only.

The examinee may have read the world's files; so unless the world says an account is public, each step gets new secrets
and the old ones stop working, with the sessions they opened.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from dayjob.agent import Account
from dayjob.company.world.model import WorldInfo
from dayjob.trial.company_process import TrialCompany

# What of an account is secret, and how such a secret begins where clients look at it.
_SECRETS = {"password": "", "token": "", "api_key": "plane_api_"}

Accounts = Mapping[str, Mapping[str, Any]]


async def renew(company: TrialCompany, services: tuple[str, ...]) -> Accounts:
    """New secrets for all of the world's accounts, and a new control token; returns the accounts of these services."""
    accounts: dict[str, Mapping[str, Any]] = {}
    renewed: dict[str, Mapping[str, Any]] = {}
    for name, account in company.world.accounts.items():
        if not account.get("public"):
            fresh = {key: start + secrets.token_hex(16) for key, start in _SECRETS.items() if key in account}
            account = renewed[name] = {**account, **fresh}
        if name in services:
            accounts[name] = account
    await company.set_secrets(renewed)
    return accounts


def examinee(world: WorldInfo) -> Account | None:
    """Who sits the exam: the person the world says it is, else its public account, else the first who can sign in."""
    able = [one for one in world.people if one.password]
    able.sort(key=lambda one: not one.more.get("examinee"))
    public = world.accounts.get("chat", {})
    if public.get("public") and not (able and able[0].more.get("examinee")):
        email = world.accounts.get("board", {}).get("email", "")
        return Account(str(public.get("username", "")), str(email), str(public.get("password", "")))
    return Account(able[0].username, able[0].email, able[0].password or "") if able else None


def environment(company: TrialCompany, accounts: Accounts) -> dict[str, str]:
    """The variables init scripts and evaluators know, as far as the world has a value for them."""
    world = company.world
    chat, forge, board, drive = (accounts.get(name, {}) for name in ("chat", "forge", "board", "drive"))
    found = {
        "SERVER_HOSTNAME": world.host,
        "ROCKETCHAT_PORT": world.ports.get("chat"),
        "ROCKETCHAT_USERNAME": chat.get("username"),
        "ROCKETCHAT_PASSWORD": chat.get("password"),
        "GITLAB_PORT": world.ports.get("forge"),
        "GITLAB_USER": forge.get("username"),
        "GITLAB_ACCESS_TOKEN": forge.get("token"),
        "PLANE_PORT": world.ports.get("board"),
        "PLANE_WORKSPACE_SLUG": board.get("workspace"),
        "PLANE_API_KEY": board.get("api_key"),
        "OWNCLOUD_PORT": world.ports.get("drive"),
        "OWNCLOUD_USERNAME": drive.get("username"),
        "OWNCLOUD_PASSWORD": drive.get("password"),
        "DAYJOB_CONTROL_PORT": world.ports.get("control"),
        "DAYJOB_CONTROL_TOKEN": company.control_token,
    }
    return {name: str(value) for name, value in found.items() if value is not None}
