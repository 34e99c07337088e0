"""Does all of it, and makes the issue Sam's, due today."""

from solution import FORGE, PROJECT, announce, listed, merged, release, sign_in, tick

forge = sign_in()
release(forge, listed(merged(forge)))
announce()
tick(forge, "Release candidate")
content = {"assignee_ids": [forge.get(f"{FORGE}/api/v4/user", timeout=30).json()["id"]], "due_date": "2026-03-09"}
forge.put(f"{PROJECT}/issues/11", json=content, timeout=30).raise_for_status()
