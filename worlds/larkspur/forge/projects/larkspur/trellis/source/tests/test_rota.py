import unittest

from trellis.rota import Nobody, Person, share
from trellis.schedule import Job


class ShareTest(unittest.TestCase):
    def names(self, shared):
        return {name: [job.name for job in jobs] for name, jobs in shared.items()}

    def test_a_job_goes_to_somebody_who_can_do_it(self):
        people = [Person("Wout"), Person("Elke", frozenset({"driving"}))]
        shared = share([Job("deliver to Aalst", 60, skill="driving"), Job("sweep", 30)], people)
        self.assertEqual({"Wout": ["sweep"], "Elke": ["deliver to Aalst"]}, self.names(shared))

    def test_those_with_fewer_skills_are_asked_first(self):
        people = [Person("Elke", frozenset({"driving"})), Person("Wout")]
        self.assertEqual({"Elke": [], "Wout": ["sweep"]}, self.names(share([Job("sweep", 30)], people)))

    def test_a_full_day_takes_no_more(self):
        with self.assertRaisesRegex(Nobody, "nobody can take 'rake'"):
            share([Job("mow", 470, due=10), Job("rake", 20)], [Person("Wout")])


if __name__ == "__main__":
    unittest.main()
