"""The rows of the forge's tables, as typed values."""
