import unittest
from datetime import date

from trellis.calendar import easter, holidays, is_open, next_open


class CalendarTest(unittest.TestCase):
    def test_easter_moves(self):
        found = [easter(year) for year in (2024, 2025, 2026, 2027)]
        self.assertEqual([date(2024, 3, 31), date(2025, 4, 20), date(2026, 4, 5), date(2027, 3, 28)], found)

    def test_belgium_has_ten_public_holidays(self):
        days = holidays("BE", 2026)
        self.assertEqual(10, len(days))
        self.assertIn(date(2026, 5, 14), days)
        self.assertIn(date(2026, 5, 25), days)

    def test_sundays_and_holidays_are_closed(self):
        self.assertFalse(is_open(date(2026, 3, 15)))
        self.assertFalse(is_open(date(2026, 7, 21)))
        self.assertTrue(is_open(date(2026, 3, 16)))

    def test_easter_is_followed_by_a_tuesday(self):
        self.assertEqual(date(2026, 4, 7), next_open(date(2026, 4, 4)))


if __name__ == "__main__":
    unittest.main()
