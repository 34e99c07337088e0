"""The trial's CI runner: takes jobs over GitLab's runner wire and runs each in a room of its own.

It stands beside the company, not in it: the forge knows it only as a client with a runner's token. A job is green
because its commands ended with 0.
"""
