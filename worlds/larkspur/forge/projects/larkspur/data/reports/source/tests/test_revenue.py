import unittest

from reports.database import build
from reports.report import BadReport, run


class RevenueTest(unittest.TestCase):
    def setUp(self):
        self.db = build(":memory:")
        self.addCleanup(self.db.close)

    def revenue(self, month):
        heading, rows = run(self.db, "revenue", month)
        return {row[0]: dict(zip(heading, row))["revenue"] for row in rows}

    def test_what_was_invoiced_is_added_up_by_country(self):
        self.assertEqual({"BE": 96.0, "NL": 81.0, "DE": 26.0, "FR": 45.0}, self.revenue("2025-01"))

    def test_a_credit_note_counts_against_its_month(self):
        self.assertEqual(26.0, self.revenue("2025-01")["DE"])

    def test_a_country_without_invoices_is_not_listed(self):
        self.assertEqual({"BE": 57.0, "NL": 81.0}, self.revenue("2025-02"))

    def test_a_month_is_a_month(self):
        with self.assertRaisesRegex(BadReport, "2025-13"):
            self.revenue("2025-13")


if __name__ == "__main__":
    unittest.main()
