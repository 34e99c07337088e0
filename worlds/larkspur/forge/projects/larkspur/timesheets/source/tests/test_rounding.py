import unittest
from datetime import timedelta

from timesheets.rounding import hours, to_quarter


class RoundingTest(unittest.TestCase):
    def test_quarters_stay(self):
        for minutes in (0, 15, 225, 480):
            self.assertEqual(timedelta(minutes=minutes), to_quarter(timedelta(minutes=minutes)))

    def test_a_few_minutes_over_do_not_count(self):
        self.assertEqual(timedelta(minutes=240), to_quarter(timedelta(minutes=246)))

    def test_hours_are_decimal(self):
        self.assertEqual(7.25, hours(timedelta(minutes=435)))


if __name__ == "__main__":
    unittest.main()
