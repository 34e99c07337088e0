"""Documents made readable in a page: each is opened by a program of its own, with little time and memory.

`kinds` says what a file is, `texts` reads plain text here, `runner` starts `worker` for everything else.
"""
