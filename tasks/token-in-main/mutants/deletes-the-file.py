"""Throws the relay's settings out with the token in them."""

from solution import PROJECT, SETTINGS, TITLE, merge, open_issue, sign_in, tell_chidi

forge = sign_in()
tell_chidi()
content = {
    "branch": "relay-token",
    "start_branch": "main",
    "commit_message": TITLE,
    "actions": [{"action": "delete", "file_path": SETTINGS}],
}
forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()
content = {"source_branch": "relay-token", "target_branch": "main", "title": TITLE}
merge(forge, forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30).json()["iid"])
open_issue(forge)
