"""Dayjob puts AI agents to work in a small, private, simulated company and measures what they get done."""

__version__ = "0.1.0"
