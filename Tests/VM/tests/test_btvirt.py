"""The events of our controllers compared with those of btvirt, BlueZ's own emulator, for the same commands.

`btvirt.json` holds the events of btvirt 5.66. To record it again, on a kernel with AF_ALG:

    btvirt -s &
    cd Tests/VM && python3 -m tests.test_btvirt /tmp/bt-server-le > tests/btvirt.json

Addresses, link numbers, signal strengths and clock accuracies differ between emulators and are not compared.
"""
import asyncio
import json
import pathlib
import struct
import sys
import tempfile
import unittest

from radio import controller, hci, host
from radio.controller import Controller

RECORDED = pathlib.Path(__file__).with_name("btvirt.json")
RANDOM_ADDRESS = bytes.fromhex("6655443322c1")
ADVERTISER, CENTRAL = 0, 1
# Steps where the specification decides against btvirt, and what we send instead: volume 4, part E.
DIFFERENT = {
    # 7.8.9: enabling or disabling twice has no effect, which is no error.
    "disable again": [["complete 200a 00"], []],
    "enable twice": [["complete 200a 00"], []],
    "disable after the connection": [["complete 200a 00"], []],
    # 7.8.5: the interval is checked.
    "interval reversed": [["complete 2006 12"], []],
    "interval too short": [["complete 2006 12"], []],
    # 7.7.5: the reason is Connection Terminated By Local Host where the host asked for it.
    "disconnect by the peripheral": [["status 0406 00", "event 05 00LINK16"], ["event 05 00LINK13"]],
    "disconnect by the central": [["event 05 00LINK13"], ["status 0406 00", "event 05 00LINK16"]],
    # 7.1.6: there is no such link.
    "disconnect again": [["status 0406 02"], []],
    # 4.4.2.2 of volume 6, part B: nobody connects to ADV_NONCONN_IND, and the attempt can be cancelled.
    "connect to one that is not connectable": [[], ["status 200d 00"]],
    # btvirt says disallowed, because it has connected.
    "cancel": [[], ["complete 200e 00", "event 3e 010200000000PEER00000000000000"]],
}


def advertising(shortest=0xA0, longest=0xA0, kind=0, own_type=0):
    return struct.pack("<HHBBB6sBB", shortest, longest, kind, own_type, 0, bytes(6), 7, 0)


def data(content):
    return bytes((len(content),)) + content.ljust(31, b"\0")


def scanning(kind):
    return struct.pack("<BHHBB", kind, 0x10, 0x10, 0, 0)


class Dialogue:
    """Two hosts, each with a controller of the same emulator, by stream sockets."""

    def __init__(self, streams, expected=None):
        """`expected`: the steps, to wait for as many packets, however busy the machine is."""
        self.streams, self.buffers, self.steps = streams, [bytearray(), bytearray()], []
        self.expected, self.addresses = expected, []

    async def collect(self, end, seconds, count):
        """The packets that come until there are `count`, or for some time if that is None."""
        found = []
        try:
            async with asyncio.timeout(seconds if count is None else 60):
                while count is None or len(found) < count:
                    await self.read(end, found)
            # More are as wrong as fewer.
            async with asyncio.timeout(0.03):
                await self.read(end, found)
        except TimeoutError:
            pass
        return found

    async def read(self, end, found):
        buffer = self.buffers[end]
        buffer += await self.streams[end][0].read(4096)
        while buffer:
            size = 3 + buffer[2] if buffer[0] == hci.EVENT else 5 + struct.unpack_from("<H", buffer, 3)[0]
            found.append(bytes(buffer[:size]))
            del buffer[:size]

    async def send(self, what, end, packet, seconds=0.15):
        counts = [None, None]
        if self.expected and what != "address":
            counts = [len(packets) for packets in self.expected[len(self.steps)][1]]
        self.streams[end][1].write(packet)
        found = await asyncio.gather(*(self.collect(e, seconds, counts[e]) for e in (0, 1)))
        self.steps.append([what, [[self.text(p) for p in packets] for packets in found]])
        return found

    async def command(self, what, end, opcode, parameters=b"", seconds=0.15):
        return await self.send(
            what, end, struct.pack("<BHB", hci.COMMAND, opcode, len(parameters)) + parameters, seconds)

    def text(self, packet):
        """Comparable between emulators."""
        if packet[0] == hci.ACL:
            return "acl LINK%x%s" % (packet[2] >> 4, packet[3:].hex())
        code, body = packet[1], packet[3:]
        if code == 0x0E:
            text = "complete %04x %s" % (struct.unpack_from("<H", body, 1)[0], body[3:].hex())
        elif code == 0x0F:
            text = "status %04x %02x" % (struct.unpack_from("<H", body, 2)[0], body[0])
        elif code == 0x3E and body[0] == 0x02:
            text = "event 3e " + body[:-1].hex()            # without the signal's strength
        elif code == 0x3E and body[0] == 0x01 and body[1] == 0:
            text = "event 3e 0100LINK" + body[4:-1].hex()   # without the accuracy of the clock
        elif code == 0x05 and body[0] == 0:
            text = "event 05 00LINK" + body[3:].hex()
        elif code == 0x13:
            text = "event 13 01LINK" + body[3:].hex()
        else:
            text = "event %02x %s" % (code, body.hex())
        for address in self.addresses:
            text = text.replace(address.hex(), "PEER")
        return text

    async def connect(self, what):
        """The numbers of the link at both ends."""
        found = await self.command(what, CENTRAL, 0x200D, self.create_connection, 0.4)
        return [next(struct.unpack_from("<H", p, 5)[0] for p in packets if p[1:2] == b"\x3e" and p[3] == 1)
                for packets in found]

    async def play(self):
        for end in (ADVERTISER, CENTRAL):
            await self.command("reset", end, 0x0C03)
            await self.command("events", end, 0x0C01, b"\xff" * 7 + b"\x3f")
            await self.command("events of LE", end, 0x2001, b"\x1f" + bytes(7))
        addresses = []
        for end in (ADVERTISER, CENTRAL):
            addresses.append((await self.command("address", end, 0x1009))[end][0][-6:])
            self.steps.pop()
        self.addresses = addresses
        self.create_connection = struct.pack("<HHBB", 0x60, 0x60, 0, 0) + addresses[0] + struct.pack(
            "<BHHHHHH", 0, 24, 24, 0, 42, 0, 0)
        await self.advertise()
        await self.link()
        await self.other_kinds()
        return self.steps

    async def advertise(self):
        step = self.command
        await step("enable with nothing set", ADVERTISER, 0x200A, b"\1")
        await step("disable", ADVERTISER, 0x200A, b"\0")
        await step("disable again", ADVERTISER, 0x200A, b"\0")
        await step("interval reversed", ADVERTISER, 0x2006, advertising(0x100, 0xA0))
        await step("interval too short", ADVERTISER, 0x2006, advertising(0x1F, 0xA0))
        await step("parameters", ADVERTISER, 0x2006, advertising())
        await step("data", ADVERTISER, 0x2008, data(bytes.fromhex("020106")))
        await step("scan response", ADVERTISER, 0x2009, data(b"\x04\x09PM5"))
        await step("active scan", CENTRAL, 0x200B, scanning(1))
        await step("scan without duplicates", CENTRAL, 0x200C, b"\1\1")
        await step("enable", ADVERTISER, 0x200A, b"\1")
        await step("enable twice", ADVERTISER, 0x200A, b"\1")
        await step("parameters while enabled", ADVERTISER, 0x2006, advertising())
        await step("data while enabled", ADVERTISER, 0x2008, data(bytes.fromhex("020104")))
        await step("no scan", CENTRAL, 0x200C, b"\0\0")
        await step("passive scan", CENTRAL, 0x200B, scanning(0))
        await step("scan", CENTRAL, 0x200C, b"\1\1")
        await step("no scan", CENTRAL, 0x200C, b"\0\0")

    async def link(self):
        step = self.command
        at_advertiser, at_central = await self.connect("connect")
        await step("disable after the connection", ADVERTISER, 0x200A, b"\0")
        frame = struct.pack("<HH", 3, 4)
        await self.send("data of the central", CENTRAL, hci.acl(at_central, 0, frame + b"\x02\x17\x00"))
        await self.send("data of the peripheral", ADVERTISER, hci.acl(at_advertiser, 0, frame + b"\x03\x17\x00"))
        end = struct.pack("<HB", at_advertiser, 0x13)
        await step("disconnect by the peripheral", ADVERTISER, 0x0406, end, 0.3)
        await step("disconnect again", ADVERTISER, 0x0406, end, 0.3)
        await step("enable", ADVERTISER, 0x200A, b"\1")
        _, at_central = await self.connect("connect")
        await step("disconnect by the central", CENTRAL, 0x0406, struct.pack("<HB", at_central, 0x13), 0.3)

    async def other_kinds(self):
        step = self.command
        await step("random address", ADVERTISER, 0x2005, RANDOM_ADDRESS)
        await step("parameters for the random address", ADVERTISER, 0x2006, advertising(own_type=1))
        await step("enable", ADVERTISER, 0x200A, b"\1")
        await step("scan", CENTRAL, 0x200C, b"\1\1")
        await step("random address while enabled", ADVERTISER, 0x2005, bytes(6))
        await step("disable", ADVERTISER, 0x200A, b"\0")
        await step("no scan", CENTRAL, 0x200C, b"\0\0")
        for kind, name in ((2, "scannable"), (3, "neither scannable nor connectable")):
            await step("parameters: " + name, ADVERTISER, 0x2006, advertising(kind=kind))
            await step("active scan", CENTRAL, 0x200B, scanning(1))
            await step("enable", ADVERTISER, 0x200A, b"\1")
            await step("scan", CENTRAL, 0x200C, b"\1\1")
            await step("no scan", CENTRAL, 0x200C, b"\0\0")
            await step("disable", ADVERTISER, 0x200A, b"\0")
        await step("enable", ADVERTISER, 0x200A, b"\1")
        await step("connect to one that is not connectable", CENTRAL, 0x200D, self.create_connection, 0.3)
        await step("cancel", CENTRAL, 0x200E)


async def play(path, expected=None):
    streams = [await asyncio.open_unix_connection(path) for _ in range(2)]
    try:
        return await Dialogue(streams, expected).play()
    finally:
        for _, writer in streams:
            writer.close()


class ComparisonTests(unittest.IsolatedAsyncioTestCase):
    maxDiff = None

    async def test_events_are_those_of_btvirt_or_of_the_specification(self):
        controller.LOSS = 0
        air = []

        async def serve(reader, writer):
            adapter = Controller(len(air), 3, air)
            air.append(adapter)
            await host.serve_stream(reader, writer, adapter)
        expected = [[what, DIFFERENT.get(what, events)] for what, events in json.loads(RECORDED.read_text())]
        with tempfile.TemporaryDirectory() as folder:
            async with await asyncio.start_unix_server(serve, folder + "/hci"):
                self.assertEqual(await play(folder + "/hci", expected), expected)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(play(sys.argv[1])), indent=1))
