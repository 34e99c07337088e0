"""Tells everybody that it is done."""

from solution import sign_in, tell

tell(sign_in())
