"""Files in rooms: what is known of each; the bytes are blobs."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote

from dayjob.company.blobs import Blob
from dayjob.company.chat.errors import ChatError, not_allowed
from dayjob.company.chat.rows import Message, Room, Upload, User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.chat.store.conditions import Condition, holding


class Uploads(Part):
    """Adding, sending and listing files."""

    def get(self, id: str) -> Upload | None:
        return self.store.one(Upload, "uploads WHERE id = ?", id)

    def require_uploads(self, room: Room) -> None:
        """Refuse files where the workspace takes none: anywhere, or in direct rooms."""
        settings = self.store.settings
        if not settings.get("FileUpload_Enabled"):
            raise not_allowed("File uploads are disabled")
        if room.type == "d" and not settings.get("FileUpload_Enabled_Direct"):
            words = "File sharing not allowed in direct messages"
            raise ChatError(words, "error-direct-message-file-upload-not-allowed")

    def takes(self, type: str) -> bool:
        """Whether files of a media type may be sent: none that is refused, and, if some are named, only those."""
        refused, accepted = (self._kinds(f"FileUpload_MediaType{color}List") for color in ("Black", "White"))
        if any(fnmatchcase(type, kind) for kind in refused):
            return False
        return not accepted or any(fnmatchcase(type, kind) for kind in accepted)

    def _kinds(self, setting: str) -> list[str]:
        return [kind.strip() for kind in str(self.store.settings.get(setting) or "").split(",") if kind.strip()]

    def add(self, room: Room, user: User, name: str, type: str, blob: Blob) -> Upload:
        """Keep a file; it becomes part of the conversation when it is sent."""
        id = self.store.ids.short()
        with self.store.change():
            self.store.insert(
                "uploads",
                id=id,
                room_id=room.id,
                user_id=user.id,
                name=name,
                type=type,
                size=blob.size,
                blob=blob.hash,
                uploaded_at=self.store.now(),
            )
        found = self.get(id)
        assert found is not None
        return found

    def send(
        self, upload: Upload, room: Room, user: User, *, text: str, description: str | None, thread_id: str | None,
        custom_fields: dict[str, Any] | None = None,
    ) -> Message:  # fmt: skip
        """Post a message that carries the file."""
        with self.store.change():
            self.store.update("uploads", upload.id, complete=1, description=description)
            return self.store.messages.post(
                room, user, text, thread_id=thread_id, files=[file_of(upload)],
                attachments=[attachment(upload, description)], groupable=False, custom_fields=custom_fields,
            )  # fmt: skip

    def delete(self, upload: Upload) -> None:
        with self.store.change():
            self.store.run("DELETE FROM uploads WHERE id = ?", upload.id)

    def listing(self, room: Room, page: Page, *, name: str = "", group: str = "") -> tuple[list[Upload], int]:
        found = Condition("room_id = ?", (room.id,))
        if name:
            found &= holding(name, "name")
        if group in ("image", "video", "audio", "text"):
            found &= Condition("type LIKE ?", (f"{group}/%",))
        order = page.order or "uploaded_at DESC, id"
        return self.store.page(Upload, f"uploads WHERE {found.sql}", page, order, *found.arguments)


def path(upload: Upload) -> str:
    return f"/file-upload/{upload.id}/{quote(upload.name, safe='')}"


def file_of(upload: Upload) -> dict[str, Any]:
    """What a message says of the file itself."""
    return {
        "_id": upload.id, "name": upload.name, "type": upload.type, "size": upload.size,
        "format": upload.name.rpartition(".")[2],
    }  # fmt: skip


def attachment(upload: Upload, description: str | None) -> dict[str, Any]:
    link = path(upload)
    found: dict[str, Any] = {
        "ts": "1970-01-01T00:00:00.000Z",
        "title": upload.name,
        "title_link": link,
        "title_link_download": True,
        "type": "file",
    }
    if description:
        found["description"] = description
    for group in ("image", "audio", "video"):
        if upload.type.startswith(f"{group}/"):
            found |= {f"{group}_url": link, f"{group}_type": upload.type, f"{group}_size": upload.size}
    return found
