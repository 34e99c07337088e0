"""Chat's rules and queries, without HTTP: one part per idea, all on one company's database."""

from dayjob.company.chat.store.base import Announce, Page, Store

__all__ = ["Announce", "Page", "Store"]
