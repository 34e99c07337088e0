"""The board's rules and queries, one file per idea. Nothing here knows HTTP."""
