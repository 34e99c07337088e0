"""The drive's rules over its tables; nothing here knows HTTP."""
