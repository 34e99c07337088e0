"""A running company's tools over the Model Context Protocol."""
