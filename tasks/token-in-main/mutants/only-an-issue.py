"""A lucky guess: an issue that says no more than the task does, and it is somebody else's."""

from solution import open_issue, sign_in

open_issue(sign_in(), "On Thursday a token was committed to main of infra.", title="Rotate the token")
