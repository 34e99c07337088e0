"""A report written down: for a terminal, as Markdown, JSON, CSV, or one self-contained page of HTML."""
