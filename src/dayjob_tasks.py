"""The taskset under a name that verifiers finds: it takes a module at the top, and what this one exports."""

from dayjob.adapters.verifiers import Office, OfficeHarness, OfficeTaskset

__all__ = ["Office", "OfficeHarness", "OfficeTaskset"]
