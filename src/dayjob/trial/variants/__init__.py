"""Variants of families: drawn and made in a room, kept in the cache as ordinary task folders."""

from dayjob.trial.variants.key import BadKey as BadKey
from dayjob.trial.variants.key import VariantKey as VariantKey
from dayjob.trial.variants.making import PrivateVariant as PrivateVariant
from dayjob.trial.variants.making import Variant as Variant
from dayjob.trial.variants.making import found_folder as found_folder
from dayjob.trial.variants.making import make_here as make_here
from dayjob.trial.variants.making import variant_of_spec as variant_of_spec
