"""The forge's queries and rules; nothing here knows HTTP."""
