"""Asks the file in SQL, by the README's definitions."""

import sqlite3
import tempfile

import requests

DRIVE = "http://larkspur.test:8092/remote.php/webdav/Engineering/Usage"
ACCOUNT = ("sam.reed", "sam-reed-first-day")
QUERY = """
SELECT c.country, count(DISTINCT c.number), count(DISTINCT CASE WHEN a.site IS NOT NULL THEN c.number END),
       count(DISTINCT a.site), (SELECT sum(w.swaps) FROM weeks w JOIN sites t ON t.id = w.site
                                JOIN customers d ON d.number = t.customer WHERE d.country = c.country)
FROM customers c JOIN sites s ON s.customer = c.number
LEFT JOIN (SELECT DISTINCT site FROM weeks WHERE {active}) a ON a.site = s.id
GROUP BY c.country ORDER BY c.country
"""
BY_README = "plans_saved > 0 AND monday > date('2025-12-31', '-28 days')"


def answer(active=BY_README):
    content = requests.get(f"{DRIVE}/2025-q4-usage.sqlite", auth=ACCOUNT, timeout=30).content
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(content)
        file.flush()
        return sqlite3.connect(file.name).execute(QUERY.format(active=active)).fetchall()


def put(rows):
    lines = ["country,customers,active_customers,active_sites,swaps", *(",".join(map(str, row)) for row in rows)]
    requests.put(f"{DRIVE}/2025-q4-active.csv", "\n".join(lines).encode(), auth=ACCOUNT, timeout=30).raise_for_status()


if __name__ == "__main__":
    put(answer())
