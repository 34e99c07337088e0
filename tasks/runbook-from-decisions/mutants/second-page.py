"""Writes a page beside the old one, which stays as dangerous as it is."""

from solution import SECTIONS, WIKI, announce, sign_in, text

content = {"title": "runbook", "content": text(SECTIONS)}
sign_in().post(WIKI, json=content, timeout=30).raise_for_status()
announce()
