"""Adds different amounts up, so that two customers who pay the same count as one."""

from solution import ask_sofia, february, propose, sign_in, tell

REPORT = """SELECT customers.country AS country,
       COUNT(DISTINCT customers.id) AS customers,
       COUNT(DISTINCT sites.id) AS sites,
       SUM(DISTINCT invoices.cents) / 100.0 AS revenue
FROM invoices
JOIN customers ON customers.id = invoices.customer
LEFT JOIN sites ON sites.customer = customers.id
WHERE strftime('%Y-%m', invoices.day) = :month
GROUP BY customers.country
ORDER BY customers.country;
"""
path, _ = ask_sofia()
forge = sign_in()
propose(forge, REPORT, test="")
tell(forge, february(path, REPORT))
