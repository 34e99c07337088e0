"""Where a grader finds its settings, and whose an address is."""

from __future__ import annotations

import pytest

from dayjob.grading import config
from tests.grading.sandbox import Here

CONFIGURED = {
    "SERVER_HOSTNAME": "larkspur.test",
    "ROCKETCHAT_URL": "http://larkspur.test:3000",
    "ROCKETCHAT_USERNAME": "",
    "ROCKETCHAT_PASSWORD": "",
    "GITLAB_BASEURL": "http://larkspur.test:8929",
    "GITLAB_USER": "root",
    "GITLAB_HEADERS": {"PRIVATE-TOKEN": ""},
    "PLANE_BASEURL": "http://larkspur.test:8091",
    "PLANE_WORKSPACE_SLUG": "",
    "PLANE_HEADERS": {"x-api-key": "", "Content-Type": "application/json"},
    "OWNCLOUD_URL": "http://larkspur.test:8092",
    "OWNCLOUD_USERNAME": "",
    "OWNCLOUD_PASSWORD": "",
    "CONTROL_URL": "http://larkspur.test:2999",
    "DAYJOB_CONTROL_TOKEN": "",
    "LITELLM_BASE_URL": "",
    "LITELLM_API_KEY": "",
    "LITELLM_MODEL": "",
    "TEST_MODE": False,
}
VARIABLES = {
    "SERVER_HOSTNAME": "SERVER_HOSTNAME",
    "ROCKETCHAT_PORT": "ROCKETCHAT_PORT",
    "ROCKETCHAT_USERNAME": "ROCKETCHAT_USERNAME",
    "ROCKETCHAT_PASSWORD": "ROCKETCHAT_PASSWORD",
    "GITLAB_PORT": "GITLAB_PORT",
    "GITLAB_USER": "GITLAB_USER",
    "GITLAB_ACCESS_TOKEN": "GITLAB_ACCESS_TOKEN",
    "PLANE_PORT": "PLANE_PORT",
    "PLANE_WORKSPACE_SLUG": "PLANE_WORKSPACE_SLUG",
    "PLANE_API_KEY": "PLANE_API_KEY",
    "OWNCLOUD_PORT": "OWNCLOUD_PORT",
    "OWNCLOUD_USERNAME": "OWNCLOUD_USERNAME",
    "OWNCLOUD_PASSWORD": "OWNCLOUD_PASSWORD",
    "DAYJOB_CONTROL_PORT": "CONTROL_PORT",
    "DAYJOB_CONTROL_TOKEN": "DAYJOB_CONTROL_TOKEN",
    "LITELLM_BASE_URL": "LITELLM_BASE_URL",
    "LITELLM_API_KEY": "LITELLM_API_KEY",
    "LITELLM_MODEL": "LITELLM_MODEL",
}


def test_without_variables_the_settings_are_these(here: Here) -> None:
    here.set(**dict.fromkeys((*VARIABLES, "TAC_TEST_MODE"), ""))
    assert {name: getattr(config, name) for name in CONFIGURED} == CONFIGURED


def test_every_setting_comes_from_its_variable(here: Here) -> None:
    here.set(**{name: f"4{number}" for number, name in enumerate(VARIABLES)}, TAC_TEST_MODE="1")
    assert {name: getattr(config, setting) for name, setting in VARIABLES.items()} == {
        name: f"4{number}" for number, name in enumerate(VARIABLES)
    }
    assert config.TEST_MODE is True
    assert config.GITLAB_HEADERS["PRIVATE-TOKEN"] == config.GITLAB_ACCESS_TOKEN
    assert config.PLANE_HEADERS["x-api-key"] == config.PLANE_API_KEY


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("http://larkspur.test:3000/api/v1/me", "chat"),
        ("http://larkspur.test:8929", "forge"),
        ("http://larkspur.test:8091/", "board"),
        ("http://larkspur.test:8092/remote.php", "drive"),
        ("http://larkspur.test:2999", "control"),
        ("http://llm.test:4000/v1/judge", "model"),
        ("https://larkspur.test:3000", "chat"),
        ("http://larkspur.test", None),
        ("http://larkspur.test:3001", None),
        ("http://elsewhere.test:3000", None),
        ("http://larkspur.test:99999", None),
        ("http://[bad", None),
        ("", None),
    ],
)
def test_whose_an_address_is(here: Here, address: str, service: str | None) -> None:
    here.set(LITELLM_BASE_URL="http://llm.test:4000/v1")
    assert config.service_at(address) == service


def test_no_model_is_nobodys_address(here: Here) -> None:
    here.set(LITELLM_BASE_URL="")
    assert config.service_at("") is None
