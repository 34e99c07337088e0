"""The drive: a company's files, on ownCloud's wire."""

from dayjob.company.drive.service import Drive

__all__ = ["Drive"]
