"""Runs and trials in a browser: an index over evidence folders, pages made from them, live or as a static site."""
