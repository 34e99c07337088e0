"""The library that gives programs the company's time: clocks, waits, files, and the pages it may find."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dayjob import clock_page
from dayjob.clock_page import ClockPage
from dayjob.sandbox import clock

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the library is built here, with gcc")

SECOND = 1_000_000_000
MARCH = 1_773_046_800  # 2026-03-09 09:00 UTC
DAY = 86_400
WAY_OUT = 3128

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library, which reads its page there."""
    folder = tmp_path_factory.mktemp("clock")
    where = f'-DCOMPANY_CLOCK="{folder}/page"'
    source = str(Path(clock.__file__).parent)
    subprocess.run(clock.command(source, str(folder / "clock.so"), where), check=True)
    return folder


@pytest.fixture
def page(place: Path) -> ClockPage:
    """A page on which it is nine o'clock on 9 March 2026 now."""
    (place / "page").unlink(missing_ok=True)
    clock_page.make(place / "page", WAY_OUT)
    return written(place, MARCH)


def written(place: Path, now: float, *, stands: bool = False) -> ClockPage:
    with (place / "page").open("r+b") as file:
        page = ClockPage(file.fileno())
    page.write(int(now * SECOND), stands)
    return page


@pytest.fixture
def run(place: Path, tmp_path: Path) -> Run:
    """Run Python under the library; it prints JSON."""

    def run(code: str, program: str = sys.executable, **env: str) -> Any:
        variables = {"LD_PRELOAD": f"{place}/clock.so", "PATH": os.environ["PATH"], **env}
        asked = [program, "-c", f"import json, os, sys, time\n{code}"]
        done = subprocess.run(asked, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


# -- clocks ------------------------------------------------------------------------------------------------------------

EVERY_CLOCK = """
import ctypes, datetime, subprocess
class Spec(ctypes.Structure): _fields_ = [("s", ctypes.c_long), ("n", ctypes.c_long)]
libc, spec = ctypes.CDLL(None), Spec()
libc.time.restype = ctypes.c_long
def by(call, *words): call(*words); return spec.s + spec.n / 1e9
told = {
    "time": time.time(), "date": int(subprocess.run(["date", "+%s"], capture_output=True).stdout),
    "coarse": time.clock_gettime(5), "tai": time.clock_gettime(11),
    "datetime": datetime.datetime.now().timestamp(), "libc time": libc.time(None),
    "gettimeofday": by(libc.gettimeofday, ctypes.byref(spec), None) // 1,
    "ftime": by(libc.ftime, ctypes.byref(spec)) // 1,
    "timespec_get": by(libc.timespec_get, ctypes.byref(spec), 1),
    "by number": by(libc.syscall, 228 if os.uname().machine == "x86_64" else 113, 0, ctypes.byref(spec)),
}
"""


@pytest.mark.parametrize("now", [MARCH, 4_102_444_800], ids=["before the host's day", "after it"])
def test_every_clock_that_counts_from_1970_is_the_companys_and_the_monotonic_one_is_not(
    place: Path, page: ClockPage, run: Run, now: int
) -> None:
    page.write(now * SECOND, False)
    before = time.monotonic()
    told = run(EVERY_CLOCK + "print(json.dumps([told, time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME)]))")
    passed = time.monotonic() - before
    assert {name: value for name, value in told[0].items() if not now - 1 <= value <= now + passed + 1 + 60} == {}
    assert before <= told[1] <= before + passed


def test_a_child_a_thread_and_a_program_started_by_it_have_the_same_time(page: ClockPage, run: Run) -> None:
    code = """
    import queue, subprocess, threading
    told = queue.Queue()
    threading.Thread(target=lambda: told.put(time.time())).start()
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, str(time.time()).encode()); os._exit(0)
    started = subprocess.run(["env", "date", "+%s"], capture_output=True, check=True).stdout
    print(json.dumps([told.get(), float(os.read(read, 99)), float(started), time.time()]))
    """
    told = run("\n".join(line[4:] for line in code.splitlines()))
    assert [value for value in told if not MARCH - 1 <= value <= told[-1] + 1] == []
    assert told[-1] < MARCH + DAY


def test_a_standing_clock_stands_and_what_was_done_first_stays_first(page: ClockPage, run: Run) -> None:
    page.write(MARCH * SECOND, True)
    told = run("""
first = time.time_ns(); open("a", "w").close(); time.sleep(0.05)
open("b", "w").close(); time.sleep(0.05)
print(json.dumps([first, os.stat("a").st_ctime_ns, os.stat("b").st_ctime_ns, time.time_ns()]))
""")
    assert told[1] < told[2] <= told[3]
    assert {value // 1_000_000 for value in told} == {MARCH * 1000}


# -- waits -------------------------------------------------------------------------------------------------------------

# Each waits until 50 ms from now by the clock that it can see: the wrong day would be over at once, or in months.
WAITS = """
import ctypes, selectors, threading
ETIMEDOUT = 110
class Spec(ctypes.Structure): _fields_ = [("s", ctypes.c_long), ("n", ctypes.c_long)]
class Timer(ctypes.Structure): _fields_ = [("every", Spec), ("first", Spec)]
libc = ctypes.CDLL(None, use_errno=True)
def until(clock=0):
    at = time.clock_gettime_ns(clock) + 50_000_000
    return ctypes.byref(Spec(at // 10**9, at % 10**9))
def room(): return ctypes.create_string_buffer(256)
def condition(clock):
    attributes, made = room(), room()
    libc.pthread_condattr_init(attributes); libc.pthread_condattr_setclock(attributes, clock)
    libc.pthread_cond_init(made, attributes)
    return made
def locked():
    mutex = room(); libc.pthread_mutex_lock(mutex)
    return mutex
def read_locked():
    lock = room(); libc.pthread_rwlock_wrlock(lock)
    return lock
def elsewhere(call, lock):
    told = []
    thread = threading.Thread(target=lambda: told.append(call(lock, until()))); thread.start(); thread.join()
    return told[0]
def timer(clock, *, number=False):
    fd = libc.timerfd_create(clock, 0)
    at = time.clock_gettime_ns(clock) + 50_000_000
    rings = Timer(Spec(0, 0), Spec(at // 10**9, at % 10**9))
    libc.timerfd_settime(fd, 1, ctypes.byref(rings), None)
    os.read(fd, 8)
    return ETIMEDOUT
def semaphore(call, *words):
    made = room(); libc.sem_init(made, 0, 0)
    return ctypes.get_errno() if call(made, *words) else 0
FUTEX = 202 if os.uname().machine == "x86_64" else 98
def futex(flags):
    word = ctypes.c_int(0)
    libc.syscall(FUTEX, ctypes.byref(word), 9 | flags, 0, until(0 if flags else 1), None, -1)
    return ctypes.get_errno()
waits = {
    "clock_nanosleep": lambda: libc.clock_nanosleep(0, 1, until(), None) or ETIMEDOUT,
    "clock_nanosleep, monotonic": lambda: libc.clock_nanosleep(1, 1, until(1), None) or ETIMEDOUT,
    "pthread_cond_timedwait": lambda: libc.pthread_cond_timedwait(condition(0), locked(), until()),
    "pthread_cond_timedwait, monotonic": lambda: libc.pthread_cond_timedwait(condition(1), locked(), until(1)),
    "pthread_cond_clockwait": lambda: libc.pthread_cond_clockwait(condition(0), locked(), 0, until()),
    "pthread_mutex_timedlock": lambda: elsewhere(libc.pthread_mutex_timedlock, locked()),
    "pthread_rwlock_timedrdlock": lambda: elsewhere(libc.pthread_rwlock_timedrdlock, read_locked()),
    "pthread_rwlock_timedwrlock": lambda: elsewhere(libc.pthread_rwlock_timedwrlock, read_locked()),
    "sem_timedwait": lambda: semaphore(libc.sem_timedwait, until()),
    "sem_clockwait": lambda: semaphore(libc.sem_clockwait, 0, until()),
    "sem_clockwait, monotonic": lambda: semaphore(libc.sem_clockwait, 1, until(1)),
    "timerfd": lambda: timer(0), "timerfd, monotonic": lambda: timer(1),
    "futex": lambda: futex(256), "futex, monotonic": lambda: futex(0),
}
told = {}
for name, wait in waits.items():
    began = time.monotonic()
    told[name] = [wait(), time.monotonic() - began]
print(json.dumps(told))
"""


@pytest.mark.parametrize("now", [MARCH, 4_102_444_800], ids=["before the host's day", "after it"])
@pytest.mark.parametrize("stands", [False, True], ids=["running", "standing"])
def test_waits_until_a_time_end_when_it_comes(page: ClockPage, run: Run, now: int, stands: bool) -> None:
    page.write(now * SECOND, stands)
    told = run(WAITS)
    assert {name: code for name, (code, _) in told.items() if code != 110} == {}
    assert {name: seconds for name, (_, seconds) in told.items() if seconds < 0.049} == {}


def test_pythons_own_waits_take_as_long_as_they_should(page: ClockPage, run: Run) -> None:
    told = run("""
import asyncio, multiprocessing, queue, subprocess, threading
def late(call, *errors):
    began = time.monotonic()
    try: call()
    except errors: pass
    return time.monotonic() - began
lock, condition = threading.Lock(), threading.Condition()
lock.acquire(); condition.acquire()
print(json.dumps([
    late(lambda: time.sleep(0.05)), late(lambda: threading.Event().wait(0.05)),
    late(lambda: lock.acquire(timeout=0.05)), late(lambda: condition.wait(0.05)),
    late(lambda: queue.Queue().get(timeout=0.05), queue.Empty),
    late(lambda: asyncio.run(asyncio.sleep(0.05))), late(lambda: multiprocessing.Semaphore(0).acquire(timeout=0.05)),
    late(lambda: subprocess.run(["sleep", "60"], timeout=0.05), subprocess.TimeoutExpired),
]))
""")
    assert [seconds for seconds in told if seconds < 0.049] == []


# -- files -------------------------------------------------------------------------------------------------------------

SET_AND_READ = """
open("file", "w").close()
now, wrong = time.time_ns(), []
for moment in MOMENTS:
    at = now + moment * 10**9 if abs(moment) < 10**8 else moment * 10**9
    os.utime("file", ns=(at, at))
    fd = os.open("file", os.O_RDONLY)
    seen = [os.stat("file"), os.lstat("file"), os.stat(fd), next(os.scandir()).stat()]
    os.close(fd)
    wrong += [[moment, one.st_mtime_ns - at] for one in seen if (one.st_mtime_ns, one.st_atime_ns) != (at, at)]
print(json.dumps(wrong))
"""
MOMENTS = [0, 1, -1, -60, 3600, -3600, DAY, -DAY, -3 * DAY, 40 * DAY, -400 * DAY, 10**9 + 1, 15_000_000_000, -(10**9)]


@pytest.mark.parametrize("stands", [False, True], ids=["running", "standing"])
@pytest.mark.parametrize("skipped", [0, 2 * DAY], ids=["", "after a wait"])
def test_a_files_time_that_is_set_is_the_time_that_is_read(
    page: ClockPage, run: Run, stands: bool, skipped: int
) -> None:
    page.write((MARCH + skipped) * SECOND, stands)
    assert run(f"MOMENTS = {MOMENTS}\n{SET_AND_READ}") == []


def test_what_is_written_now_is_dated_now_and_moves_along_with_a_wait(
    place: Path, page: ClockPage, run: Run, tmp_path: Path
) -> None:
    code = """
before = time.time()
for name in ("a", "b"): open(name, "w").close()
os.utime("a")
print(json.dumps([before, time.time(), *(getattr(os.stat(n), k) for n in "ab" for k in ("st_mtime", "st_ctime"))]))
"""
    before, after, *seen = run(code)
    assert [value for value in seen if not before - 0.02 <= value <= after] == []
    page.write((MARCH + 2 * DAY) * SECOND, False)
    (moved,) = run('print(json.dumps([os.stat("a").st_mtime]))')
    assert MARCH + 2 * DAY - (time.time() - tmp_path.stat().st_mtime) - 60 <= moved <= MARCH + 2 * DAY + 60


def test_what_is_older_than_the_company_keeps_its_date_unless_that_is_yet_to_come_there(
    page: ClockPage, run: Run, tmp_path: Path
) -> None:
    for name, moment in (("old", MARCH - DAY), ("later", MARCH + 30 * DAY)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))
    code = 'print(json.dumps([os.stat(name).st_mtime for name in ("old", "later")]))'
    assert run(code) == [MARCH - DAY, MARCH]
    page.write((MARCH + 60 * DAY) * SECOND, False)
    assert run(code) == [MARCH - DAY, MARCH + 30 * DAY]


@pytest.mark.parametrize("call", ["utime", "utimes", "lutimes", "futimes", "futimesat", "utimensat", "futimens"])
def test_every_way_to_set_a_files_time_stores_what_is_read_back(page: ClockPage, run: Run, call: str) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
open("file", "w").close()
at = int(time.time()) - 100
pair, fine = (ctypes.c_long * 2)(at, at), (ctypes.c_long * 4)(at, 0, at, 0)
fd, here = os.open("file", os.O_RDONLY), -100
words = {"utime": [b"file", pair], "utimes": [b"file", fine], "lutimes": [b"file", fine], "futimes": [fd, fine],
         "futimesat": [here, b"file", fine], "utimensat": [here, b"file", fine, 0], "futimens": [fd, fine]}
failed = getattr(libc, CALL)(*words[CALL])
print(json.dumps([failed, os.stat("file").st_mtime - at, getattr(libc, "utimensat")(here, None, fine, 0)]))
"""
    assert run(f"CALL = {call!r}\n{code}") == [0, 0, -1]


def test_shells_and_their_tools_agree_about_files(place: Path, page: ClockPage, tmp_path: Path) -> None:
    script = """
    set -e
    printf 'out: in\\n\\tcp in out\\n' > Makefile; touch in; make 2>&1; make 2>&1
    touch -d '2020-02-02 02:02:02 UTC' old; stat -c %Y old; cp -p old copy; stat -c %Y copy
    find . -name in -newermt '1 minute ago'; find . -name old -newer in; ls -l --time-style=+%Y-%m-%d in
    tar -cf all.tar old in; mkdir there; tar -xf all.tar -C there; stat -c %Y there/old; test ! in -nt out
    """
    env = {"LD_PRELOAD": f"{place}/clock.so", "PATH": os.environ["PATH"], "LC_ALL": "C"}
    said = subprocess.run(["bash", "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr
    first, second, old, copied, newer, listed, unpacked = said.stdout.splitlines()
    assert (first, "up to date" in second) == ("cp in out", True)
    assert old == copied == unpacked == "1580608922"
    assert newer == "./in"
    assert listed.split()[5:] == ["2026-03-09", "in"]


# -- pages -------------------------------------------------------------------------------------------------------------

IS_HOSTS = "print(json.dumps(time.time()))"


def test_without_a_page_or_with_one_that_is_not_whole_it_is_the_hosts_time(place: Path, run: Run) -> None:
    path = place / "page"
    for content in (None, b"", b"short", bytes(clock_page.SIZE)):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        before = time.time()
        assert before <= run(IS_HOSTS) <= time.time()


def test_a_page_that_comes_later_is_found(place: Path, run: Run) -> None:
    path = place / "page"
    path.unlink(missing_ok=True)
    code = f"""
before = time.time()
os.rename({str(place / "coming")!r}, {str(path)!r})
while time.time() > 1_774_000_000: pass
print(json.dumps([before, time.time()]))
"""
    clock_page.make(place / "coming")
    with (place / "coming").open("r+b") as file:
        ClockPage(file.fileno()).write(MARCH * SECOND, False)
    before, after = run(code)
    assert before > MARCH + DAY
    assert MARCH <= after < MARCH + DAY


def test_a_page_whose_writer_was_killed_halfway_keeps_nobody_waiting(place: Path, page: ClockPage, run: Run) -> None:
    content = bytearray((place / "page").read_bytes())
    struct.pack_into("<Q", content, 0, 3)
    (place / "page").write_bytes(bytes(content))
    assert MARCH - 1 <= run(IS_HOSTS) < MARCH + DAY


def test_errno_is_left_alone(place: Path, run: Run) -> None:
    (place / "page").unlink(missing_ok=True)
    code = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nctypes.set_errno(7)\nlibc.time(None)\n"
    assert run(f"{code}print(json.dumps(ctypes.get_errno()))") == 7


# -- going out ---------------------------------------------------------------------------------------------------------


def test_who_goes_out_is_on_the_hosts_time_from_then_on_and_nobody_else(page: ClockPage, run: Run) -> None:
    code = f"""
import socket, subprocess
def there(): return int(time.time() > {MARCH + DAY})
told = [there()]
for host, port in (("127.0.0.1", {WAY_OUT + 1}), ("192.0.2.1", {WAY_OUT}), ("127.0.0.1", {WAY_OUT})):
    sock = socket.socket(); sock.setblocking(False)
    try: sock.connect_ex((host, port))
    except OSError: pass
    told.append(there())
told.append(int(int(subprocess.run(["date", "+%s"], capture_output=True).stdout) > {MARCH + DAY}))
print(json.dumps(told))
"""
    assert run(code) == [0, 0, 0, 1, 0]


def test_programs_that_judge_lists_of_packages_are_on_the_hosts_time_where_there_is_a_way_out(
    place: Path, page: ClockPage, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "apt-get").symlink_to(sys.executable)
    assert run(IS_HOSTS, str(tmp_path / "apt-get")) > MARCH + DAY
    (place / "page").unlink()
    clock_page.make(place / "page")
    written(place, MARCH)
    assert run(IS_HOSTS, str(tmp_path / "apt-get")) < MARCH + DAY


def test_a_program_can_be_started_on_the_hosts_time(page: ClockPage, run: Run) -> None:
    name, _, value = clock.ON_HOST_TIME.partition("=")
    assert run(IS_HOSTS, **{name: value}) > MARCH + DAY
    assert run(IS_HOSTS, **{name: "other"}) < MARCH + DAY
