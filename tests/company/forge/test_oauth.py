"""A token for a password: what scripts use where a browser would sign in."""

from __future__ import annotations

import gitlab
import pytest
import requests

from dayjob.company.world import Snapshot
from tests.company.serving import Served, serve


def ask(served: Served, **given: str) -> requests.Response:
    return requests.post(served.url("forge") + "/oauth/token", data=given, timeout=10)


def test_a_password_gets_a_token_that_the_api_takes(served: Served) -> None:
    made = ask(served, grant_type="password", username="root", password="blank-root-pass").json()
    assert (made["token_type"], made["scope"], made["expires_in"]) == ("Bearer", "api", 7200)
    client = gitlab.Gitlab(served.url("forge"), oauth_token=made["access_token"])
    client.auth()
    assert client.user is not None
    assert client.user.username == "root"
    assert client.projects.create({"name": "made with it"}).path == "made-with-it"


def test_a_token_for_a_password_is_not_rotated(served: Served) -> None:
    made = ask(served, grant_type="password", username="root", password="blank-root-pass").json()
    headers = {"authorization": f"Bearer {made['access_token']}"}
    path = served.url("forge") + "/api/v4/personal_access_tokens/self"
    assert requests.post(f"{path}/rotate", headers=headers, timeout=10).status_code == 405
    assert requests.get(path, headers=headers, timeout=10).status_code == 200


def test_a_token_ends_after_two_hours(blank: Snapshot) -> None:
    with serve(blank) as served:
        secret = ask(served, grant_type="password", username="root", password="blank-root-pass").json()["access_token"]
        client = gitlab.Gitlab(served.url("forge"), oauth_token=secret)
        client.auth()
        served.company.clock.origin -= 7000
        client.auth()
        served.company.clock.origin -= 200
        with pytest.raises(gitlab.GitlabAuthenticationError):
            client.auth()


@pytest.mark.parametrize(
    ("given", "status", "error"),
    [
        ({"grant_type": "password", "username": "root", "password": "guessed"}, 401, "invalid_grant"),
        ({"grant_type": "password", "username": "nobody", "password": "x"}, 401, "invalid_grant"),
        ({"grant_type": "password"}, 401, "invalid_grant"),
        ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
        ({}, 400, "invalid_request"),
    ],
)
def test_anything_else_is_refused_in_oauths_own_words(
    served: Served, given: dict[str, str], status: int, error: str
) -> None:
    answer = ask(served, **given)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["error_description"]


def test_bodies_that_are_no_arguments_are_refused(served: Served) -> None:
    headers = {"content-type": "application/json"}
    answer = requests.post(served.url("forge") + "/oauth/token", b"[{", headers=headers, timeout=10)
    assert answer.status_code == 400
