"""Adapters that advertise, and centrals that find them and connect."""
import asyncio
import contextlib
import struct
import unittest

from radio import controller, hci
from radio.controller import Controller

from .kernel import Kernel, create_connection

SET_RANDOM_ADDRESS, SET_PARAMETERS, SET_DATA, SET_SCAN_RESPONSE, SET_ENABLE = (
    0x2005, 0x2006, 0x2008, 0x2009, 0x200A)
SCAN_PARAMETERS, SCAN_ENABLE, CREATE_CONNECTION = 0x200B, 0x200C, 0x200D
DATA = bytes.fromhex("020106" "07160018261800ff")
RESPONSE = b"\x12\x09PM5 430000000 Row"
RANDOM_ADDRESS = hci.address_bytes("C1:22:33:44:55:66")


def parameters(shortest=0x20, longest=0x20, kind=0, own_type=hci.PUBLIC, policy=0):
    return struct.pack("<HHBBB6sBB", shortest, longest, kind, own_type, 0, bytes(6), 7, policy)


def data(content):
    return bytes((len(content),)) + content.ljust(31, b"\0")


class AdvertisingTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        controller.LOSS = 0
        self.air = []
        self.relay, self.phone = self.add(0), self.add(1)
        self.peer = bytes((hci.PUBLIC,)) + self.relay.adapter.address

    def add(self, number, links=1):
        adapter = Controller(number, links, self.air)
        self.air.append(adapter)
        kernel = Kernel(adapter)
        self.addCleanup(kernel.unplug)
        return kernel

    async def advertise(self, **words):
        for opcode, content in (
                (SET_PARAMETERS, parameters(**words)), (SET_DATA, data(DATA)),
                (SET_SCAN_RESPONSE, data(RESPONSE)), (SET_ENABLE, b"\x01")):
            self.assertEqual(await self.relay.status(opcode, content), hci.SUCCESS)

    async def scan(self, kernel, kind=1, filters=1):
        await kernel.command(SCAN_PARAMETERS, struct.pack("<BHHBB", kind, 0x10, 0x10, 0, 0))
        await kernel.command(SCAN_ENABLE, bytes((1, filters)))

    async def report(self, kernel):
        """Kind, peer and data of the next advertising report."""
        event = await asyncio.wait_for(kernel.event(0x3E, 0x02), 5)
        return event[2], event[3:10], event[11:-1]

    async def hears_no_report(self, kernel, seconds=0.3):
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(kernel.event(0x3E, 0x02), seconds)

    async def connect(self, kernel=None, peer=None, own_type=hci.PUBLIC):
        """Handles at the phone and at the relay, and the relay's event."""
        central = kernel or self.phone
        handle = await central.connect(create_connection(peer or self.peer, own_type))
        complete = await self.relay.event(0x3E, 0x01)
        return handle, struct.unpack_from("<H", complete, 2)[0], complete

    async def ended(self, kernel):
        status, handle, reason = struct.unpack("<BHB", await kernel.event(0x05))
        self.assertEqual(status, hci.SUCCESS)
        return handle, reason

    async def test_active_scan_reports_advertisement_and_scan_response(self):
        await self.scan(self.phone)
        await self.advertise()
        self.assertEqual(await self.report(self.phone), (0, self.peer, DATA))
        self.assertEqual(await self.report(self.phone), (4, self.peer, RESPONSE))
        await self.hears_no_report(self.phone)                  # the rest are duplicates

    async def test_advertisements_repeat_without_a_filter_for_duplicates(self):
        await self.scan(self.phone, filters=0)
        await self.advertise()
        for _ in range(3):
            self.assertEqual((await self.report(self.phone))[0], 0)
            self.assertEqual((await self.report(self.phone))[0], 4)

    async def test_passive_scan_reports_no_scan_response(self):
        await self.scan(self.phone, kind=0, filters=0)
        await self.advertise()
        for _ in range(3):
            self.assertEqual(await self.report(self.phone), (0, self.peer, DATA))

    async def test_advertiser_does_not_report_itself_but_others_do(self):
        neighbour = self.add(2)
        await self.scan(self.relay)
        await self.scan(neighbour)
        await self.advertise()
        self.assertEqual((await self.report(neighbour))[1], self.peer)
        await self.hears_no_report(self.relay)

    async def test_interval_is_observed(self):
        await self.scan(self.phone, kind=0, filters=0)
        await self.advertise(shortest=0x140, longest=0x180)     # 200 ms, and up to 10 ms more
        await self.report(self.phone)
        loop = asyncio.get_running_loop()
        start = loop.time()
        for _ in range(3):
            await self.report(self.phone)
        self.assertGreater(loop.time() - start, 0.55)

    async def test_new_data_replaces_the_old_without_enabling_again(self):
        await self.scan(self.phone, kind=0, filters=0)
        await self.advertise()
        await self.report(self.phone)
        await self.relay.command(SET_DATA, data(b"\x02\x01\x04"))
        while (await self.report(self.phone))[2] != b"\x02\x01\x04":
            pass

    async def test_disabled_advertiser_is_silent_until_enabled(self):
        await self.advertise()
        await self.relay.command(SET_ENABLE, b"\x00")
        await self.scan(self.phone)
        await self.hears_no_report(self.phone)
        await self.relay.command(SET_ENABLE, b"\x01")
        await self.report(self.phone)

    async def test_reset_forgets_advertising(self):
        await self.advertise()
        await self.relay.command(controller.RESET)
        await self.scan(self.phone)
        await self.hears_no_report(self.phone)
        await self.relay.command(SET_ENABLE, b"\x01")
        self.assertEqual((await self.report(self.phone))[2], b"")

    async def test_frozen_or_unplugged_advertiser_is_silent(self):
        await self.scan(self.phone, filters=0)
        await self.advertise()
        await self.report(self.phone)
        self.relay.adapter.freeze()
        await self.becomes_silent()
        self.relay.adapter.thaw()
        await self.advertise()
        await self.report(self.phone)
        self.relay.adapter.pull_out()
        await self.becomes_silent()

    async def becomes_silent(self):
        with contextlib.suppress(BlockingIOError):
            while self.phone.socket.recv(100):                  # what was under way
                pass
        await self.hears_no_report(self.phone)

    async def test_kinds_that_cannot_be_connected(self):
        for kind, kinds in ((2, [2, 4]), (3, [3])):
            await self.relay.command(SET_ENABLE, b"\x00")
            await self.advertise(shortest=0xA0, longest=0xA0, kind=kind)
            await self.scan(self.phone)
            self.assertEqual([(await self.report(self.phone))[0] for _ in kinds], kinds)
            await self.hears_no_report(self.phone)
            await self.phone.command(SCAN_ENABLE, b"\x00\x00")
        await self.phone.command(CREATE_CONNECTION, create_connection(self.peer), answer=0x0F)
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.phone.event(0x3E, 0x01), 0.4)

    async def test_random_address(self):
        own = {"own_type": hci.RANDOM}
        self.assertEqual(await self.relay.status(SET_PARAMETERS, parameters(**own)), hci.SUCCESS)
        self.assertEqual(await self.relay.status(SET_ENABLE, b"\x01"), hci.INVALID_PARAMETERS)
        await self.relay.command(SET_RANDOM_ADDRESS, RANDOM_ADDRESS)
        await self.advertise(**own)
        await self.scan(self.phone)
        peer = bytes((hci.RANDOM,)) + RANDOM_ADDRESS
        self.assertEqual((await self.report(self.phone))[1], peer)
        self.assertEqual(
            await self.relay.status(SET_RANDOM_ADDRESS, bytes(6)), hci.COMMAND_DISALLOWED)
        await self.connect(peer=peer)

    async def test_commands_that_real_controllers_refuse(self):
        for status, words in (
                (hci.INVALID_PARAMETERS, {"shortest": 0x1F}),
                (hci.INVALID_PARAMETERS, {"shortest": 0x40, "longest": 0x20}),
                (hci.INVALID_PARAMETERS, {"longest": 0x4001}),
                (hci.INVALID_PARAMETERS, {"shortest": 0x9F, "longest": 0xA0, "kind": 3}),
                (hci.UNSUPPORTED_PARAMETER, {"kind": 1}),
                (hci.UNSUPPORTED_PARAMETER, {"policy": 1})):
            self.assertEqual(
                await self.relay.status(SET_PARAMETERS, parameters(**words)), status, words)
        self.assertEqual(await self.relay.status(SET_DATA, b"\x20" + bytes(31)),
                         hci.INVALID_PARAMETERS)
        self.assertEqual(await self.relay.status(SET_SCAN_RESPONSE, b"\x01\x00"),
                         hci.INVALID_PARAMETERS)
        await self.advertise()
        self.assertEqual(await self.relay.status(SET_PARAMETERS, parameters()),
                         hci.COMMAND_DISALLOWED)
        self.assertEqual(await self.relay.status(SET_ENABLE, b"\x01"), hci.SUCCESS)

    async def test_muted_adapter_refuses_to_advertise(self):
        self.relay.adapter.advertising.is_muted = True
        await self.relay.command(SET_PARAMETERS, parameters())
        self.assertEqual(await self.relay.status(SET_ENABLE, b"\x01"), hci.COMMAND_DISALLOWED)

    async def test_connection_has_a_role_at_each_end_and_stops_advertising(self):
        neighbour = self.add(2)
        await self.advertise()
        await self.phone.command(SET_RANDOM_ADDRESS, RANDOM_ADDRESS)
        _, handle, complete = await self.connect(own_type=hci.RANDOM)
        expected = struct.pack("<BBHBB6sHHHB", 0x01, hci.SUCCESS, handle, hci.PERIPHERAL,
                               hci.RANDOM, RANDOM_ADDRESS, 24, 0, 42, 5)
        self.assertEqual(complete, expected)
        await self.scan(neighbour)
        await self.hears_no_report(neighbour)
        self.assertEqual(await self.relay.status(SET_ENABLE, b"\x01"),
                         hci.CONNECTION_LIMIT_EXCEEDED)

    async def test_second_central_waits_for_the_next_advertising(self):
        other = self.add(2)
        await self.advertise()
        await self.connect()
        await other.command(CREATE_CONNECTION, create_connection(self.peer), answer=0x0F)
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(other.event(0x3E, 0x01), 0.4)
        self.relay.adapter.link_limit = 2
        await self.relay.command(SET_ENABLE, b"\x01")
        await other.event(0x3E, 0x01)
        self.assertEqual(len(self.relay.adapter.links), 2)

    async def test_data_goes_both_ways_and_buffers_are_given_back(self):
        await self.advertise()
        at_phone, at_relay, _ = await self.connect()
        long = b"\x1b\x10\x00" + bytes(range(60))
        for sender, number, receiver, other in (
                (self.phone, at_phone, self.relay, at_relay),
                (self.relay, at_relay, self.phone, at_phone)):
            frame = struct.pack("<HH", len(long), 4) + long
            packets = hci.fragments(frame, hci.PACKET_SIZE)
            # A host marks the first packet of a frame in its own way.
            for flags, content in packets:
                flags = hci.FIRST_FROM_HOST if flags == hci.FIRST else flags
                sender.socket.send(hci.acl(number, flags, content))
            for flags, content in packets:
                self.assertEqual(await receiver.packet(hci.ACL),
                                 hci.acl(other, flags, content)[1:])
            for _ in packets:
                self.assertEqual(await sender.event(0x13), struct.pack("<BHH", 1, number, 1))

    async def test_packets_arrive_in_order_and_only_a_few_per_connection_event(self):
        await self.advertise()
        at_phone, at_relay, _ = await self.connect()
        loop = asyncio.get_running_loop()
        start = loop.time()
        for number in range(40):
            self.relay.socket.send(hci.acl(at_relay, hci.FIRST, bytes((number,))))
        for number in range(40):
            self.assertEqual((await self.phone.packet(hci.ACL))[4], number)
        # Ten connection events of 30 ms, of which the first may be close.
        self.assertGreater(loop.time() - start, 0.25)

    async def test_either_end_may_disconnect(self):
        for here, there in ((self.phone, self.relay), (self.relay, self.phone)):
            await self.advertise()
            at_phone, at_relay, _ = await self.connect()
            handles = {self.phone: at_phone, self.relay: at_relay}
            await here.command(0x0406, struct.pack("<HB", handles[here], 0x15), answer=0x0F)
            self.assertEqual(await self.ended(here), (handles[here], hci.LOCAL_HOST_TERMINATED))
            self.assertEqual(await self.ended(there), (handles[there], 0x15))
            self.assertEqual((len(self.phone.adapter.links), len(self.relay.adapter.links)), (0, 0))

    async def test_an_end_that_is_gone_is_noticed_by_timeout(self):
        for gone, left in ((self.phone, self.relay), (self.relay, self.phone)):
            await self.advertise()
            at_phone, at_relay, _ = await self.connect()
            start = asyncio.get_running_loop().time()
            await gone.command(controller.RESET)
            self.assertEqual((await self.ended(left))[1], hci.CONNECTION_TIMEOUT)
            self.assertGreater(asyncio.get_running_loop().time() - start, 0.4)

    async def test_the_central_changes_the_parameters(self):
        await self.advertise()
        at_phone, at_relay, _ = await self.connect()
        change = struct.pack("<HHHHHH", 12, 12, 0, 200, 0, 0)
        await self.phone.command(0x2013, struct.pack("<H", at_phone) + change, answer=0x0F)
        for kernel, handle in ((self.phone, at_phone), (self.relay, at_relay)):
            self.assertEqual(await kernel.event(0x3E, 0x03),
                             struct.pack("<BBHHHH", 3, hci.SUCCESS, handle, 12, 0, 200))
        status = await self.relay.command(
            0x2013, struct.pack("<H", at_relay) + change, answer=0x0F)
        self.assertEqual(status[0], hci.COMMAND_DISALLOWED)

    async def test_versions_features_and_signal_of_the_other_end(self):
        await self.advertise()
        at_phone, at_relay, _ = await self.connect()
        for kernel, handle in ((self.phone, at_phone), (self.relay, at_relay)):
            number = struct.pack("<H", handle)
            await kernel.command(0x041D, number, answer=0x0F)
            self.assertEqual(await kernel.event(0x0C), b"\0" + number + controller.VERSION)
            await kernel.command(0x2016, number, answer=0x0F)
            self.assertEqual(await kernel.event(0x3E, 0x04), b"\x04\0" + number + bytes(8))
            rssi = (await kernel.command(0x1405, number))[-1]
            self.assertEqual(rssi - 256, Controller.rssi)


if __name__ == "__main__":
    unittest.main()
