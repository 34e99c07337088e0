"""Where an item's files go: signed addresses to send one to and fetch it from, as Plane's object store has them.

A signature is made with a secret of this running board, names one file, and ends after an hour of the company's time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from typing import Any
from urllib.parse import quote

from dayjob.company.clock import Clock

BUCKET = "/uploads"
# What Plane's own settings allow unless an administrator says otherwise.
SIZE_LIMIT = 5 * 1024 * 1024
LIFETIME = 3600

TYPES = frozenset(
    {
        "image/jpeg", "image/png", "image/gif", "image/svg+xml", "image/webp", "image/tiff", "image/bmp",
        "application/pdf", "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation", "text/plain", "application/rtf",
        "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.graphics",
        "application/vnd.visio", "application/x-netcdf", "application/x-httpd-php", "application/x-shellscript",
        "audio/mpeg", "audio/wav", "audio/ogg", "audio/midi", "audio/x-midi", "audio/aac", "audio/flac",
        "audio/x-m4a", "video/mp4", "video/mpeg", "video/ogg", "video/webm", "video/quicktime", "video/x-msvideo",
        "video/x-ms-wmv", "application/zip", "application/x-rar", "application/x-rar-compressed", "application/x-tar",
        "application/gzip", "application/x-zip", "application/x-zip-compressed", "application/x-7z-compressed",
        "application/x-compressed", "application/x-compressed-tar", "application/x-compressed-tar-gz",
        "application/x-compressed-tar-bz2", "application/x-compressed-tar-zip", "application/x-compressed-tar-7z",
        "application/x-compressed-tar-rar", "model/gltf-binary",
        "model/gltf+json", "application/octet-stream", "font/ttf", "font/otf", "font/woff", "font/woff2", "text/css",
        "text/javascript", "application/json", "text/xml", "text/csv", "application/xml", "text/markdown",
        "application/x-sql", "text/html", "text/calendar", "application/sql",
    }
)  # fmt: skip


class Storage:
    """Makes and checks the signatures of one running board."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.secret = secrets.token_bytes(32)

    def form(self, origin: str, key: str, kind: str, size: int) -> dict[str, Any]:
        """What a client posts, with the file, to send it."""
        until = self._now() + LIFETIME
        conditions = [{"key": key}, {"Content-Type": kind}, ["content-length-range", 1, size]]
        policy = base64.b64encode(json.dumps({"expiration": until, "conditions": conditions}).encode()).decode()
        fields = {
            "Content-Type": kind,
            "key": key,
            "x-amz-algorithm": "AWS4-HMAC-SHA256",
            "x-amz-credential": "board/uploads/s3/aws4_request",
            "x-amz-date": self._clock.now().strftime("%Y%m%dT%H%M%SZ"),
            "policy": policy,
            "x-amz-signature": self._sign(policy),
        }
        return {"url": f"{origin}{BUCKET}", "fields": fields}

    def allowed_size(self, key: str, policy: str, signature: str) -> int | None:
        """How large a file this form may send under that key; None when it may not."""
        if not hmac.compare_digest(self._sign(policy).encode(), signature.encode("utf-8", "replace")):
            return None
        facts = json.loads(base64.b64decode(policy))
        if facts["expiration"] < self._now() or facts["conditions"][0]["key"] != key:
            return None
        return int(facts["conditions"][2][2])

    def address(self, origin: str, key: str) -> str:
        """Where the file can be fetched for a while, without a key."""
        until = self._now() + LIFETIME
        signature = self._sign(f"{key}\n{until}")
        return f"{origin}{BUCKET}/{quote(key)}?X-Amz-Expires={until}&X-Amz-Signature={signature}"

    def may_fetch(self, key: str, until: str, signature: str) -> bool:
        expected = self._sign(f"{key}\n{until}")
        if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
            return False
        return int(until) >= self._now()

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _sign(self, text: str) -> str:
        return hmac.new(self.secret, text.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()
