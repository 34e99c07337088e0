"""Leaves Marta Kruger on the list: nobody asked Felix."""

from solution import QUALIFIED, put, sign_in, tell

put(QUALIFIED)
tell(sign_in(), QUALIFIED)
