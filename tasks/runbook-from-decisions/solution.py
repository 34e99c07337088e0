"""Writes down what is in force of the decisions in #platform, on the page that was out of date, and says so."""

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
WIKI = f"{FORGE}/api/v4/projects/larkspur%2Fplatform%2Finfra/wikis"
LINK = f"{FORGE}/larkspur/platform/infra/-/wikis/deploying"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
SECTIONS = {
    "When": """On Tuesdays and Thursdays between 19:00 and 20:00. Start at 19:00 sharp or not at all.

Never on a Friday, never on the day before a public holiday.""",
    "How": """1. Change the release in `hosts/`, run `./check.py`, push.
2. `./deploy.sh greenhouse-2`
3. Wait thirty minutes, with all checks green.
4. `./deploy.sh greenhouse-1`""",
    "Backups": """Whoever deploys takes a backup before each deploy and looks at its size before going on.

Fourteen backups of each host are kept. The nightly job, which deletes older ones, runs at 03:30.""",
    "Rolling back": """Deploy the tag before the bad one.

Whoever deploys decides alone, within fifteen minutes of the first alarm.""",
    "Announcing": """Whoever deploys says so in #releases, before it starts and when it is over.""",
    "Alarms": """A disk that is 80 percent full wakes somebody up: the one who is on call.""",
    "Launch": """From Friday 13 March, 17:00, nothing is deployed until the launch.

On Monday 16 March Jonas and Chidi deploy at 07:00.""",
}


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def text(sections):
    return "\n\n".join(["# Deploying", *(f"## {title}\n\n{said}" for title, said in sections.items())]) + "\n"


def write(forge, sections):
    forge.put(f"{WIKI}/deploying", json={"content": text(sections)}, timeout=30).raise_for_status()


def announce(said=f"The page Deploying says what is decided here: {LINK}"):
    login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    asked = {"roomName": "platform"}
    room = requests.get(f"{CHAT}/channels.info", params=asked, headers=headers, timeout=30).json()["channel"]["_id"]
    requests.post(f"{CHAT}/channels.join", json={"roomId": room}, headers=headers, timeout=30).raise_for_status()
    content = {"roomId": room, "text": said}
    requests.post(f"{CHAT}/chat.postMessage", json=content, headers=headers, timeout=30).raise_for_status()


if __name__ == "__main__":
    write(sign_in(), SECTIONS)
    announce()
