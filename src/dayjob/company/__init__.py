"""The simulated company: a world written as files, compiled to a snapshot, cloned and served."""
