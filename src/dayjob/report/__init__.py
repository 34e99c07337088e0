"""Results on disk, what they add up to, and how they are shown."""
