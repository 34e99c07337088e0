"""Plans the day of a nursery."""
