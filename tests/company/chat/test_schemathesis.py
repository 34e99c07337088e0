"""Our own OpenAPI description of the wire is published, current, and no request made from it breaks the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from dayjob.company.chat.api.endpoints import TABLE
from dayjob.company.chat.openapi import description
from dayjob.company.world import Snapshot
from tests.company.chat.conftest import PASSWORD
from tests.company.serving import serve

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas" / "chat.openapi.json"

# What would end the session every other request needs.
_ENDS_SESSIONS = (
    "logout",
    "users.logout",
    "users.logoutOtherClients",
    "users.removeOtherTokens",
    "users.deleteOwnAccount",
)


def offered() -> dict[str, Any]:
    found = description()
    for path in _ENDS_SESSIONS:
        del found["paths"][f"/api/v1/{path}"]
    return found


# Parametrised by hand: schemathesis gives all operations of a test one name, of which pytest-xdist runs one.
OPERATIONS = {
    result.ok().label: result.ok()
    for result in schemathesis.openapi.from_dict(offered()).get_all_operations()
    if isinstance(result, Ok)
}


class Account:
    """The administrator of a blank company, who sends what schemathesis makes up."""

    def __init__(self, url: str) -> None:
        self.url = url
        facts = {"username": "ada", "email": "ada@blank.test", "pass": PASSWORD, "name": "Ada"}
        requests.post(f"{url}/api/v1/users.register", json=facts)
        found = requests.post(f"{url}/api/v1/login", json={"user": "ada", "password": PASSWORD}).json()["data"]
        self.headers = {"X-Auth-Token": found["authToken"], "X-User-Id": found["userId"]}


@pytest.fixture(scope="module")
def account(blank_snapshot: Snapshot) -> Iterator[Account]:
    with serve(blank_snapshot) as served:
        yield Account(served.url("chat"))


@pytest.mark.parametrize("label", OPERATIONS)
@given(data=st.data())
@settings(
    max_examples=2, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)  # fmt: skip
def test_no_request_made_from_the_description_is_answered_with_a_5xx(
    account: Account, label: str, data: st.DataObject
) -> None:
    case = data.draw(OPERATIONS[label].as_strategy())
    response = case.call(base_url=account.url, headers=account.headers)
    assert response.status_code < 500, response.text


def test_the_published_description_is_the_current_one() -> None:
    assert json.loads(PUBLISHED.read_text("utf-8")) == json.loads(json.dumps(description()))


def test_the_description_is_served_and_covers_every_endpoint(account: Account) -> None:
    found = requests.get(f"{account.url}/api/v1/openapi.json").json()
    covered = {(method.upper(), path) for path, methods in found["paths"].items() for method in methods}
    assert covered == {(endpoint.method, endpoint.path) for endpoint in TABLE}
