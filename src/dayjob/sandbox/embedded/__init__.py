"""Sandboxes from Linux namespaces and bubblewrap: no daemon, root or ordinary user, a few milliseconds each.

`sandbox` is what a trial holds. It asks the `warden`, one small process per host process, to fork the children that
enter namespaces; `room_building` and `room_commands` are what those children do. The warden and what it imports use
the standard library only.
"""
