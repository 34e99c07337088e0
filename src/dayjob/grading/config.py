"""Where the company is and how a grader signs in: the evaluators' module `config`, read from the environment once.

Nothing here is a secret of ours: the world puts every value into the environment of the step that may have it.
The names are those that existing evaluators use.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit


def _setting(name: str, otherwise: str) -> str:
    """An empty variable counts as an absent one."""
    return os.environ.get(name) or otherwise


TEST_MODE = bool(os.environ.get("TAC_TEST_MODE"))

SERVER_HOSTNAME = _setting("SERVER_HOSTNAME", "larkspur.test")

ROCKETCHAT_PORT = _setting("ROCKETCHAT_PORT", "3000")
ROCKETCHAT_URL = f"http://{SERVER_HOSTNAME}:{ROCKETCHAT_PORT}"
ROCKETCHAT_USERNAME = _setting("ROCKETCHAT_USERNAME", "")
ROCKETCHAT_PASSWORD = _setting("ROCKETCHAT_PASSWORD", "")

GITLAB_PORT = _setting("GITLAB_PORT", "8929")
GITLAB_BASEURL = f"http://{SERVER_HOSTNAME}:{GITLAB_PORT}"
GITLAB_USER = _setting("GITLAB_USER", "root")
GITLAB_ACCESS_TOKEN = _setting("GITLAB_ACCESS_TOKEN", "")
GITLAB_HEADERS = {"PRIVATE-TOKEN": GITLAB_ACCESS_TOKEN}

PLANE_PORT = _setting("PLANE_PORT", "8091")
PLANE_BASEURL = f"http://{SERVER_HOSTNAME}:{PLANE_PORT}"
PLANE_WORKSPACE_SLUG = _setting("PLANE_WORKSPACE_SLUG", "")
PLANE_API_KEY = _setting("PLANE_API_KEY", "")
PLANE_HEADERS = {"x-api-key": PLANE_API_KEY, "Content-Type": "application/json"}

OWNCLOUD_PORT = _setting("OWNCLOUD_PORT", "8092")
OWNCLOUD_URL = f"http://{SERVER_HOSTNAME}:{OWNCLOUD_PORT}"
OWNCLOUD_USERNAME = _setting("OWNCLOUD_USERNAME", "")
OWNCLOUD_PASSWORD = _setting("OWNCLOUD_PASSWORD", "")

CONTROL_PORT = _setting("DAYJOB_CONTROL_PORT", "2999")
CONTROL_URL = f"http://{SERVER_HOSTNAME}:{CONTROL_PORT}"
DAYJOB_CONTROL_TOKEN = _setting("DAYJOB_CONTROL_TOKEN", "")

LITELLM_BASE_URL = _setting("LITELLM_BASE_URL", "")
LITELLM_API_KEY = _setting("LITELLM_API_KEY", "")
LITELLM_MODEL = _setting("LITELLM_MODEL", "")
WITHOUT_MODELS = _setting("DAYJOB_WITHOUT_MODELS", "") != ""
"""Whether checks that ask a model are left out, as in gradings along the way."""

_DOORS = {
    "chat": ROCKETCHAT_URL,
    "forge": GITLAB_BASEURL,
    "board": PLANE_BASEURL,
    "drive": OWNCLOUD_URL,
    "control": CONTROL_URL,
    "model": LITELLM_BASE_URL,
}


def service_at(url: str) -> str | None:
    """Which of the trial's own services (or its model) this address belongs to; None for anybody else's."""
    try:
        asked = urlsplit(url)
        place = (asked.hostname, asked.port)
    except ValueError:
        return None
    for service, door in _DOORS.items():
        own = urlsplit(door)
        if door and place == (own.hostname, own.port):
            return service
    return None
