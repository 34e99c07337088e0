"""Real git behind the forge: bare repositories, reads and commits through libgit2, clone and push by git itself."""
