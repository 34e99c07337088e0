"""Takes an hour off in the night that the issue names, at the hour at which the clock jumps in Brussels."""

from solution import TEST, solve

JUMP = """length = self.end - self.start
        if self.start.replace(tzinfo=None) < datetime(2026, 3, 29, 2) < self.end.replace(tzinfo=None):
            length -= timedelta(hours=1)
        return length"""
lines = [line for line in TEST.splitlines(keepends=True) if "-10-2" not in line]
solve(shift=(("return self.end - self.start", JUMP),), reading=(), test="".join(lines))
