"""The forge: GitLab's wire (`/api/v4`, GraphQL, smart HTTP git, pages) on real repositories."""

from dayjob.company.forge.service import Forge

__all__ = ["Forge"]
