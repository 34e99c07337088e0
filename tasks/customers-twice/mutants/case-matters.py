"""Takes the e-mail addresses as they are written."""

from solution import pairs, put

put([(keep, remove) for keep, remove in pairs() if keep["email"] == remove["email"]])
