"""AES as seals need it, from `cryptography` where it is installed and else from the OpenSSL that Python itself uses.

Images carry only pure-Python packages, so inside a container it is usually the latter. Nothing here is our own
cryptography: both are the same library underneath.
"""

from __future__ import annotations

import ctypes
from typing import Any

TAG = 16
_SET_TAG = 0x11  # EVP_CTRL_AEAD_SET_TAG


class Damaged(Exception):
    """The bytes are not what was sealed with this key."""


class NoCipher(Exception):
    """Nothing on this machine can open a seal; the sentence says what to install."""


def gcm_open(key: bytes, nonce: bytes, data: bytes, about: bytes) -> bytes:
    """What AES-256-GCM sealed (its tag at the end), if it, `about` and the key are all intact; else `Damaged`."""
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        return _openssl(b"AES-256-GCM", key, nonce, data[:-TAG], about, data[-TAG:])
    try:
        return AESGCM(key).decrypt(nonce, data, about)
    except InvalidTag:
        raise Damaged from None


def gcm_seal(key: bytes, nonce: bytes, data: bytes, about: bytes) -> bytes:
    """Only where images are built, which is where `cryptography` is installed."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key).encrypt(nonce, data, about)


def cbc_open(key: bytes, start: bytes, data: bytes) -> bytes:
    """What AES-128-CBC encrypted, without its padding. Check that it is intact before."""
    try:
        from cryptography.hazmat.primitives import padding
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        return _openssl(b"AES-128-CBC", key, start, data)
    opening = Cipher(algorithms.AES(key), modes.CBC(start)).decryptor()
    unpadding = padding.PKCS7(128).unpadder()
    try:
        return unpadding.update(opening.update(data) + opening.finalize()) + unpadding.finalize()
    except ValueError:
        raise Damaged from None


def _openssl(cipher: bytes, key: bytes, start: bytes, data: bytes, about: bytes = b"", tag: bytes = b"") -> bytes:
    """Decrypt through OpenSSL's EVP functions."""
    library = _library()
    context = library.EVP_CIPHER_CTX_new()
    out = ctypes.create_string_buffer(len(data) + 32)
    done = ctypes.c_int(0)
    try:
        good = library.EVP_DecryptInit_ex(context, library.EVP_get_cipherbyname(cipher), None, key, start)
        if about:
            good &= library.EVP_DecryptUpdate(context, None, ctypes.byref(done), about, len(about))
        good &= library.EVP_DecryptUpdate(context, out, ctypes.byref(done), data, len(data))
        size = done.value
        if tag:
            good &= library.EVP_CIPHER_CTX_ctrl(context, _SET_TAG, len(tag), tag)
        end = ctypes.create_string_buffer(32)
        good &= library.EVP_DecryptFinal_ex(context, end, ctypes.byref(done))
        if good != 1:
            raise Damaged
        return out.raw[:size] + end.raw[: done.value]
    finally:
        library.EVP_CIPHER_CTX_free(context)


def _library() -> Any:
    """libcrypto, found through the module of Python's own that is linked with it."""
    try:
        import _hashlib

        library = ctypes.CDLL(_hashlib.__file__)
        library.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
        library.EVP_get_cipherbyname.restype = ctypes.c_void_p
        text, size, handle = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
        library.EVP_DecryptInit_ex.argtypes = (handle, handle, handle, text, text)
        library.EVP_DecryptUpdate.argtypes = (handle, handle, handle, text, size)
        library.EVP_CIPHER_CTX_ctrl.argtypes = (handle, size, size, text)
        library.EVP_DecryptFinal_ex.argtypes = (handle, handle, handle)
        library.EVP_CIPHER_CTX_free.argtypes = (handle,)
    except (ImportError, AttributeError, OSError):
        raise NoCipher("nothing here can open a seal; install the Python package cryptography in the image") from None
    return library
