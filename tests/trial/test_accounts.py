"""Who signs in with what: the examinee's account, the variables of init scripts and graders, and secrets for a step."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.agent import Account
from dayjob.company.world.model import WorldInfo
from dayjob.trial.accounts import environment, examinee, renew
from dayjob.trial.company_process import TrialCompany


def person(name: str, password: str | None = "word", **more: Any) -> Any:
    return SimpleNamespace(username=name, email=f"{name}@office.test", password=password, more=more)


PUBLIC = {"chat": {"public": True, "username": "all", "password": "open"}, "board": {"email": "all@office.test"}}
EVERYBODY = Account("all", "all@office.test", "open")


def account(name: str) -> Account:
    return Account(name, f"{name}@office.test", "word")


@pytest.mark.parametrize(
    ("people", "accounts", "who"),
    [
        ([], {}, None),
        ([person("a", None), person("b", "")], {}, None),
        ([person("a"), person("b")], {}, account("a")),
        ([person("a", None), person("b")], {}, account("b")),
        ([person("a"), person("b", examinee=True)], {}, account("b")),
        ([person("a"), person("b", None, examinee=True)], {}, account("a")),
        ([person("a")], PUBLIC, EVERYBODY),
        ([], PUBLIC, EVERYBODY),
        ([person("a"), person("b", examinee=True)], PUBLIC, account("b")),
        ([person("a")], {"chat": {"public": False, "username": "all"}}, account("a")),
        ([], {"chat": {"public": True}}, Account("", "", "")),
    ],
)
def test_who_sits_the_exam(people: list[Any], accounts: dict[str, Any], who: Account | None) -> None:
    assert examinee(cast(WorldInfo, SimpleNamespace(people=people, accounts=accounts))) == who


class Company:
    """A company that notes which secrets it is given."""

    def __init__(self, accounts: dict[str, dict[str, Any]], ports: dict[str, int] | None = None) -> None:
        self.world = SimpleNamespace(accounts=accounts, host="office.test", ports=ports or {})
        self.control_token = "control"
        self.secrets: list[dict[str, Any]] = []

    async def set_secrets(self, accounts: dict[str, Any]) -> None:
        self.secrets.append(accounts)


def test_accounts_of_a_step_have_new_secrets_unless_they_are_public() -> None:
    company = Company(
        {
            "chat": {"username": "admin", "password": "old"},
            "forge": {"username": "root", "password": "old", "token": "old"},
            "board": {"workspace": "w", "api_key": "plane_api_old"},
            "drive": {"username": "all", "password": "open", "public": True},
        }
    )
    services = ("chat", "board", "drive")
    first = asyncio.run(renew(cast(TrialCompany, company), services))
    second = asyncio.run(renew(cast(TrialCompany, company), services))
    assert set(first) == set(services)
    assert first["drive"] == {"username": "all", "password": "open", "public": True}
    assert first["chat"]["username"] == "admin"
    assert set(first["board"]) == {"workspace", "api_key"}
    assert first["board"]["api_key"].startswith("plane_api_")
    for name, secret, beginning in (("chat", "password", ""), ("board", "api_key", "plane_api_")):
        made = {str(one[name][secret]).removeprefix(beginning) for one in (first, second)}
        assert len(made) == 2
        assert {len(one) for one in made} == {32}
    told = [{name: one[name] for name in ("chat", "board")} for one in company.secrets]
    assert told == [{name: one[name] for name in ("chat", "board")} for one in (first, second)]
    # The examinee reaches services that the step has no account of; what the world's files say holds there no more.
    assert [set(one) for one in company.secrets] == [{"chat", "forge", "board"}] * 2
    assert "old" not in {one["forge"][secret] for one in company.secrets for secret in ("password", "token")}


def test_variables_are_those_that_existing_scripts_know() -> None:
    accounts = {
        "chat": {"username": "cu", "password": "cp"},
        "forge": {"username": "fu", "token": "ft"},
        "board": {"workspace": "bw", "api_key": "ba"},
        "drive": {"username": "du", "password": "dp"},
    }
    ports = {"chat": 1, "forge": 2, "board": 3, "drive": 4, "control": 5}
    assert environment(cast(TrialCompany, Company({}, ports)), accounts) == {
        "SERVER_HOSTNAME": "office.test",
        "ROCKETCHAT_PORT": "1",
        "ROCKETCHAT_USERNAME": "cu",
        "ROCKETCHAT_PASSWORD": "cp",
        "GITLAB_PORT": "2",
        "GITLAB_USER": "fu",
        "GITLAB_ACCESS_TOKEN": "ft",
        "PLANE_PORT": "3",
        "PLANE_WORKSPACE_SLUG": "bw",
        "PLANE_API_KEY": "ba",
        "OWNCLOUD_PORT": "4",
        "OWNCLOUD_USERNAME": "du",
        "OWNCLOUD_PASSWORD": "dp",
        "DAYJOB_CONTROL_PORT": "5",
        "DAYJOB_CONTROL_TOKEN": "control",
    }


def test_what_the_world_has_no_value_for_is_no_variable() -> None:
    found = environment(cast(TrialCompany, Company({})), {})
    assert found == {"SERVER_HOSTNAME": "office.test", "DAYJOB_CONTROL_TOKEN": "control"}
