"""Colleagues: persona from the world, scenario from the task, a mind, and a place in chat as ordinary users."""
