"""Lists the launch items and the job order of Sprint 7 too, which has no label."""

from solution import items, line, tell, write

found = [*items(), (34, "Jobs with the same due hour change places", False, ["Jonas Weber"])]
write([line(*one) for one in sorted(found)])
tell([29, 33])
