import unittest

from reports.database import build
from reports.report import BadReport, names, run


class UsageTest(unittest.TestCase):
    def setUp(self):
        self.db = build(":memory:")
        self.addCleanup(self.db.close)

    def test_sites_that_were_not_used_are_listed_too(self):
        _, rows = run(self.db, "usage", "2025-01")
        self.assertEqual(("Sample Nursery One", "Kortrijk", 2, 5), rows[3])
        self.assertIn(("Mustergärtnerei", "Bonn", 0, 0), rows)

    def test_growth_counts_who_signed(self):
        _, rows = run(self.db, "growth", "2025-01")
        self.assertEqual([("BE", 1, 2), ("DE", 0, 1), ("FR", 0, 1), ("NL", 0, 1)], rows)

    def test_every_report_runs(self):
        for name in names():
            heading, _ = run(self.db, name, "2025-01")
            self.assertTrue(heading, name)

    def test_a_report_that_does_not_exist_is_refused(self):
        with self.assertRaisesRegex(BadReport, "known are growth, revenue, usage"):
            run(self.db, "weather", "2025-01")


if __name__ == "__main__":
    unittest.main()
