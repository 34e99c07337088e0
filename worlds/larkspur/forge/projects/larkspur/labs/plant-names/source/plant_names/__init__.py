"""Finds the plant that is meant by a misspelt name."""
