"""Says of one of the two that he is not meant."""

from solution import counted, put, say

put(counted())
say("@hana.sato", "Mateo Vargas and Jana Weber. It is not Jonas Weber.")
