"""How rows look on the wire: one function for each entity of the API."""
