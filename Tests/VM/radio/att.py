"""The attribute server of a monitor (Core specification 5.2, volume 3, parts F and G)."""
import struct

INVALID_HANDLE, READ_NOT_PERMITTED, WRITE_NOT_PERMITTED = 0x01, 0x02, 0x03
REQUEST_NOT_SUPPORTED, INVALID_OFFSET, NOT_FOUND = 0x06, 0x07, 0x0A
UNSUPPORTED_GROUP, INVALID_LENGTH = 0x10, 0x0D

PRIMARY_SERVICE, CHARACTERISTIC, CONFIGURATION = 0x2800, 0x2803, 0x2902
PROPERTIES = {"read": 0x02, "write-without-response": 0x04, "write": 0x08, "notify": 0x10,
              "indicate": 0x20}
# A PM5 agrees to no more; all of its values fit.
MTU = 23
# The parameters that a PM5 requests: 30 ms, no latency, 10 s.
PREFERRED_PARAMETERS = struct.pack("<HHHH", 24, 24, 0, 1000)


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, code, handle):
        super().__init__(code)
        self.code, self.handle = code, handle


def uuid_bytes(text):
    """Two bytes for the Bluetooth base range, else sixteen; least significant first."""
    whole = bytes.fromhex(text.replace("-", ""))[::-1]
    is_short = text.endswith("-0000-1000-8000-00805f9b34fb") and text.startswith("0000")
    return whole[12:14] if is_short else whole


def uuid_text(encoded):
    """The opposite of `uuid_bytes`, with four digits for the Bluetooth base range."""
    digits = encoded[::-1].hex()
    if len(encoded) == 2:
        return digits
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def short(number):
    return struct.pack("<H", number)


class Attribute:
    def __init__(self, handle, kind, value=None, owner=None):
        self.handle, self.kind, self.owner = handle, kind, owner
        self.value = value                  # None: the monitor is asked
        self.group_end = handle


class Characteristic:
    """A characteristic's value attribute and how it may be used."""

    def __init__(self, handle, uuid, flags, identifier=None, configuration=None, value=None):
        self.handle, self.uuid, self.flags = handle, uuid, flags.split()
        self.identifier, self.configuration, self.value = identifier, configuration, value

    def properties(self):
        return sum(PROPERTIES[flag] for flag in self.flags)


class Table:
    """All attributes of a monitor by handle."""

    def __init__(self):
        self.attributes, self.service, self.by_identifier = {}, None, {}

    def add_service(self, handle, uuid):
        self.service = None
        self.service = self.put(handle, short(PRIMARY_SERVICE), uuid)

    def put(self, handle, kind, value=None, owner=None):
        attribute = self.attributes[handle] = Attribute(handle, kind, value, owner)
        if self.service:
            self.service.group_end = handle
        return attribute

    def add(self, characteristic, handle):
        """`handle` is that of the declaration, the value is at the next one."""
        c = characteristic
        declaration = struct.pack("<BH", c.properties(), c.handle) + c.uuid
        self.put(handle, short(CHARACTERISTIC), declaration)
        self.put(c.handle, c.uuid, c.value, c)
        if c.configuration:
            self.put(c.configuration, short(CONFIGURATION), None, c)
        if c.identifier:
            self.by_identifier[c.identifier] = c

    def between(self, start, end):
        return [self.attributes[h] for h in sorted(self.attributes) if start <= h <= end]


def generic_access(table, name):
    """The GATT service of every device; BlueZ does not export it."""
    table.add_service(1, short(0x1800))
    for handle, uuid, value in ((2, 0x2A00, name.encode()), (4, 0x2A01, short(0)),
                                (6, 0x2A04, PREFERRED_PARAMETERS)):
        table.add(Characteristic(handle + 1, short(uuid), "read", value=value), handle)


class Server:
    """Serves one link. The host gives what only the monitor knows:

    `await host.read(identifier)`: bytes, or None when that is not permitted; `host.write(...)`;
    `host.subscribe(identifier, on)`; `host.send(pdu)`.
    """

    def __init__(self, table, host):
        self.table, self.host = table, host
        self.configurations = {}            # value handle -> 1 notify, 2 indicate
        self.subscriptions = 0              # ever asked for, anew or again
        self.waiting = []                   # indications behind an unconfirmed one
        self.is_unconfirmed = False

    async def handle(self, pdu):
        """The response to a PDU, or None."""
        code = pdu[0]
        if code == 0x1E:
            return self.confirmed()
        is_command = bool(code & 0x40)
        try:
            serve = self.REQUESTS.get(code)
            if serve is None:
                raise Refusal(REQUEST_NOT_SUPPORTED, 0)
            answer = await serve(self, pdu[1:])
        except Refusal as error:
            answer = struct.pack("<BBHB", 0x01, code, error.handle, error.code)
        except struct.error:
            answer = struct.pack("<BBHB", 0x01, code, 0, 0x04)
        return None if is_command else answer

    # Values to the client

    def notify(self, identifier, value):
        """Sends a value; returns whether the client has subscribed to it."""
        characteristic = self.table.by_identifier.get(identifier)
        wanted = self.configurations.get(characteristic.handle, 0) if characteristic else 0
        if wanted & 1:
            self.host.send(struct.pack("<BH", 0x1B, characteristic.handle) + value[:MTU - 3])
        elif wanted & 2:
            self.waiting.append(struct.pack("<BH", 0x1D, characteristic.handle) + value[:MTU - 3])
            self.indicate()
        return bool(wanted & 3)

    def indicate(self):
        if self.waiting and not self.is_unconfirmed:
            self.is_unconfirmed = True
            self.host.send(self.waiting.pop(0))

    def confirmed(self):
        self.is_unconfirmed = False
        self.indicate()

    # Requests

    def attribute(self, handle):
        if handle not in self.table.attributes:
            raise Refusal(INVALID_HANDLE, handle)
        return self.table.attributes[handle]

    def range(self, body):
        start, end = struct.unpack_from("<HH", body)
        if start == 0 or start > end:
            raise Refusal(INVALID_HANDLE, start)
        return start, end, body[4:]

    async def exchange_mtu(self, body):
        struct.unpack("<H", body)
        return struct.pack("<BH", 0x03, MTU)

    async def find_information(self, body):
        start, end, _ = self.range(body)
        found = self.table.between(start, end)
        if not found:
            raise Refusal(NOT_FOUND, start)
        size = len(found[0].kind)
        answer = bytes((0x05, 1 if size == 2 else 2))
        for a in found:
            if len(a.kind) != size or len(answer) + 2 + size > MTU:
                break
            answer += short(a.handle) + a.kind
        return answer

    async def find_by_type_value(self, body):
        start, end, rest = self.range(body)
        kind, value = rest[:2], rest[2:]
        answer = b"\x07"
        for a in self.table.between(start, end):
            if a.kind == kind and a.value == value and len(answer) + 4 <= MTU:
                answer += struct.pack("<HH", a.handle, a.group_end)
        if len(answer) == 1:
            raise Refusal(NOT_FOUND, start)
        return answer

    async def read_by_type(self, body):
        start, end, kind = self.range(body)
        found = [a for a in self.table.between(start, end) if a.kind == kind]
        return await self.list_of(found, start, 0x09, lambda a: short(a.handle))

    async def read_by_group(self, body):
        start, end, kind = self.range(body)
        if kind != short(PRIMARY_SERVICE):
            raise Refusal(UNSUPPORTED_GROUP, start)
        found = [a for a in self.table.between(start, end) if a.kind == kind]
        return await self.list_of(
            found, start, 0x11, lambda a: struct.pack("<HH", a.handle, a.group_end))

    async def list_of(self, found, start, code, head):
        """As many entries of one length as fit."""
        if not found:
            raise Refusal(NOT_FOUND, start)
        room, answer, size = MTU - 2, b"", None
        for a in found:
            entry = (head(a) + await self.value(a))[:room]
            size = size or len(entry)
            if len(entry) != size or len(answer) + size > room:
                break
            answer += entry
        return bytes((code, size)) + answer

    async def value(self, attribute):
        if attribute.kind == short(CONFIGURATION):
            return short(self.configurations.get(attribute.owner.handle, 0))
        if attribute.value is not None:
            return attribute.value
        value = None
        if "read" in attribute.owner.flags:
            value = await self.host.read(attribute.owner.identifier)
        if value is None:
            raise Refusal(READ_NOT_PERMITTED, attribute.handle)
        return value

    async def read(self, body):
        handle, = struct.unpack("<H", body)
        return b"\x0B" + (await self.value(self.attribute(handle)))[:MTU - 1]

    async def read_blob(self, body):
        handle, offset = struct.unpack("<HH", body)
        value = await self.value(self.attribute(handle))
        if offset > len(value):
            raise Refusal(INVALID_OFFSET, handle)
        return b"\x0D" + value[offset:offset + MTU - 1]

    async def write_request(self, body):
        characteristic = self.write(body, "write")
        if characteristic:
            await self.host.subscribed(characteristic.identifier)
        return b"\x13"

    async def write_command(self, body):
        self.write(body, "write-without-response")

    def write(self, body, flag):
        """The characteristic that this write subscribes to, or None."""
        handle, = struct.unpack_from("<H", body)
        attribute, value = self.attribute(handle), body[2:]
        if attribute.kind == short(CONFIGURATION):
            return self.configure(attribute.owner, value, handle)
        if not attribute.owner or flag not in attribute.owner.flags:
            raise Refusal(WRITE_NOT_PERMITTED, handle)
        self.host.write(attribute.owner.identifier, value)
        return None

    def configure(self, characteristic, value, handle):
        if len(value) != 2:
            raise Refusal(INVALID_LENGTH, handle)
        wanted, = struct.unpack("<H", value)
        was = self.configurations.get(characteristic.handle, 0)
        self.configurations[characteristic.handle] = wanted
        self.subscriptions += bool(wanted)
        if bool(was) != bool(wanted) and characteristic.identifier:
            self.host.subscribe(characteristic.identifier, bool(wanted))
        return characteristic if wanted and not was else None

    REQUESTS = {0x02: exchange_mtu, 0x04: find_information, 0x06: find_by_type_value,
                0x08: read_by_type, 0x0A: read, 0x0C: read_blob, 0x10: read_by_group,
                0x12: write_request, 0x52: write_command}
