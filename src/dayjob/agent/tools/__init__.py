"""What a model can be given to work with, each defined once: the worker, MCP and environments offer them.

A tool has a name, a sentence and typed parameters (`tool`). Some work inside a sandbox (`hands`), some ask a service as
one account (`chat`, `forge`, `board`, `drive`), and `clock` lets the company's time pass.
"""
