"""Sandboxes in Docker: on request, where a task needs it, and away from Linux. Speaks to the `docker` command."""
