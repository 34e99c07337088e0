"""Hof Birkenau's lists: other plants, and another way to lay them out on paper. Canonical is the world's sample."""

# Article, genus, variety, pot, price, stock, group.
SAMPLE = [
    ("HB-101", "Delphinium", "Black Knight", "P11", "4.50", 36, "Stauden"),
    ("HB-102", "Delphinium", "Magic Fountains", "P11", "4.20", 48, "Stauden"),
    ("HB-103", "Delphinium", "Astolat", "P14", "5.90", 18, "Stauden"),
    ("HB-104", "Geranium", "Rozanne", "P11", "5.80", 60, "Stauden"),
    ("HB-105", "Geranium", "Johnson's Blue", "P11", "4.90", 24, "Stauden"),
    ("HB-106", "Salvia", "Caradonna", "P9", "3.40", 120, "Stauden"),
    ("HB-107", "Salvia", "Ostfriesland", "P9", "3.20", 96, "Stauden"),
    ("HB-108", "Salvia", "Amethyst", "P11", "4.10", 40, "Stauden"),
    ("HB-109", "Anemone", "Honorine Jobert", "P11", "4.80", 30, "Stauden"),
    ("HB-110", "Hydrangea", "Annabelle", "C5", "18.90", 22, "Gehölze"),
    ("HB-111", "Hydrangea", "Limelight", "C5", "19.90", 16, "Gehölze"),
    ("HB-112", "Syringa", "Andenken an Ludwig Späth", "C10", "34.50", 8, "Gehölze"),
    ("HB-113", "Acer", "Sango-kaku", "C10", "59.00", 4, "Gehölze"),
    ("HB-114", "Acer", "Bloodgood", "C10", "54.00", 6, "Gehölze"),
    ("HB-115", "Acer", "Shishigashira", "C15", "89.00", 2, "Gehölze"),
    ("HB-116", "Thymus", "Silver Queen", "P9", "2.60", 150, "Kräuter"),
    ("HB-117", "Thymus", "Zitronenthymian", "P9", "2.60", 140, "Kräuter"),
    ("HB-118", "Mentha", "Mojito", "P11", "3.10", 90, "Kräuter"),
    ("HB-119", "Mentha", "Schoko", "P11", "3.10", 75, "Kräuter"),
    ("HB-120", "Mentha", "Ananas", "P11", "3.20", 70, "Kräuter"),
    ("HB-121", "Salvia", "Purpurascens", "P11", "3.30", 55, "Kräuter"),
]
# The list that the examinee has not seen: a price above a thousand, no stock, no variety, a genus in two groups.
NEXT = [
    ("HB-201", "Paeonia", "Sarah Bernhardt", "C3", "14.90", 12, "Stauden"),
    ("HB-202", "Paeonia", "Festiva Maxima", "C3", "14.90", 0, "Stauden"),
    ("HB-203", "Helleborus", "", "P11", "7.50", 64, "Stauden"),
    ("HB-204", "Aster", "Mönch", "P9", "3.60", 110, "Stauden"),
    ("HB-205", "Aster", "Königin & Sohn", "P9", "3.80", 85, "Stauden"),
    ("HB-206", "Acer", "Osakazuki", "C70", "1249.00", 1, "Gehölze"),
    ("HB-207", "Magnolia", "Susan", "C10", "49.50", 7, "Gehölze"),
    ("HB-208", "Magnolia", "Genie", "C10", "58.00", 5, "Gehölze"),
    ("HB-209", "Rosa", "Gloire de Dijon", "C5", "22.00", 18, "Rosen"),
    ("HB-210", "Rosa", "New Dawn", "C5", "21.00", 20, "Rosen"),
    ("HB-211", "Rosa", "Ghislaine de Féligonde", "C5", "24.00", 9, "Rosen"),
    ("HB-212", "Aster", "Sternkugel", "P11", "4.20", 33, "Für den Herbst"),
]
LAYOUT = {"band": "group", "columns": ["genus", "article", "variety", "pot", "price", "stock"], "price": "{} €"}
# Group: genus: what may be in the sample of it.
SAMPLE_MAY = {
    "Stauden": {
        "Delphinium": ["Black Knight", "Magic Fountains", "Astolat", "Galahad"],
        "Geranium": ["Rozanne", "Johnson's Blue", "Biokovo"],
        "Salvia": ["Caradonna", "Ostfriesland", "Amethyst", "Mainacht"],
        "Anemone": ["Honorine Jobert", "Pamina"],
        "Hosta": ["Halcyon", "Patriot", "Francee"],
        "Astilbe": ["Fanal", "Deutschland", "Brautschleier"],
    },
    "Gehölze": {
        "Hydrangea": ["Annabelle", "Limelight", "Vanille Fraise"],
        "Syringa": ["Andenken an Ludwig Späth", "Madame Lemoine"],
        "Acer": ["Sango-kaku", "Bloodgood", "Shishigashira"],
        "Viburnum": ["Dawn", "Eve Price"],
        "Cornus": ["Midwinter Fire", "Sibirica", "Satomi"],
    },
    "Kräuter": {
        "Thymus": ["Silver Queen", "Zitronenthymian", "Compactus"],
        "Mentha": ["Mojito", "Schoko", "Ananas"],
        "Salvia": ["Purpurascens", "Icterina", "Tricolor"],
        "Origanum": ["Compactum", "Thumbles"],
        "Allium": ["Forescate", "Elbe"],
    },
}
NEXT_MAY = {
    "Stauden": {
        "Paeonia": ["Sarah Bernhardt", "Festiva Maxima", "Bowl of Beauty"],
        "Aster": ["Mönch", "Königin & Sohn", "Veilchenkönigin"],
        "Sedum": ["Herbstfreude", "Matrona", "Xenox"],
    },
    "Gehölze": {
        "Magnolia": ["Susan", "Genie", "Leonard Messel"],
        "Hamamelis": ["Jelena", "Pallida", "Diane"],
    },
    "Rosen": {"Rosa": ["Gloire de Dijon", "New Dawn", "Ghislaine de Féligonde", "Ghita & Renate"]},
    "Für den Herbst": {"Aster": ["Sternkugel", "Blaue Lagune", "Jenny"]},
}
# Pot to the prices that are asked for plants in it, in tenths of a euro.
POTS = {"P9": (24, 40), "P11": (31, 60), "P14": (52, 89), "C3": (119, 169), "C5": (179, 249), "C10": (345, 620)}
USUAL = {"Gehölze": ["C5", "C10"], "Rosen": ["C3", "C5"], "Stauden": ["P9", "P11", "P14"]}


def values(sample, following, layout, changed):
    return {"changed": changed, "layout": layout, "key": {"sample": sample, "next": following}}


CANONICAL = values(SAMPLE, NEXT, LAYOUT, changed=False)


def plants(random, may, always, genera):
    """A few genera of each group, those of `always` among them: dictionaries without an article."""
    found = []
    for group, all_of_it in may.items():
        others = sorted(all_of_it.keys() - {always})
        chosen = random.sample(others, min(genera, len(others))) + [always] * (always in all_of_it)
        random.shuffle(chosen)
        for genus in chosen:
            varieties = random.sample(all_of_it[genus], random.randrange(1, len(all_of_it[genus]) + 1))
            for variety in varieties:
                pot = random.choice(USUAL.get(group, ["P9", "P11"]))
                price = f"{random.randrange(*POTS[pot]) / 10:.2f}"
                stock = random.randrange(2, 160)
                found.append(
                    {"genus": genus, "variety": variety, "pot": pot, "price": price, "stock": stock, "group": group}
                )
    return found


def in_order(found, band, first):
    """With articles, from `first` on, as the list has them: one band after the other."""
    bands = list(dict.fromkeys(one[band] for one in found))
    ordered = sorted(found, key=lambda one: bands.index(one[band]))
    fields = ("genus", "variety", "pot", "price", "stock", "group")
    return [[f"HB-{first + at}", *(one[field] for field in fields)] for at, one in enumerate(ordered)]


def draw(random):
    """In every sample Salvia is in two groups, as Lena and Luca have written; the next list has what is rare."""
    band = random.choice(["group", "genus"])
    middle = random.sample(["article", "variety", "pot"], 3)
    last = random.sample(["price", "stock"], 2)
    layout = {
        "band": band,
        "columns": ["genus" if band == "group" else "group", *middle, *last],
        "price": random.choice(["{} €", "€ {}"]),
    }
    sample = plants(random, SAMPLE_MAY, "Salvia", 3)
    following = plants(random, NEXT_MAY, "Aster", 2)
    random.choice(following)["stock"] = 0
    rare = {"pot": "C70", "price": f"{random.randrange(1010, 1990)}.00", "stock": 1, "group": "Gehölze"}
    following.append({"genus": "Acer", "variety": random.choice(["Osakazuki", "Katsura"]), **rare})
    bare = {"genus": "Helleborus", "variety": "", "pot": "P11", "price": "7.50"}
    following.insert(0, {**bare, "stock": random.randrange(20, 90), "group": "Stauden"})
    return values(in_order(sample, band, 101), in_order(following, band, 201), layout, changed=True)
