"""Which eight companies the export has twice, under which second names, and how its entries are numbered."""

# As the customer list has it: the world's number in the export, the second name, the address.
COMPANIES = {
    "Tuinhuis De Linde": (44, "Tuinhuis de Linde BV", "roos@tuinhuis-de-linde.test"),
    "Blumenhof Krause": (145, "Blumenhof Krause GmbH", "katrin@blumenhof-krause.test"),
    "Pépinière Marchand": (9, "Pepiniere Marchand", "margaux@pepiniere-marchand.test"),
    "Gartenwelt Sommer": (75, "Gartenwelt Sommer GmbH & Co. KG", "torsten@gartenwelt-sommer.test"),
    "Orchidee & Co": (16, "Orchidee en Co", "lieve@orchidee-co.test"),
    "Kwekerij Van Damme": (66, "Kwekerij Vandamme", "geert@kwekerij-van-damme.test"),
    "Greenacre Nursery": (118, "Greenacre Nursery NV", "koen@greenacre-nursery.test"),
    "Het Bloemenatelier": (23, "Bloemenatelier, het", "an@het-bloemenatelier.test"),
    "Kwekerij De Vlier": (24, "Kwekerij de Vlier BV", "an@kwekerij-de-vlier.test"),
    "Tuincentrum De Boer": (110, "Tuincentrum de Boer B.V.", "maarten@tuincentrum-de-boer.test"),
    "Baumschule Müller": (111, "Baumschule Mueller", "torsten@baumschule-muller.test"),
    "Gärtnerei Vogt": (34, "Gaertnerei Vogt GmbH", "markus@gartnerei-vogt.test"),
    "Pépinière Girard": (148, "Pepiniere Girard SARL", "camille@pepiniere-girard.test"),
    "Pépinière Fontaine": (50, "Pepiniere Fontaine", "didier@pepiniere-fontaine.test"),
    "Kwekerij Van Dijk": (104, "Kwekerij Vandijk", "maarten@kwekerij-van-dijk.test"),
    "Plantencentrum Van Dijk": (126, "Plantencentrum v. Dijk", "daan@plantencentrum-van-dijk.test"),
    "De Groene Vingers": (134, "Groene Vingers, de", "els@de-groene-vingers.test"),
    "Serres du Lac": (57, "Serres Du Lac SARL", "agnes@serres-du-lac.test"),
    "Jardins Delacroix": (61, "Jardins de la Croix", "yves@jardins-delacroix.test"),
    "Hof Birkenau": (49, "Birkenau Hof", "dirk@hof-birkenau.test"),
    "Rosenau": (77, "Rosenau GmbH", "anke@rosenau.test"),
    "Staudengärtnerei Hartmann": (123, "Staudengaertnerei Hartmann GmbH", "markus@staudengartnerei-hartmann.test"),
    "Boomkwekerij Lambrecht": (142, "Boomkwekerij Lambrechts", "koen@boomkwekerij-lambrecht.test"),
    "Tuinland Kuipers": (39, "Tuinland Kuypers", "sander@tuinland-kuipers.test"),
    "Floralies Renard": (139, "Floralies Renard SAS", "luc@floralies-renard.test"),
    "Bloemisterij De Eik": (94, "Bloemisterij de Eik", "lotte@bloemisterij-de-eik.test"),
    "Tuinen 't Park": (99, "Tuinen Het Park", "an@tuinen-t-park.test"),
    "Vergers Roussel": (90, "Vergers Roussel et Fils", "luc@vergers-roussel.test"),
}
# The world's numbers of the second entries, in the order of the first eight companies.
SECOND = [54, 4, 80, 85, 71, 112, 10, 6]
ENTRIES = 148


def values(companies, capitals, order):
    """`order` has the world's numbers as they follow each other here; `capitals` are the companies whose second
    address is in capitals."""
    number = {old: f"S{new:04}" for new, old in enumerate(order, start=1)}
    pairs = []
    for company, second in zip(companies, SECOND, strict=True):
        first, also, email = COMPANIES[company]
        pairs.append(
            {
                "company": company,
                "also": also,
                "email": email,
                "capitals": company in capitals,
                "first": first,
                "second": second,
                "keep": number[first],
                "remove": number[second],
            }
        )
    key = {"pairs": sorted([pair["keep"], pair["remove"]] for pair in pairs)}
    return {"order": order, "pairs": pairs, "key": key}


CANONICAL = values(
    companies=list(COMPANIES)[:8],
    capitals=["Blumenhof Krause", "Gartenwelt Sommer", "Orchidee & Co", "Greenacre Nursery"],
    order=list(range(1, ENTRIES + 1)),
)


def draw(random):
    companies = random.sample(list(COMPANIES), 8)
    return values(companies, companies[:4], random.sample(range(1, ENTRIES + 1), ENTRIES))
