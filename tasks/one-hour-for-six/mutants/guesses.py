"""A lucky guess: nobody was asked."""

from solution import announce, sign_in

announce(sign_in(), "Friday", 12)
