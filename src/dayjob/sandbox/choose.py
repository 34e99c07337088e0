"""Sandboxes by name."""

from __future__ import annotations

from pathlib import Path

from dayjob.sandbox.sandbox import SandboxError, Site

NAMES = ("embedded", "docker")


def make_site(name: str, cache: Path) -> Site:
    """The way to make sandboxes of this kind; imported when first needed."""
    if name == "embedded":
        from dayjob.sandbox.embedded.site import EmbeddedSite

        return EmbeddedSite(cache)
    if name == "docker":
        from dayjob.sandbox.docker.site import DockerSite

        return DockerSite()
    raise SandboxError(f"there is no sandbox '{name}'; there are {', '.join(NAMES)}")
