"""What is in the store as the wire tells it: WebDAV's XML (`xml`, `properties`) and OCS's answers (the rest)."""
