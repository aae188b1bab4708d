"""Compares what a relay's phone received with what the monitor sent, from the records of both adapters."""
import dataclasses
import struct

from radio import capture, hci

ATTRIBUTES, SECURITY = 4, 6
READ, READ_ANSWER = 0x0A, 0x0B
# Of the Attribute Protocol: requests and commands that carry a value to a handle, and values from one.
WRITES, NOTIFICATIONS = (0x12, 0x52), (0x1B, 0x1D)
# In 0x0080 the first byte is the number of the characteristic whose value follows. These values are as long
# there; those of others are not sent in it while a phone subscribes to the characteristics themselves.
CARRIED = {"003b": 0x3B, "003e": 0x3E, "003f": 0x3F}
MULTIPLEXED = "0080"


@dataclasses.dataclass
class Link:
    """A link of an adapter and its L2CAP frames; `peer` is the address of the other end."""

    peer: str
    begun: float
    packets: list
    ended: float = float("inf")

    @property
    def frames(self):
        return capture.frames(self.packets)


@dataclasses.dataclass
class Value:
    """`at` is in seconds of the wall clock; `name` as `short_name` returns it."""

    at: float
    name: str
    data: bytes


def links(packets):
    """All links in the record of an adapter, in the order of their beginnings."""
    found, current = [], {}
    for packet in packets:
        kind, data = packet.data[0], packet.data
        if kind == hci.EVENT and data[1] == 0x3E and data[3:5] == b"\x01\x00":
            handle, = struct.unpack_from("<H", data, 5)
            address = ":".join("%02X" % byte for byte in reversed(data[9:15]))
            current[handle] = Link(address, packet.at, [])
            found.append(current[handle])
        elif kind == hci.EVENT and data[1] == 0x05 and data[3] == 0:
            handle, = struct.unpack_from("<H", data, 4)
            if handle in current:
                current.pop(handle).ended = packet.at
        elif kind == hci.ACL:
            handle, = struct.unpack_from("<H", data, 1)
            if handle & 0xFFF in current:
                current[handle & 0xFFF].packets.append(packet)
    return found


def short_name(uuid):
    """'0031' of ce060031-..., '2ad1' of 2ad1; lower case."""
    return uuid[4:8] if len(uuid) > 4 else uuid


def pairing(record):
    """All frames of the Security Manager in a record."""
    return [frame for link in links(record) for frame in link.frames if frame.channel == SECURITY]


def values(link, names, to_host):
    """The notifications and indications on a link; `names` by handle."""
    return [Value(f.at, names.get(handle_of(f), "?"), f.payload[3:]) for f in link.frames
            if f.channel == ATTRIBUTES and f.is_to_host == to_host and f.payload[0] in NOTIFICATIONS]


def writes(link, names, to_host):
    """The values that are written on a link, in order."""
    return [Value(f.at, names.get(handle_of(f), "?"), f.payload[3:]) for f in link.frames
            if f.channel == ATTRIBUTES and f.is_to_host == to_host and f.payload[0] in WRITES]


def reads(link, names):
    """The values that this adapter's host read on a link, in order. The server answers one after the other."""
    found, pending = [], None
    for frame in link.frames:
        if frame.channel != ATTRIBUTES:
            continue
        code = frame.payload[0]
        if not frame.is_to_host and code == READ:
            pending = names.get(handle_of(frame), "?")
        elif frame.is_to_host and code == READ_ANSWER and pending:
            found.append(Value(frame.at, pending, frame.payload[1:]))
            pending = None
    return found


def handle_of(frame):
    return struct.unpack_from("<H", frame.payload, 1)[0]


def offsets(copies, originals):
    """All positions in `originals` at which `copies` occur without a gap."""
    return [start for start in range(len(originals) - len(copies) + 1)
            if originals[start:start + len(copies)] == copies]


def is_subsequence(copies, originals):
    """Whether the copies occur in this order, perhaps with others between them."""
    rest = iter(originals)
    return all(copy in rest for copy in copies)


def multiplexed(originals):
    """What a phone gets through 0x0080, besides the characteristics that it subscribes to."""
    found = []
    for value in originals:
        if value.name == MULTIPLEXED:
            found.append(value)
        elif value.name in CARRIED:
            found.append(Value(value.at, MULTIPLEXED, bytes((CARRIED[value.name],)) + value.data))
    return found


@dataclasses.dataclass
class Comparison:
    """`complaint` is None if the copies are complete, unchanged and in order.

    `delays` are in seconds. The first copy may be of a value from before the subscription, so it has none.
    """

    complaint: str | None
    delays: list


def compare(copies, originals, begin, end):
    """Compares the values of one characteristic.

    Originals before `begin` or from `end` on may lack a copy: the phone had just subscribed, or was about to
    leave.
    """
    due = [v for v in originals if begin <= v.at < end]
    if not copies:
        return Comparison("none of %d values arrived" % len(due) if due else None, [])
    candidates = []
    for start in offsets([v.data for v in copies], [v.data for v in originals]):
        delays = [c.at - o.at for c, o in zip(copies, originals[start:])]
        if min(delays) >= 0:
            candidates.append((sum(delays[1:]), start, delays[1:]))
    if not candidates:
        return Comparison(explain(copies, originals), [])
    _, start, delays = min(candidates)
    early = sum(begin <= v.at for v in originals[:start])
    late = sum(v.at < end for v in originals[start + len(copies):])
    if early or late:
        return Comparison("%d values at the beginning and %d at the end are missing" % (early, late), delays)
    return Comparison(None, delays)


def explain(copies, originals):
    """Why the copies are no part of the originals."""
    known = [v.data for v in originals]
    foreign = [v.data.hex() for v in copies if v.data not in known]
    if foreign:
        return "%d of %d values were never sent, the first is %s" % (len(foreign), len(copies), foreign[0])
    first = known.index(copies[0].data)
    for number, (copy, original) in enumerate(zip(copies, originals[first:])):
        if copy.data != original.data:
            return "value %d of %d is %s instead of %s" % (
                number + 1, len(copies), copy.data.hex(), original.data.hex())
    return "the values are in another order, or early"


def frame_of(contents):
    """A CSAFE frame; neither `contents` nor their checksum may need stuffing."""
    checksum = 0
    for byte in contents:
        checksum ^= byte
    body = contents + bytes((checksum,))
    if any(0xF0 <= byte <= 0xF3 for byte in body):
        raise ValueError(body.hex())
    return b"\xf1" + body + b"\xf2"


def csafe_frames(parts):
    """The contents of the frames in a sequence of values, without status and checksum; stuffing undone."""
    stream, found = b"".join(parts), []
    for piece in stream.split(b"\xf1")[1:]:
        body, end, _ = piece.partition(b"\xf2")
        if not end:
            continue
        plain, rest = bytearray(), iter(body)
        for byte in rest:
            plain.append(0xF0 + next(rest) if byte == 0xF3 else byte)
        found.append(bytes(plain[1:-1]))
    return found


def structures(data):
    """The fields of an advertisement, by type."""
    found = {}
    while data and data[0]:
        found[data[1]] = data[2:1 + data[0]]
        data = data[1 + data[0]:]
    return found


def percentile(sorted_values, part):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * part))]
