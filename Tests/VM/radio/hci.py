"""Packets between a host and its controller (Core specification 5.2, volume 4, part E)."""
import struct

COMMAND, ACL, EVENT, VENDOR = 0x01, 0x02, 0x04, 0xFF

# Error codes (volume 1, part F).
SUCCESS = 0x00
UNKNOWN_COMMAND = 0x01
UNKNOWN_CONNECTION = 0x02
CONNECTION_TIMEOUT = 0x08
CONNECTION_LIMIT_EXCEEDED = 0x09
COMMAND_DISALLOWED = 0x0C
INVALID_PARAMETERS = 0x12
REMOTE_USER_TERMINATED = 0x13
LOCAL_HOST_TERMINATED = 0x16
NOT_ESTABLISHED = 0x3E

# Addresses are six bytes, least significant first, behind a byte that tells their type.
PUBLIC, RANDOM = 0, 1


def address_bytes(text):
    """The encoding of 'F4:30:00:00:00:01'."""
    return bytes.fromhex(text.replace(":", ""))[::-1]


def event(code, parameters):
    return bytes((EVENT, code, len(parameters))) + parameters


def command_complete(opcode, parameters):
    return event(0x0E, struct.pack("<BH", 1, opcode) + parameters)


def command_status(opcode, status):
    return event(0x0F, struct.pack("<BBH", status, 1, opcode))


def disconnected(handle, reason):
    return event(0x05, struct.pack("<BHB", SUCCESS, handle, reason))


def completed_packets(handle, count):
    return event(0x13, struct.pack("<BHH", 1, handle, count))


def le_event(code, parameters):
    return event(0x3E, bytes((code,)) + parameters)


def connection_complete(status, handle=0, peer=bytes(7), interval=0, latency=0, timeout=0):
    """`peer` is type and address; times in protocol units: 1.25 ms and 10 ms."""
    return le_event(0x01, struct.pack("<BHB", status, handle, 0) + peer +
                    struct.pack("<HHHB", interval, latency, timeout, 5))


def advertising_report(kind, peer, data, rssi):
    """`kind` 0: connectable advertisement, 4: scan response."""
    return le_event(0x02, bytes((1, kind)) + peer + bytes((len(data),)) + data +
                    struct.pack("<b", rssi))


def acl(handle, l2cap, size):
    """An L2CAP frame in packets of `size` bytes at most; the first one is marked as such."""
    packets, flags = [], 0x2000
    for start in range(0, len(l2cap), size):
        part = l2cap[start:start + size]
        packets.append(struct.pack("<BHH", ACL, handle | flags, len(part)) + part)
        flags = 0x1000
    return packets


class Reassembly:
    """Reassembles L2CAP frames from ACL data."""

    def __init__(self):
        self.part = b""

    def add(self, flags, data):
        """The (channel, payload) completed by this packet, or None."""
        self.part = self.part + data if flags == 1 else data
        if len(self.part) < 4:
            return None
        length, channel = struct.unpack_from("<HH", self.part)
        if len(self.part) < 4 + length:
            return None
        payload, self.part = self.part[4:4 + length], b""
        return channel, payload
