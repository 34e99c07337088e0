"""Programs for the project's authors; nothing here is installed."""
