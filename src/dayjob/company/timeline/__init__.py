"""What people do at moments or after events of a company's time: read from `timeline.yml`, carried out once each."""

from dayjob.company.timeline.model import FILE, Entry, read_compiled, write_compiled
from dayjob.company.timeline.reading import load

__all__ = ["FILE", "Entry", "load", "read_compiled", "write_compiled"]
