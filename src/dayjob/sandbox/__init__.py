"""Where the examinee works: its own files, processes and network; the company is all it can see.

`sandbox` is the interface, `choose` finds the one a task needs; `embedded` and `docker` implement it. This file imports
nothing, because the embedded sandbox's own small processes live below it.
"""
