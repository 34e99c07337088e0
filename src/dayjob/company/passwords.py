"""Passwords as kept in a database: salted and hashed, and compared without telling how much matched.

One hash is enough here: accounts are fixtures written in a world's files, and every request of a client carries one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def hash_password(password: str, salt: str | None = None) -> str:
    """What is kept of a password; the salt is a new one unless a world's compiler hands it its own."""
    salt = secrets.token_hex(8) if salt is None else salt
    return f"{salt}${_digest(salt, password)}"


def password_fits(password: str, kept: str) -> bool:
    salt, _, digest = kept.partition("$")
    return hmac.compare_digest(_digest(salt, password), digest)


def _digest(salt: str, password: str) -> str:
    return hashlib.blake2b(password.encode("utf-8", "surrogatepass"), key=salt.encode(), digest_size=24).hexdigest()
