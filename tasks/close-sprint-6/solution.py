"""Reads Priya's rule, moves what is unfinished, comments on each, and reports."""

import requests

CHAT, BOARD = "http://larkspur.test:3000/api/v1", "http://larkspur.test:8091/api/v1/workspaces/larkspur"
KEY = {"x-api-key": "plane_api_sam_reed_first_day"}


def board(method, path, **given):
    answer = requests.request(method, f"{BOARD}/{path}", headers=KEY, timeout=30, **given)
    answer.raise_for_status()
    return answer.json() if answer.content else None


def project():
    return next(one["id"] for one in board("GET", "projects/")["results"] if one["name"] == "Trellis")


def sprints(place):
    return {one["name"]: one["id"] for one in board("GET", f"projects/{place}/cycles/")["results"]}


def items(place, sprint):
    """The items of a sprint, each with the group of its state."""
    groups = {one["id"]: one["group"] for one in board("GET", f"projects/{place}/states/")["results"]}
    found = board("GET", f"projects/{place}/cycles/{sprint}/cycle-issues/")["results"]
    return [{**one, "group": groups[one["state"]]} for one in found]


def move(place, sprint, some):
    ids = [one["id"] for one in some]
    board("POST", f"projects/{place}/cycles/{sprint}/cycle-issues/", json={"issues": ids})


def comment(place, some, text="Not finished in Sprint 6; goes on in Sprint 7."):
    for one in some:
        board("POST", f"projects/{place}/issues/{one['id']}/comments/", json={"comment_html": f"<p>{text}</p>"})


def tell(count, words="Sprint 6 is closed: {} items went over to Sprint 7."):
    given = {"user": "sam.reed", "password": "sam-reed-first-day"}
    login = requests.post(f"{CHAT}/login", json=given, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    message = {"channel": "@priya.nair", "text": words.format(count)}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


def unfinished(place):
    found = items(place, sprints(place)["Sprint 6"])
    return [one for one in found if one["group"] not in ("completed", "cancelled")]


if __name__ == "__main__":
    here = project()
    left = unfinished(here)
    move(here, sprints(here)["Sprint 7"], left)
    comment(here, left)
    tell(len(left))
