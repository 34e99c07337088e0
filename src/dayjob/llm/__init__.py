"""The gateway: one way to models for examinee, colleagues and judge. Counts, limits, records, labels its faults."""
