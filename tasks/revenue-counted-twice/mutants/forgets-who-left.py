"""Joins the number of sites instead of the sites, and loses the customers that have none."""

from solution import REPORT, TEST, ask_sofia, february, propose, sign_in, tell

report = REPORT.replace(
    "SUM((SELECT COUNT(*) FROM sites WHERE sites.customer = customers.id))", "SUM(owned.sites)"
).replace(
    "GROUP BY customers.country\n",
    "JOIN (SELECT customer, COUNT(*) AS sites FROM sites GROUP BY customer) AS owned ON owned.customer = customers.id\n"
    "GROUP BY customers.country\n",
)
path, _ = ask_sofia()
forge = sign_in()
propose(forge, report, TEST[: TEST.index("    def test_a_customer_without")])
tell(forge, february(path, report))
