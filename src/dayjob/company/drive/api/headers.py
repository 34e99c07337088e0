"""Request headers read once into a plain mapping: a request asks for a dozen of them."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import Scope

Headers = Mapping[str, str]
"""Lower-case name → value; of a repeated header, the last."""


def read_headers(scope: Scope) -> Headers:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
