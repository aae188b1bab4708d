"""Records what passes between a host and its controller, for btmon, Wireshark and scenarios (btsnoop)."""
import dataclasses
import struct
import time

from . import hci

# Version 1, HCI with H4. Times count microseconds from the year 0.
HEADER = b"btsnoop\0" + struct.pack(">II", 1, 1002)
RECORD = struct.Struct(">IIIIq")
YEAR_1970 = 0x00DCDDB30F2F8000
TO_HOST, NO_DATA = 1, 2


@dataclasses.dataclass
class Packet:
    """A packet of H4; `at` is in seconds of the wall clock."""

    at: float
    is_to_host: bool
    data: bytes


class Capture:
    """Writes packets to a file. The wall clock must not be set meanwhile."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(HEADER)

    def add(self, packet, is_to_host):
        flags = TO_HOST * is_to_host + NO_DATA * (packet[0] != hci.ACL)
        self.file.write(RECORD.pack(
            len(packet), len(packet), flags, 0, YEAR_1970 + time.time_ns() // 1000) + packet)

    def flush(self):
        self.file.flush()


def packets(path):
    """All whole packets of a file."""
    with open(path, "rb") as file:
        content = file.read()
    position, found = len(HEADER), []
    while position + RECORD.size <= len(content):
        size, _, flags, _, at = RECORD.unpack_from(content, position)
        position += RECORD.size
        data = content[position:position + size]
        position += size
        if len(data) == size:
            found.append(Packet((at - YEAR_1970) / 1e6, bool(flags & TO_HOST), data))
    return found


@dataclasses.dataclass
class Frame:
    """An L2CAP frame; `link` is the handle of its connection."""

    at: float
    is_to_host: bool
    link: int
    channel: int
    payload: bytes


def frames(captured):
    """The L2CAP frames in packets; each at the time of its last packet."""
    parts, found = {}, []
    for packet in captured:
        if packet.data[0] != hci.ACL:
            continue
        handle, = struct.unpack_from("<H", packet.data, 1)
        link, flags = handle & 0xFFF, handle >> 12 & 3
        reassembly = parts.setdefault((link, packet.is_to_host), hci.Reassembly())
        frame = reassembly.add(flags, packet.data[5:])
        if frame:
            found.append(Frame(packet.at, packet.is_to_host, link, *frame))
    return found
