"""The workspace's settings: values by id, remembered until one changes."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Setting
from dayjob.company.chat.store.base import Page, Part, Store
from dayjob.company.chat.store.conditions import Condition, among, holding
from dayjob.company.rows import packed


class Settings(Part):
    """Reads and writes settings."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._values: dict[str, Any] = {}

    def forget(self) -> None:
        self._values.clear()

    def get(self, id: str) -> Any:
        """A setting's value; None when there is no such setting."""
        if id not in self._values:
            text = self.store.value("SELECT value FROM settings WHERE id = ?", id)
            self._values[id] = json.loads(text) if text is not None else None
        return self._values[id]

    def number(self, id: str) -> int:
        value = self.get(id)
        return int(value) if isinstance(value, int | float) else 0

    def find(self, id: str) -> Setting | None:
        return self.store.one(Setting, "settings WHERE id = ?", id)

    def listing(
        self, page: Page, *, public: bool, ids: list[str] | None = None, text: str = ""
    ) -> tuple[list[Setting], int]:
        found = Condition("public OR ?", (not public,))
        if ids:
            found &= among("id", ids)
        if text:
            found &= holding(text, "id")
        return self.store.page(Setting, f"settings WHERE {found.sql}", page, page.order or "id", *found.arguments)

    def set(self, id: str, value: Any) -> None:
        """Change a setting; its kind (text, number, yes/no) stays what it is."""
        setting = self.find(id)
        if setting is None:
            raise ChatError("Invalid setting", "error-invalid-setting")
        kinds: dict[str, tuple[type, ...]] = {
            "boolean": (bool,),
            "int": (int,),
            "string": (str,),
            "multiSelect": (list,),
        }
        if not isinstance(value, kinds.get(setting.type, (object,))):
            raise ChatError(f"Invalid setting value: {id} takes a {setting.type}", "error-invalid-setting-value")
        with self.store.change():
            self.store.run(
                "UPDATE settings SET value = ?, updated_at = ? WHERE id = ?", packed(value), self.store.now(), id
            )
        self._values.pop(id, None)

    def add(self, id: str, value: Any, section: str) -> None:
        with self.store.change():
            self.store.run(
                "INSERT OR REPLACE INTO settings (id, value, type, public, section, updated_at) VALUES (?, ?, ?, 0, "
                "?, ?)",
                id,
                packed(value),
                kind_of(value),
                section,
                self.store.now(),
            )
        self._values.pop(id, None)


def kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "int"
    return "multiSelect" if isinstance(value, list) else "string"
