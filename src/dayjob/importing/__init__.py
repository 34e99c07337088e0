"""Worlds made from what others have published: `import_tac` reads a checkout of TheAgentCompany that the user has."""

from dayjob.importing.errors import CannotImport
from dayjob.importing.gaps import Gap
from dayjob.importing.tac import Imported, import_tac

__all__ = ["CannotImport", "Gap", "Imported", "import_tac"]
