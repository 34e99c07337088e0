"""Takes Greenacre Gardens in Breda for Greenacre Nursery in Ghent as well."""

from solution import export, pairs, put

found = list(pairs())
named = {row["company"]: row for row in export()}
put([*found, (named["Greenacre Nursery"], named["Greenacre Gardens"])])
