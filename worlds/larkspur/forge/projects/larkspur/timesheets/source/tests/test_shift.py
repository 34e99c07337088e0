import unittest
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from timesheets.shift import BadShift, Shift

BRUSSELS = ZoneInfo("Europe/Brussels")


def shift(start, end, pause=0):
    moments = (datetime.fromisoformat(one).replace(tzinfo=BRUSSELS) for one in (start, end))
    return Shift("Wout", *moments, timedelta(minutes=pause))


class ShiftTest(unittest.TestCase):
    def test_a_short_shift_has_no_break(self):
        self.assertEqual(timedelta(hours=4), shift("2025-06-02T08:00", "2025-06-02T12:00").worked)

    def test_from_six_hours_on_half_an_hour_is_taken_off(self):
        self.assertEqual(timedelta(hours=5, minutes=30), shift("2025-06-02T08:00", "2025-06-02T14:00").worked)

    def test_a_longer_break_counts_as_clocked(self):
        self.assertEqual(timedelta(hours=7), shift("2025-06-02T08:00", "2025-06-02T16:00", 60).worked)

    def test_a_night_shift_belongs_to_the_day_it_began(self):
        night = shift("2025-06-02T22:00", "2025-06-03T06:00")
        self.assertEqual(timedelta(hours=8), night.length)
        self.assertEqual(2, night.day.day)

    def test_a_shift_cannot_end_before_it_begins(self):
        with self.assertRaisesRegex(BadShift, "02 June ends before"):
            shift("2025-06-02T08:00", "2025-06-02T07:00")

    def test_a_shift_needs_a_time_zone(self):
        with self.assertRaisesRegex(BadShift, "time zone"):
            Shift("Wout", datetime(2025, 6, 2, 8), datetime(2025, 6, 2, 9))


if __name__ == "__main__":
    unittest.main()
