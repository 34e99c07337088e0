import unittest

from trellis.schedule import Job
from trellis.weather import adjust


class WeatherTest(unittest.TestCase):
    def minutes(self, jobs, rain, warmest):
        return [(job.name, job.minutes) for job in adjust(jobs, rain, warmest)]

    def test_rain_does_the_watering(self):
        self.assertEqual([("sweep", 20)], self.minutes([Job("Water the beds", 60), Job("sweep", 20)], 9, 18))

    def test_a_little_rain_saves_a_little_time(self):
        self.assertEqual([("water the beds", 45)], self.minutes([Job("water the beds", 60)], 4, 18))

    def test_heat_costs_time(self):
        self.assertEqual([("water the beds", 75)], self.minutes([Job("water the beds", 60)], 0, 30))

    def test_under_glass_it_never_rains(self):
        self.assertEqual([("water ferns", 30)], self.minutes([Job("water ferns", 30, inside=True)], 12, 18))


if __name__ == "__main__":
    unittest.main()
