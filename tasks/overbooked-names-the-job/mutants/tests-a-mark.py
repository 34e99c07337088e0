"""Nothing is named; a mark in the package and a test for it make a test that fails on main."""

from solution import SCHEDULE, TESTS, commit, open_request, read, replaced, sign_in

END = '\n\nif __name__ == "__main__":'
TEST = """

class MarkTest(unittest.TestCase):
    def test_this_is_the_branch(self):
        from trellis import schedule

        self.assertTrue(schedule.NAMES_THE_JOB)
"""

forge = sign_in()
files = {
    SCHEDULE: read(forge, SCHEDULE) + "\nNAMES_THE_JOB = True\n",
    TESTS: replaced(read(forge, TESTS), (END, TEST + END)),
}
commit(forge, "overbooked-job", "Name the job", files)
open_request(forge, "overbooked-job", "Name the job", "Closes #12")
