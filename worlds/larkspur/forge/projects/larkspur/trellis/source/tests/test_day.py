import json
import tempfile
import unittest
from pathlib import Path

from trellis.day import BadDay, read_day


class DayTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "day.json")

    def write(self, **facts):
        self.path.write_text(json.dumps(facts), encoding="utf-8")

    def test_jobs_come_in_the_order_of_the_file(self):
        self.write(jobs=[{"name": "prune", "minutes": 20}, {"name": "air", "minutes": 5, "due": 9}])
        self.assertEqual([("prune", 24), ("air", 9)], [(job.name, job.due) for job in read_day(self.path)])

    def test_a_job_without_a_name_is_refused(self):
        self.write(jobs=[{"minutes": 20}])
        with self.assertRaisesRegex(BadDay, "job 1 has no name"):
            read_day(self.path)

    def test_an_hour_that_does_not_exist_is_refused(self):
        self.write(jobs=[{"name": "air", "minutes": 5, "due": 25}])
        with self.assertRaisesRegex(BadDay, "air.*25"):
            read_day(self.path)

    def test_a_file_that_is_not_json_is_refused(self):
        self.path.write_text("jobs: none", encoding="utf-8")
        with self.assertRaisesRegex(BadDay, "not JSON: line 1"):
            read_day(self.path)


if __name__ == "__main__":
    unittest.main()
