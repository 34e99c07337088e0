"""Opens an issue for each fault, adds a customer to the one that exists, and answers every report with its link."""

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
IMPORT, WEB = "larkspur/catalogue-import", "larkspur/trellis-web"
# Where, title, and the customers whose reports it is about.
ISSUES = (
    (IMPORT, "Letters with umlauts and accents become question marks", ("Blumenhof Krause", "Plantenrijk")),
    (WEB, "Sunday is missing when the week is printed", ("Tuinhuis De Linde", "Kwekerij Van Damme")),
    (WEB, "Night shifts are shown a day late in the telephone's list", ("Pépinière Marchand",)),
)
KNOWN = (WEB, 4, "Serres du Lac")


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def chat():
    login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
    return {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}


def reports(headers):
    """The messages of #support since Monday a week ago, the oldest first."""
    asked = {"roomName": "support"}
    room = requests.get(f"{CHAT}/channels.info", params=asked, headers=headers, timeout=30).json()["channel"]["_id"]
    asked = {"roomId": room, "oldest": "2026-03-02T00:00:00Z", "count": 200}
    found = requests.get(f"{CHAT}/channels.history", params=asked, headers=headers, timeout=30).json()
    return found["messages"][::-1]


def report(headers, customer):
    return next(one for one in reports(headers) if one["msg"].startswith(f"{customer}:"))


def place(project):
    return f"{FORGE}/api/v4/projects/{project.replace('/', '%2F')}"


def addresses(forge):
    """Where the issues will be, one for each of ISSUES: the numbers after the newest of their repositories."""
    found, newest = [], {}
    for project, *_ in ISSUES:
        if project not in newest:
            asked = {"scope": "all", "order_by": "created_at", "per_page": 100}
            known = forge.get(f"{place(project)}/issues", params=asked, timeout=30)
            known.raise_for_status()
            newest[project] = max(one["iid"] for one in known.json())
        newest[project] += 1
        found.append(f"{FORGE}/{project}/-/issues/{newest[project]}")
    return found


def open_issue(forge, headers, project, title, customers, labels="bug,customer"):
    """The address of an issue with the reports in it."""
    text = "\n\n".join(report(headers, customer)["msg"] for customer in customers)
    content = {"title": title, "description": text, "labels": labels}
    answer = forge.post(f"{place(project)}/issues", json=content, timeout=30)
    answer.raise_for_status()
    return answer.json()["web_url"]


def comment(forge):
    """The address of the issue that exists, with a comment that says who has it too."""
    project, number, customer = KNOWN
    said = {"body": f"{customer} have it too: three people, since the last build."}
    forge.post(f"{place(project)}/issues/{number}/notes", json=said, timeout=30).raise_for_status()
    return f"{FORGE}/{project}/-/issues/{number}"


def answer(headers, customer, address):
    """In the thread of the customer's report."""
    root = report(headers, customer)
    content = {"roomId": root["rid"], "tmid": root["_id"], "text": f"There is an issue for it: {address}"}
    requests.post(f"{CHAT}/chat.postMessage", json=content, headers=headers, timeout=30).raise_for_status()


if __name__ == "__main__":
    session, signed = sign_in(), chat()
    for (where, what, who), link in zip(ISSUES, addresses(session), strict=True):
        open_issue(session, signed, where, what, who)
        for one in who:
            answer(signed, one, link)
    comment(session)
    answer(signed, KNOWN[2], f"{FORGE}/{KNOWN[0]}/-/issues/{KNOWN[1]}")
