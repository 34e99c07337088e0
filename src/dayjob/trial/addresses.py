"""Which addresses are on the public internet, and which only look so.

The ranges are those of IANA's registries of special-purpose addresses. An address that carries another one inside, for
a translator or a relay to take out, counts as that other one; a range whose relays lead anywhere is refused as a whole.
"""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_REFUSED_4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",
            "100.64.0.0/10",  # shared by a provider's customers
            "127.0.0.0/8",
            "169.254.0.0/16",  # this link; clouds tell their secrets here
            "172.16.0.0/12",
            "192.0.0.0/24",  # protocol assignments, among them anycast to one's own network
            "192.0.2.0/24",  # documentation
            "192.52.193.0/24",  # relays of multicast tunnels
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)

_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_REFUSED_6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, relays, identifiers that are no places
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)
# Within a refused range, yet servers of the public internet: those that answer for private names.
_ALLOWED_6 = (ipaddress.IPv6Network("2001:4:112::/48"),)

_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
# What ISATAP puts before the IPv4 address in the lower half of any prefix, for a private or a public one.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def on_the_internet(address: Address) -> bool:
    """Whether it leads to the public internet and nowhere else."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _REFUSED_4)
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED:
        return on_the_internet(ipaddress.IPv4Address(number & 0xFFFF_FFFF))
    if address not in _GLOBAL_6 or address.scope_id is not None:
        return False
    if address in _SIX_TO_FOUR and not on_the_internet(ipaddress.IPv4Address(number >> 80 & 0xFFFF_FFFF)):
        return False
    if number >> 32 & 0xFFFF_FFFF in _ISATAP and not on_the_internet(ipaddress.IPv4Address(number & 0xFFFF_FFFF)):
        return False
    return any(address in network for network in _ALLOWED_6) or not any(address in network for network in _REFUSED_6)
