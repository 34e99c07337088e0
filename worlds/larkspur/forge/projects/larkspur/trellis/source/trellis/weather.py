"""How long watering takes on a given day: rain saves time, heat costs it."""

from dataclasses import replace

RAIN_IS_ENOUGH = 8  # millimetres since yesterday evening
HOT = 26  # degrees


def watering(job, rain, warmest):
    """The watering job as the weather makes it, or None when the rain has done it."""
    if rain >= RAIN_IS_ENOUGH:
        return None
    minutes = job.minutes * (1 - rain / (2 * RAIN_IS_ENOUGH))
    if warmest >= HOT:
        minutes *= 1.25
    return replace(job, minutes=round(minutes / 5) * 5)


def adjust(jobs, rain, warmest):
    """All jobs of a day; those outside that begin with 'water' follow the weather."""
    found = []
    for job in jobs:
        if job.name.lower().startswith("water") and not job.inside:
            job = watering(job, rain, warmest)
        if job is not None:
            found.append(job)
    return found
