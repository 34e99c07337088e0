"""One cache of layers and snapshots for all agent tests of a worker."""

from __future__ import annotations

from tests.trial.conftest import cache as cache
