"""Runs a program with the address families that a systemd unit allows, as systemd restricts them.

    families.py UNIT PROGRAM [ARGUMENT...]

Other families are refused with EAFNOSUPPORT by a seccomp filter. A program that needs another one, as getifaddrs(3)
needs AF_NETLINK, then fails here, and not first under systemd.
"""

import ctypes
import errno
import os
import platform
import re
import socket
import sys

# Number of the system call socket(2).
SOCKET = {"x86_64": 41, "aarch64": 198}
# From linux/prctl.h, linux/seccomp.h and linux/bpf_common.h.
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT
LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06
# Offsets in struct seccomp_data.
NUMBER, FIRST_ARGUMENT = 0, 16


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(Instruction))]


def families(unit):
    """The allowed families of a unit file."""
    with open(unit, encoding="utf-8") as file:
        [line] = re.findall(r"^RestrictAddressFamilies=(.+)$", file.read(), re.MULTILINE)
    return [int(getattr(socket, name)) for name in line.split()]


def restrict(allowed):
    steps = [(LOAD, 0, 0, NUMBER), (EQUALS, 0, len(allowed) + 2, SOCKET[platform.machine()]),
             (LOAD, 0, 0, FIRST_ARGUMENT)]
    steps += [(EQUALS, len(allowed) - index, 0, family) for index, family in enumerate(allowed)]
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    instructions = (Instruction * len(steps))(*steps)
    program = Program(len(steps), instructions)
    library = ctypes.CDLL(None, use_errno=True)
    for arguments in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SECCOMP, FILTER, ctypes.byref(program), 0, 0)):
        if library.prctl(*arguments) != 0:
            sys.exit(f"families.py: prctl: {os.strerror(ctypes.get_errno())}")


def main():
    _, unit, program, *arguments = sys.argv
    restrict(families(unit))
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()
