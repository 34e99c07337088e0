"""The system call filter: every call and every argument it looks at, and the same once more in a real process."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
from collections.abc import Callable

import pytest

from dayjob import seccomp
from dayjob.sandbox import kernel
from dayjob.sandbox.embedded import room_commands
from dayjob.trial.company_process import confine

# What may not be called: name, number on x86_64, number on aarch64.
REFUSED: list[tuple[str, int | None, int | None]] = [
    # the kernel's own affairs
    ("syslog", 103, 116), ("uselib", 134, None), ("ustat", 136, None), ("sysfs", 139, None), ("vhangup", 153, 58),
    ("_sysctl", 156, None), ("acct", 163, 89), ("swapon", 167, 224), ("swapoff", 168, 225), ("reboot", 169, 142),
    ("iopl", 172, None), ("ioperm", 173, None), ("create_module", 174, None), ("init_module", 175, 105),
    ("delete_module", 176, 106), ("get_kernel_syms", 177, None), ("query_module", 178, None), ("quotactl", 179, 60),
    ("nfsservctl", 180, 42), ("getpmsg", 181, None), ("putpmsg", 182, None), ("afs_syscall", 183, None),
    ("tuxcall", 184, None), ("security", 185, None), ("lookup_dcookie", 212, 18), ("vserver", 236, None),
    ("kexec_load", 246, 104), ("finit_module", 313, 273), ("kexec_file_load", 320, 294), ("quotactl_fd", 443, 443),
    # time and names that everybody shares
    ("settimeofday", 164, 170), ("clock_settime", 227, 112), ("sethostname", 170, 161), ("setdomainname", 171, 162),
    # other views of the machine
    ("pivot_root", 155, 41), ("mount", 165, 40), ("umount2", 166, 39), ("unshare", 272, 97), ("setns", 308, 268),
    ("open_by_handle_at", 304, 265), ("open_tree", 428, 428), ("move_mount", 429, 429), ("fsopen", 430, 430),
    ("fsconfig", 431, 431), ("fsmount", 432, 432), ("fspick", 433, 433), ("mount_setattr", 442, 442),
    # keys, which are in no namespace
    ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219),
    # memory of others, and where memory lies
    ("mbind", 237, 235), ("set_mempolicy", 238, 237), ("get_mempolicy", 239, 236), ("migrate_pages", 256, 238),
    ("move_pages", 279, 239), ("set_mempolicy_home_node", 450, 450), ("kcmp", 312, 272), ("pidfd_getfd", 438, 438),
    ("process_madvise", 440, 440),
    # wide doors into the kernel
    ("perf_event_open", 298, 241), ("fanotify_init", 300, 262), ("bpf", 321, 280), ("userfaultfd", 323, 282),
    ("io_uring_setup", 425, 425), ("io_uring_enter", 426, 426), ("io_uring_register", 427, 427),
]  # fmt: skip
CLONE3 = 435
NEWEST = 450
NAMESPACES = {
    "mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
    "net": 0x40000000,
}  # fmt: skip
# column, architecture, clone, personality, socket
MACHINES = {"x86_64": (1, 0xC000003E, 56, 135, 41), "aarch64": (2, 0xC00000B7, 220, 92, 198)}

ALLOWED, NOT_PERMITTED, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def decided(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would make of a call: the filter run step by step."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number - (1 << 32 if number >= 1 << 31 else 0), architecture, 0, *padded)
    code = list(struct.iter_unpack("<HBBI", program))
    tests: dict[int, Callable[[int, int], bool]] = {
        0x15: lambda a, k: a == k,
        0x35: lambda a, k: a >= k,
        0x45: lambda a, k: bool(a & k),
    }
    at = loaded = 0
    while True:
        kind, yes, no, value = code[at]
        at += 1
        if kind == 0x06:
            return int(value)
        if kind == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
        else:
            at += yes if tests[kind](loaded, value) else no


def test_the_filter_names_what_it_refuses() -> None:
    assert {name: (first, second) for name, first, second in REFUSED} == seccomp.REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_is_allowed_refused_or_unknown_as_the_table_says(machine: str) -> None:
    column, architecture, *_ = MACHINES[machine]
    program = seccomp.program(machine)
    refused = {row[column] for row in REFUSED}
    wrong = {}
    for number in [*range(600), 1 << 30, (1 << 30) + 39, (1 << 31) + 39, (1 << 32) - 1]:
        expected = NOT_PERMITTED if number in refused else UNKNOWN if number > NEWEST or number == CLONE3 else ALLOWED
        if (found := decided(program, architecture, number)) != expected:
            wrong[number] = hex(found)
    assert wrong == {}


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_the_convention_of_another_machine_are_refused(machine: str) -> None:
    others = {0x40000003, 0xC000003E, 0xC00000B7, 0x40000028, 0} - {MACHINES[machine][1]}
    for program in (seccomp.program(machine), seccomp.refusing([], machine)):
        assert {decided(program, other, 39) for other in others} == {NOT_PERMITTED}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_new_process_may_be_in_no_new_namespace(machine: str) -> None:
    _, architecture, clone, _, _ = MACHINES[machine]
    program = seccomp.program(machine)
    allowed = {1 << bit for bit in range(32) if decided(program, architecture, clone, 1 << bit) == ALLOWED}
    assert {1 << bit for bit in range(32)} - allowed == set(NAMESPACES.values())
    for flag in NAMESPACES.values():
        assert decided(program, architecture, clone, flag | 17) == NOT_PERMITTED
    assert decided(program, architecture, clone, 0x3D0F00) == ALLOWED  # what threads are made with


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_of_every_kind_but_those_to_the_host_of_a_virtual_machine(machine: str) -> None:
    _, architecture, _, _, socket = MACHINES[machine]
    program = seccomp.program(machine)
    assert [one for one in range(64) if decided(program, architecture, socket, one) != ALLOWED] == [40]
    assert decided(program, architecture, socket, 40) == NOT_PERMITTED


@pytest.mark.parametrize("machine", MACHINES)
def test_personalities_that_weaken_nothing(machine: str) -> None:
    _, architecture, _, personality, _ = MACHINES[machine]
    program = seccomp.program(machine)
    tried = {0, 0xFFFFFFFF, *range(64), *(1 << bit for bit in range(32)), 0x20008, 0x20009, 0x60000, 0xFFFFFFFE}
    found = {one for one in tried if decided(program, architecture, personality, one) == ALLOWED}
    assert found == {0, 8, 0x20000, 0x20008, 0xFFFFFFFF}
    assert decided(program, architecture, personality, 0x40000) == NOT_PERMITTED


@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_that_only_works_alone_may_start_threads_and_nothing_else(machine: str) -> None:
    _, architecture, clone, _, socket = MACHINES[machine]
    program = seccomp.refusing([(socket, socket), (7, None), (None, 8)], machine)
    assert decided(program, architecture, socket) == NOT_PERMITTED
    assert decided(program, architecture, 7) == (NOT_PERMITTED if machine == "x86_64" else ALLOWED)
    assert decided(program, architecture, 8) == (ALLOWED if machine == "x86_64" else NOT_PERMITTED)
    assert decided(program, architecture, clone, 17) == NOT_PERMITTED
    assert decided(program, architecture, clone, 0x3D0F00) == ALLOWED
    assert decided(program, architecture, 500) == ALLOWED


def test_a_machine_without_a_filter_is_named() -> None:
    with pytest.raises(LookupError, match="no system call filter for mips64; there are filters for x86_64, aarch64"):
        seccomp.program("mips64")
    with pytest.raises(LookupError, match="mips64"):
        seccomp.refusing([], "mips64")


# -- in a real process -------------------------------------------------------------------------------------------


def in_a_filtered_process(programs: list[bytes], work: Callable[[], dict[str, str]]) -> dict[str, str]:
    """What `work` finds in a child that has these filters and no terminal."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            kernel.no_new_privileges()
            for program in programs:
                kernel.filter_calls(program)
            os.write(writing, json.dumps(work()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with open(reading, "rb") as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    found: dict[str, str] = json.loads(said)
    return found


def call(*arguments: int) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    ctypes.set_errno(0)
    done = libc.syscall(*(ctypes.c_long(one) for one in arguments))
    if done == 0 and arguments[0] == 56:
        os._exit(0)  # the child that was made
    return "done" if done >= 0 else errno.errorcode[ctypes.get_errno()]


def tried() -> dict[str, str]:
    """Everything of the tables, with arguments that no kernel could follow."""
    found = {name: call(number, *[-1] * 6) for name, number, _ in REFUSED if number is not None}
    found |= {f"unknown {number}": call(number, *[-1] * 6) for number in (CLONE3, *range(451, 480))}
    found |= {f"clone: {name}": call(56, flag | 17, 0, 0, 0, 0) for name, flag in {"": 0, **NAMESPACES}.items()}
    found |= {f"socket: {kind}": call(41, kind, 1, 0) for kind in (1, 2, 40)}
    found |= {f"personality: {value:#x}": call(135, value) for value in (0xFFFFFFFF, 0, 0x40000, 0x400000)}
    return found | {"x32 getpid": call(0x40000000 + 39), "getpid": call(39)}


EXPECTED = {
    **{name: "EPERM" for name, number, _ in REFUSED if number is not None},
    **{f"unknown {number}": "ENOSYS" for number in (CLONE3, *range(451, 480))},
    "clone: ": "done",
    **{f"clone: {name}": "EPERM" for name in NAMESPACES},
    "socket: 1": "done",
    "socket: 2": "done",
    "socket: 40": "EPERM",
    "personality: 0xffffffff": "done",
    "personality: 0x0": "done",
    "personality: 0x40000": "EPERM",
    "personality: 0x400000": "EPERM",
    "x32 getpid": "ENOSYS",
    "getpid": "done",
}
on_this_machine = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")


@on_this_machine
@pytest.mark.parametrize("whose", ["a room", "a company"])
def test_the_kernel_refuses_what_the_table_says(whose: str) -> None:
    program = {"a room": room_commands._FILTER, "a company": confine._FILTER}[whose]
    assert in_a_filtered_process([program], tried) == EXPECTED


@on_this_machine
def test_a_process_that_makes_previews_can_in_addition_start_no_process() -> None:
    def alone() -> dict[str, str]:
        return {"fork": call(56, 17, 0, 0, 0, 0), "getpid": call(39), "unshare": call(272, 0)}

    programs = [seccomp.program(), seccomp.refusing([])]
    assert in_a_filtered_process(programs, alone) == {"fork": "EPERM", "getpid": "done", "unshare": "EPERM"}
