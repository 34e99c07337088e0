import unittest

from trellis.schedule import Job, Overbooked, plan


class PlanTest(unittest.TestCase):
    def test_the_earliest_due_hour_comes_first(self):
        planned = plan([Job("pot lavender", 90, due=15), Job("water ferns", 30, due=9)])
        self.assertEqual([(0, "water ferns"), (30, "pot lavender")], [(start, job.name) for start, job in planned])

    def test_a_day_that_is_too_short_is_refused(self):
        with self.assertRaises(Overbooked):
            plan([Job("repot everything", 600)])


if __name__ == "__main__":
    unittest.main()
