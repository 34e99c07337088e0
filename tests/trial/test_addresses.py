"""Every special-purpose range of IANA's registries, both ways: what is refused, and the public address next to it."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

import pytest

from dayjob.trial.addresses import on_the_internet

# The range, whether it is on the public internet, and a public address right outside of it ("" where none is near).
RANGES = [
    ("0.0.0.0/8", False, "1.0.0.0"),
    ("10.0.0.0/8", False, "9.255.255.255"),
    ("10.0.0.0/8", False, "11.0.0.0"),
    ("100.64.0.0/10", False, "100.63.255.255"),
    ("100.64.0.0/10", False, "100.128.0.0"),
    ("127.0.0.0/8", False, "126.255.255.255"),
    ("169.254.0.0/16", False, "169.253.255.255"),
    ("169.254.0.0/16", False, "169.255.0.0"),
    ("172.16.0.0/12", False, "172.15.255.255"),
    ("172.16.0.0/12", False, "172.32.0.0"),
    ("192.0.0.0/24", False, "191.255.255.255"),
    ("192.0.0.0/29", False, ""),
    ("192.0.0.8/32", False, ""),
    ("192.0.0.9/32", False, ""),
    ("192.0.0.10/32", False, ""),
    ("192.0.0.170/31", False, ""),
    ("192.0.2.0/24", False, "192.0.1.255"),
    ("192.31.196.0/24", True, ""),
    ("192.52.193.0/24", False, "192.52.192.255"),
    ("192.88.99.0/24", False, "192.88.98.255"),
    ("192.88.99.0/24", False, "192.88.100.0"),
    ("192.168.0.0/16", False, "192.167.255.255"),
    ("192.175.48.0/24", True, ""),
    ("198.18.0.0/15", False, "198.17.255.255"),
    ("198.18.0.0/15", False, "198.20.0.0"),
    ("198.51.100.0/24", False, "198.51.99.255"),
    ("203.0.113.0/24", False, "203.0.112.255"),
    ("224.0.0.0/4", False, "223.255.255.255"),
    ("240.0.0.0/4", False, ""),
    ("255.255.255.255/32", False, ""),
    ("::/128", False, ""),
    ("::1/128", False, ""),
    ("::/96", False, ""),
    ("64:ff9b:1::/48", False, ""),
    ("100::/64", False, ""),
    ("100:0:0:1::/64", False, ""),
    ("2001::/23", False, "2001:200::"),
    ("2001::/32", False, ""),
    ("2001:1::1/128", False, ""),
    ("2001:1::2/128", False, ""),
    ("2001:1::3/128", False, ""),
    ("2001:2::/48", False, ""),
    ("2001:3::/32", False, ""),
    ("2001:4:112::/48", True, ""),
    ("2001:10::/28", False, ""),
    ("2001:20::/28", False, ""),
    ("2001:30::/28", False, ""),
    ("2001:db8::/32", False, "2001:db7:ffff::"),
    ("2001:db8::/32", False, "2001:db9::"),
    ("2620:4f:8000::/48", True, ""),
    ("3fff::/20", False, "3ffe:ffff::"),
    ("5f00::/16", False, ""),
    ("fc00::/7", False, ""),
    ("fe80::/10", False, ""),
    ("fec0::/10", False, ""),
    ("ff00::/8", False, ""),
]


@pytest.mark.parametrize(("network", "public", "beside"), RANGES)
def test_a_special_range_is_what_the_registry_says_and_its_neighbour_is_public(
    network: str, public: bool, beside: str
) -> None:
    known: IPv4Network | IPv6Network = ip_network(network)
    middle = known[known.num_addresses // 2]
    assert [on_the_internet(one) for one in (known[0], middle, known[-1])] == [public] * 3
    assert not beside or on_the_internet(ip_address(beside))


CARRIED = [
    ("::ffff:{}", ("8.8.8.8", True), ("10.0.0.1", False), ("127.0.0.1", False), ("169.254.169.254", False)),
    ("64:ff9b::{}", ("8.8.8.8", True), ("10.0.0.1", False), ("127.0.0.1", False), ("192.88.99.1", False)),
    ("2600::5efe:{}", ("8.8.8.8", True), ("10.0.0.1", False), ("192.168.1.1", False), ("0.0.0.0", False)),
    ("2600::200:5efe:{}", ("8.8.8.8", True), ("10.0.0.1", False), ("172.16.0.1", False), ("100.64.0.1", False)),
]


@pytest.mark.parametrize(
    ("form", "inner", "public"), [(form, inner, public) for form, *cases in CARRIED for inner, public in cases]
)
def test_an_address_that_carries_another_counts_as_that_one(form: str, inner: str, public: bool) -> None:
    assert on_the_internet(ip_address(form.format(inner))) is public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("2002:808:808::1", True),  # 8.8.8.8 by 6to4
        ("2002:a00:1::1", False),  # 10.0.0.1
        ("2002:7f00:1::1", False),  # 127.0.0.1
        ("2002:c0a8:101:1::5efe:8.8.8.8", False),  # a public address within a private one
        ("2002:808:808:1::5efe:10.0.0.1", False),  # and the other way round
        ("2001:0:808:808::f7f7:f7f7", False),  # Teredo, whose relays lead to any port of any machine
        ("::ffff:0:8.8.8.8", False),  # SIIT: translated inside one network
        ("::8.8.8.8", False),  # IPv4-compatible: nobody routes it
        ("fe80::5efe:8.8.8.8", False),
        ("4000::1", False),  # not given to anybody
        ("2606:4700::1111", True),
        ("2a00:1450:4001:830::200e", True),
        ("93.184.216.34", True),
    ],
)
def test_an_address_is_public_only_if_every_way_to_read_it_is(address: str, public: bool) -> None:
    assert on_the_internet(ip_address(address)) is public


def test_an_address_of_one_interface_is_not_public() -> None:
    assert not on_the_internet(ip_address("2606:4700::1111%eth0"))
