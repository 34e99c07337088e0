import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from trellis.cli import clock, main


class CliTest(unittest.TestCase):
    def run_day(self, **facts):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "day.json")
            path.write_text(json.dumps(facts), encoding="utf-8")
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main([str(path)])
        return code, out.getvalue(), err.getvalue()

    def test_the_day_begins_at_eight(self):
        self.assertEqual(["08:00", "09:30"], [clock(0), clock(90)])

    def test_a_plan_is_printed_line_by_line(self):
        code, out, _ = self.run_day(jobs=[{"name": "pot", "minutes": 90}, {"name": "air", "minutes": 10, "due": 9}])
        self.assertEqual((0, "08:00  air\n08:10  pot\n"), (code, out))

    def test_a_day_that_is_too_full_ends_with_a_message(self):
        code, out, err = self.run_day(jobs=[{"name": "repot everything", "minutes": 500}])
        self.assertEqual((1, ""), (code, out))
        self.assertIn("20 minutes too many", err)


if __name__ == "__main__":
    unittest.main()
