"""The four services by name: our own, and that of the product whose wire each speaks."""

from __future__ import annotations

WIRES = {"chat": "rocketchat", "forge": "gitlab", "board": "plane", "drive": "owncloud"}
"""What dependencies.yml and published evaluators call each service."""
SERVICES = {**{wire: name for name, wire in WIRES.items()}, **{name: name for name in WIRES}}
"""Each service by either name."""
NAMES = tuple(WIRES)
