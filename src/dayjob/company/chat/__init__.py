"""Chat: Rocket.Chat's wire (REST and realtime) on one company's own database."""

from dayjob.company.chat.service import Chat

__all__ = ["Chat"]
