"""Runs in other people's formats: TAC's submission layout, ATIF trajectories, flat rows."""
