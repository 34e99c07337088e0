"""What is written to a clock's page is what a room reads from it."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest

from dayjob.clock_page import SIZE, ClockPage, read

MARCH = 1_773_046_800_000_000_000  # 2026-03-09 09:00 UTC


@pytest.fixture
def page(tmp_path: Path) -> tuple[ClockPage, Path]:
    path = tmp_path / "clock"
    with path.open("w+b") as file:
        return ClockPage(file.fileno()), path


def test_a_running_clock_goes_on_with_the_hosts(page: tuple[ClockPage, Path]) -> None:
    clock, path = page
    before = time.time_ns()
    clock.write(MARCH, stands=False)
    after = time.time_ns()
    assert path.stat().st_size == SIZE
    assert read(path.read_bytes(), before) <= MARCH <= read(path.read_bytes(), after)
    assert read(path.read_bytes(), before + 5) == read(path.read_bytes(), before) + 5


def test_a_standing_clock_tells_the_same_time_whenever_it_is_asked(page: tuple[ClockPage, Path]) -> None:
    clock, path = page
    clock.write(MARCH, stands=True)
    assert {read(path.read_bytes(), real) for real in (0, time.time_ns(), 2**62)} == {MARCH}


def test_the_count_is_even_between_two_writes_and_grows(page: tuple[ClockPage, Path]) -> None:
    clock, path = page
    seen = []
    for _ in range(3):
        clock.write(MARCH, stands=False)
        seen.append(struct.unpack_from("<Q", path.read_bytes())[0])
    assert seen == [2, 4, 6]


def test_a_write_that_was_cut_off_is_made_good_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "clock"
    path.write_bytes(struct.pack("<QQqq", 7, 0, 0, 0))
    with path.open("r+b") as file:
        ClockPage(file.fileno()).write(MARCH, stands=True)
    assert struct.unpack_from("<Q", path.read_bytes())[0] == 8
