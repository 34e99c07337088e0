"""Right, and says of the others who came close that nobody has to talk with them."""

from solution import counted, put, say

put(counted())
say("@hana.sato", "Mateo Vargas and Jonas Weber. Jana Weber was late once only, and Sofia Papadaki stays below four.")
