"""A lucky guess: an issue, and it is somebody else's."""

from solution import open_issue, sign_in

open_issue(sign_in(), "There is a token somewhere on main.")
