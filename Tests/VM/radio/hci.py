"""Packets between a host and its controller (Core specification 5.2, volume 4, part E)."""
import struct

COMMAND, ACL, EVENT, VENDOR = 0x01, 0x02, 0x04, 0xFF

# LE data packets have at most 27 bytes, the size that every device supports.
PACKET_SIZE = 27

# Error codes (volume 1, part F).
SUCCESS = 0x00
UNKNOWN_COMMAND = 0x01
UNKNOWN_CONNECTION = 0x02
CONNECTION_TIMEOUT = 0x08
CONNECTION_LIMIT_EXCEEDED = 0x09
COMMAND_DISALLOWED = 0x0C
UNSUPPORTED_PARAMETER = 0x11
INVALID_PARAMETERS = 0x12
REMOTE_USER_TERMINATED = 0x13
LOCAL_HOST_TERMINATED = 0x16
NOT_ESTABLISHED = 0x3E

# Addresses are six bytes, least significant first, behind a byte that tells their type.
PUBLIC, RANDOM = 0, 1
# Roles.
CENTRAL, PERIPHERAL = 0, 1
# Of the central's clock, which only a peripheral is told: 50 ppm.
CLOCK_ACCURACY = {CENTRAL: 0, PERIPHERAL: 5}
# The kind of advertising report for a scan response; those of advertisements are in `advertising`.
SCAN_RESPONSE = 4
# Flags of the first packet of an L2CAP frame: from a host, from a controller; and of others.
FIRST_FROM_HOST, CONTINUING, FIRST = 0, 1, 2


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


def connection_complete(status, handle=0, peer=bytes(7), interval=0, latency=0, timeout=0,
                        role=CENTRAL):
    """`peer` is type and address; times in protocol units: 1.25 ms and 10 ms."""
    return le_event(0x01, struct.pack("<BHB", status, handle, role) + peer +
                    struct.pack("<HHHB", interval, latency, timeout, CLOCK_ACCURACY[role]))


def advertising_report(kind, peer, data, rssi):
    """`kind` 0: connectable advertisement, 2: scannable, 3: neither, 4: scan response."""
    return le_event(0x02, bytes((1, kind)) + peer + bytes((len(data),)) + data +
                    struct.pack("<b", rssi))


def acl(handle, flags, data):
    return struct.pack("<BHH", ACL, handle | flags << 12, len(data)) + data


def fragments(l2cap, size):
    """The packets, flags and data, of an L2CAP frame, with `size` bytes at most."""
    return [(CONTINUING if start else FIRST, l2cap[start:start + size])
            for start in range(0, len(l2cap), size)]


class Reassembly:
    """Reassembles L2CAP frames from ACL data."""

    def __init__(self):
        self.part = b""

    def add(self, flags, data):
        """The (channel, payload) completed by this packet, or None."""
        self.part = self.part + data if flags == CONTINUING else data
        if len(self.part) < 4:
            return None
        length, channel = struct.unpack_from("<HH", self.part)
        if len(self.part) < 4 + length:
            return None
        payload, self.part = self.part[4:4 + length], b""
        return channel, payload
