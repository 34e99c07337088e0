"""Tags the release branch, lists what was merged into it since the last release, announces it, ticks it off."""

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Ftrellis"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
TAG, BRANCH, LAST = "v2.0.0-rc1", "release-2.0", "v1.5.0"
LINK = f"{FORGE}/larkspur/trellis/-/releases/{TAG}"
NEWS = f"""trellis {TAG} is tagged on release-2.0: {LINK}
For customers: nothing before the 16th; then holidays in Germany and France, no plan on closed days, time for lunch.
Watch: plans around lunch, and days on which a nursery is closed.
Call: Lena."""


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def ask(forge, path, **params):
    answer = forge.get(f"{PROJECT}/{path}", params=params, timeout=30)
    answer.raise_for_status()
    return answer.json()


def merged(forge, ref=BRANCH):
    """The merge requests whose merge is a commit of the branch and not of the last release, the oldest first."""
    between = ask(forge, "repository/commits", ref_name=f"{LAST}..{ref}", per_page=100)
    commits = {one["id"] for one in between}
    requested = ask(forge, "merge_requests", state="merged", per_page=100)
    found = [one for one in requested if {one["merge_commit_sha"], one["sha"]} & commits]
    return sorted(found, key=lambda one: one["merged_at"])


def listed(requested):
    return "\n".join(f"- {one['title']} (!{one['iid']})" for one in requested)


def release(forge, text, ref=BRANCH, name=TAG):
    """The tag, and a release of it."""
    forge.post(f"{PROJECT}/repository/tags", json={"tag_name": TAG, "ref": ref}, timeout=30).raise_for_status()
    content = {"tag_name": TAG, "name": name, "description": text}
    forge.post(f"{PROJECT}/releases", json=content, timeout=30).raise_for_status()


def announce(text=NEWS, channel="releases"):
    login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    room = requests.get(f"{CHAT}/channels.info", params={"roomName": channel}, headers=headers, timeout=30).json()
    place = {"roomId": room["channel"]["_id"]}
    requests.post(f"{CHAT}/channels.join", json=place, headers=headers, timeout=30).raise_for_status()
    message = {**place, "text": text}
    requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()


def tick(forge, *lines):
    """Tick off the lines of issue 11 that begin like this."""
    text = ask(forge, "issues/11")["description"]
    for line in lines:
        if f"- [ ] {line}" not in text:
            raise SystemExit(f"not in issue 11: {line}")
        text = text.replace(f"- [ ] {line}", f"- [x] {line}")
    forge.put(f"{PROJECT}/issues/11", json={"description": text}, timeout=30).raise_for_status()


if __name__ == "__main__":
    session = sign_in()
    release(session, listed(merged(session)))
    announce()
    tick(session, "Release candidate")
