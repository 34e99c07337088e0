"""Are the colleagues at work? For `post_init.py`, before the examinee begins."""

from __future__ import annotations

import logging
import os
import time

import requests

from dayjob.grading import config
from dayjob.grading.chat import create_rocketchat_client

log = logging.getLogger("common")


def npc_ready(within: float = 10.0) -> bool:
    """Whether every colleague of this task is in chat and, where they think with a model, the model answers."""
    names = [name for name in os.environ.get("DAYJOB_COLLEAGUES", "").split(",") if name]
    client = create_rocketchat_client() if names else None
    if names and client is None:
        log.error("chat does not answer, so nobody can be asked whether the colleagues are there")
        return False
    until = time.monotonic() + within
    for name in names:
        assert client is not None
        while (found := client.call_api_get("users.getPresence", username=name).json().get("presence")) in (
            None,
            "offline",
        ):
            if time.monotonic() > until:
                log.error("%s is not in chat (%s)", name, found)
                return False
            time.sleep(0.1)
    return _model_ready()


def _model_ready() -> bool:
    if not config.LITELLM_BASE_URL:
        return True  # colleagues without a model follow their scripts
    try:
        answer = requests.get(
            f"{config.LITELLM_BASE_URL.rstrip('/')}/ready",
            headers={"Authorization": f"Bearer {config.LITELLM_API_KEY}"},
            timeout=120,
        )
    except requests.RequestException as error:
        log.error("the model's door does not answer: %r", error)
        return False
    if answer.status_code != 200:
        log.error("the model does not answer: %s", answer.text[:300])
    return answer.status_code == 200
