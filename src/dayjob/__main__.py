"""`python -m dayjob` is the command `dayjob`."""

from dayjob.cli import main

main()
