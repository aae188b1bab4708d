#!/usr/bin/env python3
"""Reads ring logs; written from LogFormat.md alone, so that a test finds what that page lacks.

    ring_reader.py FILE...

Prints JSON Lines: for each file one `ring`, then each `record` and each `gap` in order, and one
`end`; or one `error` with the offset and the remedy. It exits with 1 if a file had an error.
Payloads are opaque. The file must not be written meanwhile, and must be there to its last page.
"""
import hashlib
import itertools
import json
import mmap
import struct
import sys

PAGE = 4096
LARGEST_BLOCK = 65536
LARGEST_HEADER = 65536
SMALLEST_RECORD = 6
VERSION = 1
RING_MAGIC = b"RINGLOG\n"
SEGMENT_MAGIC = b"\0SEG"
BLOCK_MAGIC = b"\0BLK"
SUPERBLOCK = struct.Struct("<8sII16sQQ12xI")
SEGMENT_HEADER = struct.Struct("<4sIIIQQQ")
BLOCK_HEADER = struct.Struct("<4sIQQ")
CONSUMED, CLOSED = 240, 241


class RingError(Exception):
    """Why a file cannot be read, at which offset, and what a person can do about it."""

    def __init__(self, reason, offset, remedy):
        super().__init__(reason)
        self.line = {"type": "error", "error": reason, "offset": offset, "remedy": remedy}


# CRC-32C. The state is the register before the final inversion.

def byte_table():
    """The register that each low byte leaves: the reflected polynomial of Castagnoli."""
    table = list(range(256))
    for _ in range(8):
        table = [(value >> 1) ^ (0x82F63B78 if value & 1 else 0) for value in table]
    return table


TABLE = byte_table()


def step(state, byte):
    """The state after one byte more."""
    return TABLE[(state ^ byte) & 255] ^ (state >> 8)


def advance(state, data):
    """The state after all bytes of `data`."""
    for byte in data:
        state = TABLE[(state ^ byte) & 255] ^ (state >> 8)
    return state


def linear_tables(columns):
    """Four tables, one for each byte of a register, of the linear map with these 32 columns."""
    tables = []
    for first in range(0, 32, 8):
        table = [0]
        for column in columns[first:first + 8]:
            table += [value ^ column for value in table]
        tables.append(table)
    return tables


def apply(tables, state):
    """The linear map of `tables`, applied to a register."""
    low, second, third, high = tables
    return (low[state & 255] ^ second[state >> 8 & 255]
            ^ third[state >> 16 & 255] ^ high[state >> 24])


def zero_maps():
    """For each power of two up to the longest payload: what so many zero bytes do to a state."""
    columns = [step(1 << bit, 0) for bit in range(32)]
    maps = []
    for _ in range(14):
        maps.append(linear_tables(columns))
        columns = [apply(maps[-1], column) for column in columns]
    return maps


ZERO_MAPS = zero_maps()


def over_zeros(state, count):
    """The state after `count` zero bytes."""
    for power, tables in enumerate(ZERO_MAPS):
        if count >> power & 1:
            state = apply(tables, state)
    return state


class Prefixes:
    """The states after each byte of some data, from which that of any stretch follows quickly.

    For damaged bytes, of which each is tried as the start of a record of up to 16 KB.
    """

    def __init__(self, data):
        self.states = list(itertools.accumulate(data, step, initial=0))

    def advance(self, state, start, end):
        """The same as `advance(state, data[start:end])`: a CRC is linear in state and data."""
        return self.states[end] ^ over_zeros(self.states[start] ^ state, end - start)


def finish(state):
    """The checksum of a state."""
    return state ^ 0xFFFFFFFF


# Superblock

def verified_superblock(page):
    """The fields of a superblock whose checksum is right, or None."""
    if len(page) < SUPERBLOCK.size or not page.startswith(RING_MAGIC):
        return None
    fields = SUPERBLOCK.unpack_from(page)
    return fields if finish(advance(0xFFFFFFFF, page[:60])) == fields[-1] else None


def refuse(data):
    """Raises what a file without any superblock is: blank, damaged, or no ring."""
    last = max(0, len(data) - PAGE)
    if not any(data[:last]) and not any(data[last + SUPERBLOCK.size:]):
        raise RingError("blank: no ring was made here yet", 0, "start the gateway, it makes one")
    for offset in (0, last):
        if data[offset:offset + len(RING_MAGIC)] == RING_MAGIC:
            raise RingError("both superblocks are damaged", offset, "restore one from a copy")
    first = next((at for at in range(0, len(data), PAGE) if any(data[at:at + PAGE])), last)
    for offset in range(first, first + 17 * PAGE, PAGE):
        if data[offset:offset + 4] in (SEGMENT_MAGIC, BLOCK_MAGIC):
            raise RingError("both superblocks are damaged", offset, "restore one from a copy")
    raise RingError("no ring log", 0, "name another file")


class Header:
    """A segment or block header that verified."""

    def __init__(self, position, previous_end, first_record):
        self.position = position
        self.previous_end = previous_end
        self.first_record = first_record


class Segment(Header):
    """A segment header that verified, with the caller's state."""

    def __init__(self, position, length, sequence, previous_end, consumed, snapshot):
        super().__init__(position, previous_end, position + length)
        self.sequence = sequence
        self.consumed = consumed
        self.snapshot = snapshot


class Ring:
    """The file: its geometry, and what verifies at a position."""

    def __init__(self, data):
        self.data = data
        pages = {"front": data[:PAGE], "copy": data[max(0, len(data) - PAGE):]}
        found = {name: verified_superblock(page) for name, page in pages.items()}
        self.superblocks = [name for name in found if found[name]]
        if not self.superblocks:
            refuse(data)
        fields = found[self.superblocks[0]]
        _, self.version, self.page, self.epoch, self.segment_size, self.count, _ = fields
        self.check_geometry()
        self.seed = advance(0xFFFFFFFF, self.epoch)
        self.prefixes = (None, None)
        self.read_segments()

    def check_geometry(self):
        """Refuses a later version, a size that makes no sense, and a file that was cut short."""
        if self.version > VERSION:
            raise RingError(f"format version {self.version}, this reader knows {VERSION}", 8,
                            "use the reader of a newer version")
        if self.page != PAGE or self.segment_size % PAGE or self.count < 2:
            raise RingError("impossible geometry", 12, "restore the superblock from a copy")
        size = 2 * PAGE + self.count * self.segment_size
        if len(self.data) < size:
            raise RingError(f"truncated: {size} bytes are expected", len(self.data),
                            "copy the whole file again")

    def offset(self, position):
        """Where a position lies in the file."""
        sequence, rest = divmod(position, self.segment_size)
        return PAGE + sequence % self.count * self.segment_size + rest

    def read_segments(self):
        """Reads all segment headers, and finds the newest."""
        headers = [self.segment_in(slot) for slot in range(self.count)]
        self.segments = {header.sequence: header for header in headers if header}
        self.newest = max(self.segments, default=None)
        if self.newest is None:
            self.check_empty()

    def segment_in(self, slot):
        """The segment header in a slot, if it verifies."""
        start = PAGE + slot * self.segment_size
        magic, checksum, version, length, sequence, previous_end, consumed = (
            SEGMENT_HEADER.unpack_from(self.data, start))
        size = -(-(SEGMENT_HEADER.size + length) // PAGE) * PAGE
        if magic != SEGMENT_MAGIC or size > min(LARGEST_HEADER, self.segment_size // 4):
            return None
        if finish(advance(self.seed, self.data[start + 8:start + size])) != checksum:
            return None
        if sequence % self.count != slot or version != VERSION:
            return None
        position = sequence * self.segment_size
        if max(previous_end, consumed) > position or position + self.segment_size >= 1 << 63:
            return None
        begin = start + SEGMENT_HEADER.size
        return Segment(position, size, sequence, previous_end, consumed,
                       self.data[begin:begin + length])

    def check_empty(self):
        """Refuses a ring without a segment header, save one that holds nothing yet."""
        for slot in range(self.count):
            start = PAGE + slot * self.segment_size
            torn = slot == 0 and not any(self.blocks_of(0, 0))
            if any(self.data[start:start + PAGE]) and not torn:
                raise RingError("no segment header verifies", start, "restore from a copy")

    def block_at(self, position):
        """The block header at a position, if it verifies and belongs there."""
        offset = self.offset(position)
        magic, checksum, own, previous_end = BLOCK_HEADER.unpack_from(self.data, offset)
        if magic != BLOCK_MAGIC or own != position or previous_end > position:
            return None
        fields = self.data[offset + 8:offset + BLOCK_HEADER.size]
        if finish(advance(self.seed, fields)) != checksum:
            return None
        return Header(position, previous_end, position + BLOCK_HEADER.size)

    def first_block(self, sequence):
        """Where the blocks of a segment begin: on its second page if its header is damaged."""
        segment = self.segments.get(sequence)
        return segment.first_record if segment else sequence * self.segment_size + PAGE

    def blocks_of(self, sequence, start):
        """The block headers of a segment, from a page on."""
        for position in range(start, (sequence + 1) * self.segment_size, PAGE):
            block = self.block_at(position)
            if block:
                yield block

    def headers_behind(self, position):
        """The headers behind a position: in its segment, then in the segments after it."""
        sequence = position // self.segment_size
        yield from self.blocks_of(sequence, -(-position // PAGE) * PAGE)
        for later in range(sequence + 1, sequence + self.count):
            segment = self.segments.get(later)
            if segment:
                yield segment
            elif later - self.count in self.segments:
                return
            yield from self.blocks_of(later, later * self.segment_size)

    def prefixes_of(self, sequence):
        """The checksum states of a segment, kept until another one is read."""
        if self.prefixes[0] != sequence:
            start = self.offset(sequence * self.segment_size)
            self.prefixes = (sequence, Prefixes(self.data[start:start + self.segment_size]))
        return self.prefixes[1]

    def record_at(self, position):
        """Kind, payload and end of the record at a position, or None if none verifies."""
        sequence, inside = divmod(position, self.segment_size)
        offset = self.offset(position)
        head = self.data[offset:offset + 7]
        if inside + SMALLEST_RECORD >= self.segment_size or head[0] == 0:
            return None
        width = 2 if head[1] & 128 else 1
        length = head[1] & 127 | (head[2] << 7 if width == 2 else 0)
        begin = 1 + width + 4
        if width == 2 and not 0 < head[2] < 128 or inside + begin + length >= self.segment_size:
            return None
        state = advance(self.seed, position.to_bytes(8, "little") + head[:1 + width])
        inside += begin
        state = self.prefixes_of(sequence).advance(state, inside, inside + length)
        if finish(state) != int.from_bytes(head[1 + width:begin], "little"):
            return None
        payload = self.data[offset + begin:offset + begin + length]
        return head[0], payload, position + begin + length

    def find_record(self, start, end):
        """The first position in a range where a record verifies, or None."""
        tried = (position for position in range(start, end) if self.record_at(position))
        return next(tried, None)


class Reader:
    """Reads a ring from its oldest record to its end, as lines."""

    def __init__(self, ring):
        self.ring = ring
        self.position = 0
        self.end = 0
        self.consumed = max((each.consumed for each in ring.segments.values()), default=0)
        self.closed = ring.newest is None

    def lines(self):
        """Every record and gap in order, then the end."""
        yield self.ring_line()
        if self.ring.newest is not None:
            oldest = max(0, self.ring.newest - self.ring.count + 1)
            yield from self.skip_to(oldest * self.ring.segment_size, "overwritten")
            self.position = self.ring.first_block(oldest)
            yield from self.walk()
        yield self.end_line()

    def walk(self):
        """The records and gaps from here to the end."""
        while True:
            yield from self.records()
            header = next(self.ring.headers_behind(self.position), None)
            limit = header.previous_end if header else self.unclean_end()
            limit = min(limit, self.segment_end())
            found = self.ring.find_record(self.position, limit)
            if header is None and found is None:
                return
            if found is None:
                yield from self.skip_to(limit, "damaged")
                self.pass_header(header)
            elif self.lacks_only_header(found):
                self.position = found
            else:
                yield from self.skip_to(found, "damaged")

    def segment_end(self):
        """Where the segment that is being read ends."""
        size = self.ring.segment_size
        return (self.position // size + 1) * size

    def pass_header(self, header):
        """Goes on behind a header, or in the next segment, if what is damaged extends there."""
        self.closed = False
        if header.previous_end > self.position:
            self.position = self.ring.first_block(self.position // self.ring.segment_size)
        else:
            self.end = max(self.end, header.previous_end)
            self.position = header.first_record

    def records(self):
        """The records that follow each other from here."""
        while record := self.ring.record_at(self.position):
            kind, payload, end = record
            yield {"type": "record", "position": self.position, "kind": kind,
                   "length": len(payload), "sha256": hashlib.sha256(payload).hexdigest()}
            if kind == CONSUMED:
                cursor = int.from_bytes(payload, "little")
                if cursor <= self.position:
                    self.consumed = max(self.consumed, cursor)
            self.closed = kind == CLOSED
            self.position = self.end = end

    def skip_to(self, position, reason):
        """Goes on at a position, and says that what lies before it is missing."""
        if position > self.position:
            yield {"type": "gap", "reason": reason, "from": self.position, "to": position}
            self.position = position

    def lacks_only_header(self, found):
        """Whether all that is damaged up to a record is the header of its block."""
        page = -(-self.position // PAGE) * PAGE
        offset = self.ring.offset(self.position)
        padding = self.ring.data[offset:offset + page - self.position]
        return found == page + BLOCK_HEADER.size and not any(padding)

    def unclean_end(self):
        """Up to where records may follow, if what stands here is not the clean end of a log."""
        next_page = (self.position // PAGE + 1) * PAGE
        offset = self.ring.offset(self.position)
        rest = next_page - self.position
        zeros = rest >= SMALLEST_RECORD and not any(self.ring.data[offset:offset + rest])
        if zeros and not self.resembles_block(next_page):
            return self.position
        return next_page + LARGEST_BLOCK

    def resembles_block(self, page):
        """Whether a page looks like a block that lacks only its header."""
        if page % self.ring.segment_size == 0:
            return False
        fields = BLOCK_HEADER.unpack_from(self.ring.data, self.ring.offset(page))
        right = (fields[0] == BLOCK_MAGIC, fields[2] == page, fields[3] == self.end)
        return sum(right) >= 2

    def torn_bytes(self):
        """How much a cut left of a write in the page where the log ends."""
        offset = self.ring.offset(self.position)
        rest = self.ring.data[offset:offset + PAGE - self.position % PAGE]
        return len(rest.rstrip(b"\0")) if self.ring.newest is not None and rest[0] else 0

    def ring_line(self):
        """What the superblock says."""
        ring = self.ring
        return {"type": "ring", "version": ring.version, "epoch": ring.epoch.hex(),
                "segment_size": ring.segment_size, "segments": ring.count,
                "superblocks": ring.superblocks}

    def end_line(self):
        """Where the log ends, how it was left, and the newest state."""
        line = {"type": "end", "position": self.end, "closed": self.closed,
                "torn": self.torn_bytes(), "consumed": self.consumed,
                "newest_segment": self.ring.newest}
        if self.ring.newest is not None:
            snapshot = self.ring.segments[self.ring.newest].snapshot
            line["snapshot"] = hashlib.sha256(snapshot).hexdigest()
        return line


def read(path):
    """The lines of one file."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        if size < 2 * PAGE:
            raise RingError("no ring log: shorter than two superblocks", size, "name another file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield from Reader(Ring(data)).lines()


def main(paths):
    """Prints the lines of all files; the exit status."""
    status = 0
    for path in paths:
        try:
            for line in read(path):
                print(json.dumps({"file": path, **line}))
        except (RingError, OSError) as error:
            system = {"type": "error", "error": str(error), "offset": 0, "remedy": "name a file"}
            print(json.dumps({"file": path, **getattr(error, "line", system)}))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
