import contextlib
import io
import tempfile
import unittest
from datetime import date
from pathlib import Path

from timesheets.__main__ import main
from timesheets.payroll import by_day, totals
from timesheets.reading import read_shifts
from timesheets.shift import BadShift

WEEK = """person,in,out,break
Wout,2025-06-02T08:00,2025-06-02T16:30,30
Elke,2025-06-02T08:04,2025-06-02T12:07,
Wout,2025-06-03T13:00,2025-06-03T17:00,
"""


class PayrollTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "week.csv")
        self.path.write_text(WEEK)

    def test_hours_are_added_up_person_by_person(self):
        self.assertEqual({"Elke": 4.0, "Wout": 12.0}, totals(read_shifts(self.path, "Europe/Brussels")))

    def test_hours_can_be_told_day_by_day(self):
        found = by_day(read_shifts(self.path, "Europe/Brussels"))
        self.assertEqual(4.0, found["Wout", date(2025, 6, 3)])

    def test_a_line_that_cannot_be_read_is_named(self):
        self.path.write_text(WEEK + "Elke,tomorrow,later,\n")
        with self.assertRaisesRegex(BadShift, "line 5"):
            read_shifts(self.path, "Europe/Brussels")

    def test_the_command_prints_a_line_a_person(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main([str(self.path)])
        self.assertEqual((0, "Elke,4.00\nWout,12.00\n"), (code, out.getvalue()))


if __name__ == "__main__":
    unittest.main()
