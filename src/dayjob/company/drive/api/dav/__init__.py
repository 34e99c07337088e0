"""The WebDAV half of the wire: one file for each family of methods."""
