"""What the company saw: `accessed` asks the journal, `changes` asks what is different since the examinee started.

Both talk to the control API, which the examinee cannot reach; a control API that does not answer is a fault, not a no.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import requests

from dayjob.grading import config
from dayjob.grading.faults import ServiceFault
from dayjob.service_names import SERVICES

# Whose requests count: the examinee's, and those of a person at a company served by hand.
WORKING = ("examinee", "people")


def accessed(service: str, path_prefix: str, method: str | None = None, by: str | None = None) -> bool:
    """Did the examinee successfully ask `service` for a path that starts with `path_prefix`?

    `method` and `by` (an account's user name) narrow it. Percent-encoding makes no difference. Being sent elsewhere,
    such as to the log-in page, is no success; what follows a posted form (303) or is still known (304) is.
    """
    name = _service(service)
    prefix = unquote(path_prefix)
    return any(
        row["service"] == name
        and row["role"] in WORKING
        and (int(row["status"]) < 300 or int(row["status"]) in (303, 304))
        and unquote(row["path"]).startswith(prefix)
        and (method is None or row["method"].upper() == method.upper())
        and (by is None or row["account"] == by)
        for row in _ask("journal", {"service": name, "prefix": prefix})["rows"]
    )


def changes(service: str | None = None) -> list[dict[str, Any]]:
    """What is new, gone or different since the examinee started, of one service or of all.

    Each change has `service`, `table`, `op` (added, removed, changed), `key`, `before`, `after`, `by` and `words`.
    """
    asked = {} if service is None else {"service": _service(service)}
    rows: list[dict[str, Any]] = _ask("changes", asked)["changes"]
    return rows


def _service(name: str) -> str:
    try:
        return SERVICES[name]
    except KeyError:
        raise ValueError(f"there is no service '{name}'; there are chat, forge, board and drive") from None


def _ask(what: str, parameters: dict[str, str]) -> dict[str, Any]:
    url = f"{config.CONTROL_URL}/api/{what}"
    try:
        response = requests.get(
            url, params=parameters, headers={"X-Dayjob-Token": config.DAYJOB_CONTROL_TOKEN}, timeout=30
        )
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
    except (requests.RequestException, ValueError) as error:
        raise ServiceFault(f"the control API did not answer GET /api/{what}: {error}") from error
    return answer
