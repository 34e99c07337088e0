"""Environments as other libraries take them: each module is one of them, and needs its package when it is imported.

All of them play `Episode`: instructions, calls of typed tools, and a reward for what the work is worth.
"""
