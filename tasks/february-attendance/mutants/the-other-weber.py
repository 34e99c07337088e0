"""There are two Webers, and this is the wrong one."""

from solution import counted, put, say

put(counted())
say("@hana.sato", "Their leads have to talk with: Mateo Vargas, Jana Weber.")
