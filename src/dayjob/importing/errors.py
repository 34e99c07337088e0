"""The one error of an import: a sentence that names the place and the fix."""


class CannotImport(Exception):
    """Nothing was written; the sentence says why."""
