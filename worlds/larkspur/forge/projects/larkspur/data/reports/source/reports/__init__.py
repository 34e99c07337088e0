"""Usage and revenue reports."""
