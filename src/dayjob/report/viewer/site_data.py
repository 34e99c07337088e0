"""What a published site's pages search and compare with: small scripts that hand JSON to the page.

They are scripts because a page that is opened from a disk may load no JSON; their content is data all the same, and
written so that nothing in it can be anything else.
"""

from __future__ import annotations

import json
from typing import Any

# A page reads all of it at once: what a large run says is cut so that the whole stays small.
LARGEST_WORDS = 8 * 1024 * 1024
WORDS_OF_A_TRIAL = 20_000
KIND = "text/javascript; charset=utf-8"


def data_script(key: str, value: Any) -> bytes:
    """A script that hands over one value under its key."""
    # ASCII only, and no "<": the same text wherever a browser reads it.
    key_text, text = (json.dumps(one).replace("<", "\\u003c") for one in (key, value))
    return f"dayjobData({key_text}, {text});\n".encode("ascii")


def words_each(trials: int) -> int:
    """How many characters of each trial are searched."""
    return min(WORDS_OF_A_TRIAL, LARGEST_WORDS // max(1, trials))
