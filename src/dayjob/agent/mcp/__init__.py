"""A running company as MCP tools: the protocol (`server`), and what each service offers (`chat`, `forge`, …)."""
