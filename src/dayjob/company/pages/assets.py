"""Style sheets and scripts by name and by content: a file's address holds its hash, so a browser asks for it once.

The addresses are a list made from the folders; whatever is not on it does not exist, and no path can lead elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

PREFIX = "/-/assets/"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_IMPORT = re.compile(r'(?<=")\./([a-z0-9-]+\.js)(?=")')


@dataclass(frozen=True, slots=True)
class Asset:
    address: str
    body: bytes
    packed: bytes
    type: str
    tag: str


class Assets:
    """The files of some folders; in a later folder a file takes the place of its namesake. Names are flat."""

    def __init__(self, *folders: Path) -> None:
        self._paths = {
            path.name: path
            for folder in folders
            if folder.is_dir()
            for path in sorted(folder.iterdir())
            if path.suffix in _TYPES
        }
        self._by_name: dict[str, Asset] = {}
        for name in self._paths:
            self._load(name, ())
        self._by_address = {asset.address: asset for asset in self._by_name.values()}

    def _load(self, name: str, importers: tuple[str, ...]) -> Asset:
        """Scripts name each other as `"./base.js"`; what is served names the hashed address."""
        if name in importers:
            raise ValueError(f"{' imports '.join((*importers, name))}: scripts must not import each other in a circle")
        if name not in self._by_name:
            path = self._paths[name]
            text = path.read_text("utf-8")
            if path.suffix == ".js":
                text = _IMPORT.sub(lambda found: self._load(found[1], (*importers, name)).address, text)
            body = text.encode()
            tag = hashlib.blake2b(body, digest_size=8).hexdigest()
            self._by_name[name] = Asset(
                f"{PREFIX}{path.stem}.{tag}{path.suffix}", body, gzip.compress(body, mtime=0), _TYPES[path.suffix], tag
            )
        return self._by_name[name]

    def address(self, name: str) -> str:
        return self._by_name[name].address

    def answer(self, request: Request) -> Response | None:
        """The file at the request's path; 404 below the prefix; None for every other path."""
        path: str = request.scope["path"]
        if not path.startswith(PREFIX):
            return None
        asset = self._by_address.get(path)
        if asset is None or request.method not in ("GET", "HEAD"):
            return Response("Not found", 404, {"x-content-type-options": "nosniff"}, "text/plain")
        headers = {
            "cache-control": "public, max-age=31536000, immutable",
            "etag": f'"{asset.tag}"',
            "vary": "accept-encoding",
            "x-content-type-options": "nosniff",
        }
        if f'"{asset.tag}"' in request.headers.get("if-none-match", ""):
            return Response(None, 304, headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(asset.packed, 200, headers | {"content-encoding": "gzip"}, asset.type)
        return Response(asset.body, 200, headers, asset.type)
