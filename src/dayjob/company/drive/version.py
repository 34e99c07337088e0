"""Which ownCloud the drive presents itself as."""

VERSION = "10.15.0"
FULL_VERSION = "10.15.0.2"
EDITION = "Community"
PRODUCT = "ownCloud"
