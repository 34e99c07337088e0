"""Finds out what kind of file a catalogue is, and reads it."""

from pathlib import Path

from catalogue import tables
from catalogue.plant import BadCatalogue

READERS = {".csv": tables.read}


def read(path):
    """The plants of a catalogue, in its order. Raises `BadCatalogue` for what cannot be read."""
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(READERS))
        raise BadCatalogue(f"{path.name}: this format is not read yet; known are {known}")
    plants = reader(path)
    seen = set()
    for plant in plants:
        if plant.article in seen:
            raise BadCatalogue(f"{path.name}: the article {plant.article} stands there twice")
        seen.add(plant.article)
    return plants
