"""What chat refuses, as a value: a sentence, Rocket.Chat's error type and the HTTP status that carries it."""

from __future__ import annotations

from typing import Any

from dayjob.company.errors import Refused


class ChatError(Refused):
    """A refusal that reads `sentence [type]` on the wire, as Rocket.Chat writes it."""

    def __init__(
        self, sentence: str, type: str | None = None, *, status: int = 400, details: dict[str, Any] | None = None
    ) -> None:
        self.sentence = sentence
        self.type = type
        self.details = details
        super().__init__(status, self._told())

    def __str__(self) -> str:
        return self.sentence

    @property
    def wire_text(self) -> str:
        if self.type is None:
            return self.sentence
        return f"{self.sentence} [{self.type}]" if self.sentence else f"[{self.type}]"

    def _told(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"success": False, "error": self.wire_text}
        if self.type is not None:
            answer["errorType"] = self.type
        if self.details is not None:
            answer["details"] = self.details
        return answer


class Unauthenticated(ChatError):
    """Nobody is logged in; answered with 401 and the shape Rocket.Chat keeps for it."""

    def __init__(self, sentence: str = "You must be logged in to do this.") -> None:
        super().__init__(sentence, status=401)

    def _told(self) -> dict[str, Any]:
        return {"status": "error", "message": self.sentence}


def invalid(sentence: str) -> ChatError:
    """A parameter that is missing or of the wrong kind."""
    return ChatError(sentence, "invalid-params")


def not_allowed(sentence: str = "Not allowed") -> ChatError:
    return ChatError(sentence, "error-not-allowed")


def forbidden() -> ChatError:
    """The account lacks the permission an endpoint as a whole asks for."""
    return ChatError("User does not have the permissions required for this action", "error-unauthorized", status=403)


def no_room(sentence: str | None = None) -> ChatError:
    return ChatError(
        sentence or 'The required "roomId" or "roomName" param provided does not match any channel',
        "error-room-not-found",
    )


def no_user() -> ChatError:
    return ChatError("Invalid user", "error-invalid-user")


def no_message() -> ChatError:
    return ChatError('The provided "messageId" does not match any existing message.', "error-message-not-found")
