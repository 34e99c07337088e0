"""The class of each service, imported when first needed."""

from __future__ import annotations

import importlib

from dayjob.company.service import Service


def service_class(name: str) -> type[Service]:
    """The class behind `chat`, `forge`, `board` or `drive`."""
    module = importlib.import_module(f"dayjob.company.{name}")
    found: type[Service] = getattr(module, name.capitalize())
    return found
