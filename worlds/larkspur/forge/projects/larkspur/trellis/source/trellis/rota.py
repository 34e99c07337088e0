"""Who does what: jobs go to people who can do them and still have time."""

from dataclasses import dataclass, field


@dataclass
class Person:
    name: str
    skills: frozenset = frozenset()
    minutes: int = 8 * 60
    jobs: list = field(default_factory=list)

    @property
    def free(self):
        return self.minutes - sum(job.minutes for job in self.jobs)

    def can(self, job):
        return (job.skill is None or job.skill in self.skills) and job.minutes <= self.free


class Nobody(Exception):
    """No one who is at work can take the job."""

    def __init__(self, job):
        super().__init__(f"nobody can take '{job.name}'")
        self.job = job


def share(jobs, people):
    """Give every job to somebody: the one with the fewest other skills first, so that specialists stay free."""
    for job in sorted(jobs, key=lambda job: (job.due, -job.minutes)):
        able = [person for person in people if person.can(job)]
        if not able:
            raise Nobody(job)
        min(able, key=lambda person: (len(person.skills), -person.free)).jobs.append(job)
    return {person.name: person.jobs for person in people}
