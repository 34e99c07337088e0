"""A fuzzer of the four services: many generated requests, and a look at whether anything broke, stalled or grew."""
