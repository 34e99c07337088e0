"""The methods of the realtime wire, by name. Most do what a REST endpoint does, with arguments by position."""

from dayjob.company.chat.realtime.methods import messages, people, rooms
from dayjob.company.chat.realtime.methods.calling import METHODS, Caller, run_method

__all__ = ["METHODS", "Caller", "messages", "people", "rooms", "run_method"]
