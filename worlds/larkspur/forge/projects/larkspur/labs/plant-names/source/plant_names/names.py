"""Names as people write them, made comparable, and the list they are compared with."""

import unicodedata

KNOWN = (
    "Acer palmatum", "Anemone hupehensis", "Clematis viticella", "Delphinium elatum", "Fuchsia magellanica",
    "Geranium sanguineum", "Hydrangea arborescens", "Lavandula angustifolia", "Lavandula stoechas",
    "Paeonia lactiflora", "Salvia nemorosa", "Salvia officinalis", "Syringa vulgaris", "Thymus vulgaris",
)


def plain(name):
    """Small letters without accents, marks or crosses: 'Helleborus × hybridus' is 'helleborus hybridus'."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(letter if letter.isalpha() else " " for letter in letters if not unicodedata.combining(letter))
    return " ".join(kept.split())
