"""Lists for the trade: JSON, grouped by genus, prices in cents."""

import json
from decimal import Decimal

from catalogue.plant import BadCatalogue, Plant, stock


def read(path):
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        genera = facts["genera"]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise BadCatalogue(f"{path.name}: this is not a list for the trade ({error})") from error
    plants = []
    for genus in genera:
        for item in genus.get("items", []):
            place = f"{path.name}, {genus.get('name')} {item.get('article')}"
            cents = item.get("cents")
            if not isinstance(cents, int) or cents <= 0:
                raise BadCatalogue(f"{place}: 'cents' is {cents!r}")
            plants.append(
                Plant(
                    str(item["article"]),
                    str(genus["name"]),
                    str(item.get("variety", "")),
                    str(item.get("pot", "")),
                    Decimal(cents) / 100,
                    stock(item.get("stock", 0), place),
                    str(genus.get("group", "")),
                )
            )
    return plants
