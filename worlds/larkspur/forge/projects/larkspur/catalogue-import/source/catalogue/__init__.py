"""Plant catalogues of nurseries."""

from catalogue.plant import BadCatalogue, Plant
from catalogue.reading import read

__all__ = ["BadCatalogue", "Plant", "read"]
