"""Asks Sofia, adds invoices up before anything is joined, checks the sum on last night's file, and tells Tomas."""

import re
import sqlite3
import tempfile
import time

import requests

FORGE, CHAT = "http://larkspur.test:8929", "http://larkspur.test:3000/api/v1"
DRIVE = "http://larkspur.test:8092/remote.php/webdav"
PROJECT = f"{FORGE}/api/v4/projects/larkspur%2Fdata%2Freports"
USER, PASSWORD = "sam.reed", "sam-reed-first-day"
QUERY, TESTS = "queries/revenue.sql", "tests/test_revenue.py"
TITLE = "Count every invoice once"

REPORT = """-- Revenue of a month by country: what was invoiced in it, without VAT, in euros. Credit notes are negative.
-- Whoever was invoiced counts, with or without a site.
WITH invoiced AS (
    SELECT customer, SUM(cents) AS cents
    FROM invoices
    WHERE strftime('%Y-%m', day) = :month
    GROUP BY customer
)
SELECT customers.country AS country,
       COUNT(*) AS customers,
       SUM((SELECT COUNT(*) FROM sites WHERE sites.customer = customers.id)) AS sites,
       SUM(invoiced.cents) / 100.0 AS revenue
FROM invoiced
JOIN customers ON customers.id = invoiced.customer
GROUP BY customers.country
ORDER BY customers.country;
"""
TEST = """    def test_a_customer_with_two_sites_is_counted_once(self):
        self.db.execute("INSERT INTO sites VALUES (6, 1, 'Kortrijk')")
        self.assertEqual(96.0, self.revenue("2025-01")["BE"])

    def test_a_customer_without_a_site_is_counted(self):
        self.db.execute("DELETE FROM plans")
        self.db.execute("DELETE FROM sites")
        self.assertEqual(96.0, self.revenue("2025-01")["BE"])

"""
BEFORE = "    def test_a_month_is_a_month(self):\n"


def ask_sofia():
    """The path of last night's file and the total for February, as Sofia says them."""
    login = requests.post(f"{CHAT}/login", json={"user": USER, "password": PASSWORD}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    text = (
        "Good morning! I repair the revenue report, reports #4. Against which total do I check it, and on which data?"
    )
    message = {"channel": "@sofia.papadaki", "text": text}
    sent = requests.post(f"{CHAT}/chat.postMessage", json=message, headers=headers, timeout=30).json()["message"]
    for _ in range(400):
        found = requests.get(f"{CHAT}/im.history", params={"roomId": sent["rid"]}, headers=headers, timeout=30).json()
        said = " ".join(each["msg"] for each in found["messages"] if each["u"]["username"] == "sofia.papadaki")
        path, total = re.search(r"/Engineering/\S+\.sqlite", said), re.search(r"([\d,.]+) euros for February", said)
        if path and total:
            return path[0], float(total[1].replace(",", ""))
        time.sleep(0.05)
    raise SystemExit("Sofia did not answer")


def february(path, report=REPORT):
    """What a report says for February on a file of the drive: revenue by country."""
    answer = requests.get(DRIVE + path, auth=(USER, PASSWORD), timeout=30)
    answer.raise_for_status()
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(answer.content)
        file.flush()
        db = sqlite3.connect(file.name)
        rows = db.execute(report, {"month": "2026-02"}).fetchall()
        db.close()
    return {row[0]: row[-1] for row in rows}


def sign_in():
    """A session with a token of Sam's own."""
    forge = requests.Session()
    asked = {"grant_type": "password", "username": USER, "password": PASSWORD}
    answer = forge.post(f"{FORGE}/oauth/token", json=asked, timeout=30)
    answer.raise_for_status()
    forge.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return forge


def propose(forge, report=REPORT, test=TEST):
    """The report and its test on a branch, and a merge request with Sofia as its reviewer."""
    actions = [{"action": "update", "file_path": QUERY, "content": report}]
    if test:
        asked = f"{PROJECT}/repository/files/{TESTS.replace('/', '%2F')}/raw"
        text = forge.get(asked, params={"ref": "main"}, timeout=30).text
        if BEFORE not in text:
            raise SystemExit(f"not in {TESTS}: {BEFORE}")
        actions.append({"action": "update", "file_path": TESTS, "content": text.replace(BEFORE, test + BEFORE)})
    content = {"branch": "count-once", "start_branch": "main", "commit_message": TITLE, "actions": actions}
    forge.post(f"{PROJECT}/repository/commits", json=content, timeout=30).raise_for_status()
    people = forge.get(f"{FORGE}/api/v4/users", params={"username": "sofia.papadaki"}, timeout=30).json()
    content = {
        "source_branch": "count-once",
        "target_branch": "main",
        "title": TITLE,
        "description": "Closes #4",
        "reviewer_ids": [people[0]["id"]],
    }
    forge.post(f"{PROJECT}/merge_requests", json=content, timeout=30).raise_for_status()


def tell(forge, found):
    """The revenue of February, as a comment on the issue."""
    lines = [f"- {country}: {amount:,.2f}" for country, amount in found.items()]
    text = "\n".join(["@tomas.okafor February 2026, in euros:", "", *lines, f"- all: {sum(found.values()):,.2f}"])
    forge.post(f"{PROJECT}/issues/4/notes", json={"body": text}, timeout=30).raise_for_status()


if __name__ == "__main__":
    file_on_drive, agreed = ask_sofia()
    revenue = february(file_on_drive)
    if sum(revenue.values()) != agreed:
        raise SystemExit(f"{sum(revenue.values())} is not {agreed}")
    session = sign_in()
    propose(session)
    tell(session, revenue)
