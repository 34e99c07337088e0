"""HTTP that knows nothing of companies: request bodies, routing, and serving apps on sockets."""
