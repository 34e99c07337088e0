"""The generators of Larkspur's documents: the same bytes every time, from facts.toml and fixed seeds.

Each kind of document is a module with `files()`, which gives paths below worlds/larkspur and their contents.
"""
