"""A system-call filter: no sockets, no new programs, no looking into other processes.

The filter is a small program for the kernel (classic BPF): it compares the number of each
system call with a list and answers "not permitted" for those on it. See seccomp(2).
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
RET_ALLOW = 0x7FFF0000
RET_ERRNO = 0x00050000

LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP_IF_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_IF_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K
NUMBER_AT, ARCHITECTURE_AT = 0, 4  # offsets in struct seccomp_data

# By machine: the architecture's audit number and the numbers of socket, connect, execve,
# execveat, fork, vfork, ptrace, process_vm_readv, process_vm_writev, bpf, io_uring_setup.
TABLES = {
    "x86_64": (0xC000003E, (41, 42, 59, 322, 57, 58, 101, 310, 311, 321, 425)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117, 270, 271, 280, 425)),
}
X32_NUMBERS = 0x40000000  # a second set of numbers on x86_64: refused as a whole


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def program(architecture: int, numbers: tuple[int, ...]) -> bytes:
    """The filter's instructions: refuse `numbers` and every foreign set of system calls."""
    refuse = _instruction(RETURN, RET_ERRNO | errno.EPERM)
    parts = [
        _instruction(LOAD_WORD, ARCHITECTURE_AT),
        _instruction(JUMP_IF_EQUAL, architecture, if_true=1),
        refuse,
        _instruction(LOAD_WORD, NUMBER_AT),
        _instruction(JUMP_IF_AT_LEAST, X32_NUMBERS, if_false=1),
        refuse,
    ]
    for number in numbers:
        parts += [_instruction(JUMP_IF_EQUAL, number, if_false=1), refuse]
    return b"".join([*parts, _instruction(RETURN, RET_ALLOW)])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse_system_calls() -> bool:
    """Put the filter in place for the rest of this process; False where that is not possible."""
    table = TABLES.get(platform.machine())
    if table is None or not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    instructions = program(*table)
    filter_program = _Program(len(instructions) // 8, instructions)
    return bool(
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_program), 0, 0) == 0
    )
