"""Adapter, links and monitors, with this test in the kernel's place."""
import asyncio
import contextlib
import errno
import struct
import unittest
from unittest import mock

from radio import att, controller, hci
from radio import room as radio_room
from radio.controller import Controller
from radio.monitor import Monitor

from .kernel import ADDRESS, CONNECT, PEER, Kernel


class Room:
    """Notes what radios ask of their monitors."""

    def __init__(self):
        self.requests = []

    def send(self, monitor, verb, **words):
        self.requests.append((verb, *words.values()))

    async def read(self, monitor, identifier):
        return b"\x01"


class RadioTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        controller.LOSS = 0
        self.room = Room()
        self.monitor = Monitor(1, "430000001", "PM5 430000001 Row", ADDRESS, self.room)
        self.monitor.table.add_service(8, att.short(0xCE06))
        for handle, identifier in ((9, "0031"), (12, "0035")):
            self.monitor.table.add(att.Characteristic(
                handle + 1, att.short(int(identifier, 16)), "notify", identifier, handle + 2),
                handle)
        self.adapter = Controller(0, 1)
        self.kernel = Kernel(self.adapter)
        task = asyncio.create_task(self.monitor.advertise([self.adapter]))
        self.addCleanup(task.cancel)
        self.addCleanup(self.kernel.socket.close)
        self.addCleanup(self.adapter.pull_out)

    async def until(self, condition):
        """Waits for what comes by and by, however busy the machine is."""
        async def looking():
            while not condition():
                await asyncio.sleep(0.01)
        await asyncio.wait_for(looking(), 60)

    async def subscribe(self, handle, configuration):
        self.kernel.request(handle, struct.pack("<BHH", 0x12, configuration, 1))
        self.assertEqual(await self.kernel.response(), b"\x13")

    async def test_every_claimed_command_is_served(self):
        # No command of the bitmap may fail with "unknown command".
        bits = await self.kernel.command(0x1002)
        self.assertEqual(len(bits), 3 + 1 + 64)
        for opcode in (0x0C03, 0x1001, 0x1003, 0x1009, 0x2002, 0x2003, 0x200F, 0x2010, 0x201C):
            answer = await self.kernel.command(opcode)
            self.assertEqual(answer[1:4], struct.pack("<HB", opcode, hci.SUCCESS), hex(opcode))
        answer = await self.kernel.command(0x0C56)
        self.assertEqual(answer[3], hci.UNKNOWN_COMMAND)

    async def test_active_scan_shows_name_and_service(self):
        await self.kernel.command(0x200B, struct.pack("<BHHBB", 1, 0x10, 0x10, 0, 0))
        await self.kernel.command(0x200C, b"\x01\x01")
        report = await self.kernel.event(0x3E, 0x02)
        self.assertEqual(report[2:10], b"\x00" + PEER)
        self.assertIn(b"PM5 430000001 Row", report)
        response = await self.kernel.event(0x3E, 0x02)
        self.assertEqual(response[2], 4)
        self.assertIn(att.uuid_bytes("ce060000-43e5-11e4-916c-0800200c9a66"), response)

    async def test_a_connected_monitor_is_not_to_be_found(self):
        await self.kernel.connect()
        await self.kernel.command(0x200B, struct.pack("<BHHBB", 0, 0x10, 0x10, 0, 0))
        await self.kernel.command(0x200C, b"\x01\x00")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.kernel.event(0x3E, 0x02), 0.4)

    async def test_requests_in_pieces_are_answered_and_buffers_given_back(self):
        handle = await self.kernel.connect()
        self.kernel.request(handle, b"\x52" + struct.pack("<H", 3) + bytes(40))
        done = await self.kernel.event(0x13)
        self.assertEqual(struct.unpack("<BHH", done), (1, handle, 1))
        await self.kernel.event(0x13)
        self.kernel.request(handle, b"\x02\x17\x00")
        self.assertEqual(await self.kernel.response(), b"\x03\x17\x00")

    async def test_the_link_limit_holds(self):
        await self.kernel.connect()
        status = await self.kernel.command(0x200D, CONNECT, answer=0x0F)
        self.assertEqual(status[0], hci.CONNECTION_LIMIT_EXCEEDED)

    async def test_a_connection_attempt_can_be_cancelled(self):
        self.monitor.is_on = False
        await self.kernel.command(0x200D, CONNECT, answer=0x0F)
        await self.kernel.command(0x200E)
        complete = await self.kernel.event(0x3E, 0x01)
        self.assertEqual(complete[1], hci.UNKNOWN_CONNECTION)
        answer = await self.kernel.command(0x200E)
        self.assertEqual(answer[3], hci.COMMAND_DISALLOWED)

    async def test_a_slow_answer_crosses_its_cancellation(self):
        self.adapter.answering_time = 60
        self.kernel.ask(0x200D, CONNECT)
        while self.adapter.answering is None:
            await asyncio.sleep(0.01)
        self.assertIsNone(self.monitor.link)
        self.kernel.ask(0x200E)
        status, handle = struct.unpack_from("<BH", await self.kernel.event(0x3E, 0x01), 1)
        self.assertEqual(status, hci.SUCCESS)
        self.assertEqual((await self.kernel.event(0x0E))[-1], hci.COMMAND_DISALLOWED)
        self.assertIs(self.adapter.links[handle].peripheral, self.monitor)

    async def test_a_slow_answer_comes_by_itself(self):
        self.adapter.answering_time = 0.01
        self.kernel.ask(0x200D, CONNECT)
        status, = struct.unpack_from("<B", await self.kernel.event(0x3E, 0x01), 1)
        self.assertEqual(status, hci.SUCCESS)
        self.assertIsNone(self.adapter.answering)

    async def test_a_refused_link_is_not_established(self):
        self.monitor.refusals = 1
        handle = await self.kernel.connect()
        ended = await self.kernel.event(0x05)
        self.assertEqual(struct.unpack("<BHB", ended), (0, handle, hci.NOT_ESTABLISHED))
        self.assertEqual(self.room.requests, [])
        await self.kernel.connect()

    async def test_dropped_and_switched_off_end_differently(self):
        await self.kernel.connect()
        self.monitor.drop()
        self.assertEqual((await self.kernel.event(0x05))[3], hci.REMOTE_USER_TERMINATED)
        await self.kernel.connect()
        self.monitor.switch_off()
        self.assertIsNone(self.monitor.link)
        self.assertEqual((await self.kernel.event(0x05))[3], hci.CONNECTION_TIMEOUT)
        self.assertEqual(self.room.requests[-2:], [("disconnect",), ("restart",)])

    async def test_a_monitor_that_sleeps_is_not_to_be_found(self):
        room = radio_room.Room(None)
        room.monitors[1] = self.monitor
        self.assertTrue(self.monitor.is_to_be_found)
        room.handle({"pm": 1, "kind": "air", "advertising": False})
        self.assertFalse(self.monitor.is_to_be_found)
        self.monitor.press("connect")
        self.assertEqual(self.room.requests[-1], ("press", "connect"))
        room.handle({"pm": 1, "kind": "air", "advertising": True})
        self.assertTrue(self.monitor.is_to_be_found)

    async def test_the_monitor_notices_a_pulled_adapter_by_timeout(self):
        await self.kernel.connect()
        link = self.monitor.link
        self.adapter.pull_out()
        self.assertIsNotNone(self.monitor.link)
        await asyncio.sleep(link.timeout + 0.1)
        self.assertIsNone(self.monitor.link)

    async def test_a_frozen_adapter_answers_nothing_and_its_links_are_silent(self):
        handle = await self.kernel.connect()
        await self.subscribe(handle, 14)
        link, told = self.monitor.link, []
        self.monitor.value("0035", b"drive")
        self.adapter.freeze()
        # The monitor finds out by itself, and can be had by another adapter then.
        self.assertIs(self.monitor.link, link)
        self.monitor.when_stroke_arrived(told.append)
        self.kernel.ask(0x1009)
        self.kernel.ask(0x0406, struct.pack("<HB", handle, 0x13))
        self.kernel.request(handle, b"\x02\x17\x00")
        self.kernel.ask(controller.RESET)
        await self.kernel.hears_nothing()
        await asyncio.sleep(link.timeout)
        self.assertIsNone(self.monitor.link)
        self.assertEqual(told, [False])
        other = Controller(1, 1)
        kernel = Kernel(other)
        self.addCleanup(kernel.socket.close)
        self.addCleanup(other.pull_out)
        task = asyncio.create_task(self.monitor.advertise([self.adapter, other]))
        self.addCleanup(task.cancel)
        await kernel.connect()

    async def test_a_thawed_adapter_has_forgotten_everything(self):
        handle = await self.kernel.connect()
        self.adapter.freeze()
        self.kernel.ask(0x1009)
        await self.kernel.hears_nothing()
        self.adapter.thaw()
        status = await self.kernel.command(0x0406, struct.pack("<HB", handle, 0x13), answer=0x0F)
        self.assertEqual(status[0], hci.UNKNOWN_CONNECTION)
        self.assertEqual((await self.kernel.command(0x1009))[4:], self.adapter.address)

    async def test_the_reset_that_mends_is_counted(self):
        self.adapter.freeze(resets=2)
        self.kernel.ask(controller.RESET)
        self.kernel.ask(0x1009)
        await self.kernel.hears_nothing()
        answer = await self.kernel.command(controller.RESET)
        self.assertEqual(answer[1:], struct.pack("<HB", controller.RESET, hci.SUCCESS))
        await self.kernel.connect()

    async def test_plugging_in_mends_a_frozen_adapter(self):
        self.adapter.freeze()
        self.adapter.pull_out()
        kernel = Kernel(self.adapter)
        self.addCleanup(kernel.socket.close)
        await kernel.connect()

    async def test_the_monitor_is_free_though_the_kernel_has_closed_the_adapter(self):
        await self.kernel.connect()
        closed = OSError(errno.ENXIO, "No such device or address")
        with mock.patch("radio.controller.os.write", side_effect=closed):
            self.monitor.drop()
            await asyncio.sleep(0.3)
        self.assertIsNone(self.monitor.link)

    async def test_strokes_are_written_after_their_values(self):
        handle = await self.kernel.connect()
        await self.subscribe(handle, 14)
        told = []
        self.monitor.value("0035", b"drive")
        self.monitor.value("0035", b"recovery")
        self.monitor.when_stroke_arrived(told.append)
        self.assertEqual(told, [])
        self.assertEqual((await self.kernel.response())[3:], b"drive")
        self.assertEqual((await self.kernel.response())[3:], b"recovery")
        await self.until(lambda: told)
        self.assertEqual(told, [True])

    async def test_stroke_during_link_loss_is_unsent(self):
        handle = await self.kernel.connect()
        await self.subscribe(handle, 14)
        told = []
        self.monitor.value("0035", b"drive")
        self.monitor.when_stroke_arrived(told.append)
        self.monitor.switch_off()
        self.assertEqual(told, [False])
        await self.kernel.event(0x05)
        # The next one is whole again; without a subscriber it is not.
        self.monitor.switch_on()
        handle = await self.kernel.connect()
        await self.subscribe(handle, 14)
        self.monitor.value("0035", b"drive")
        self.monitor.when_stroke_arrived(told.append)
        await self.until(lambda: len(told) > 1)
        self.assertEqual(told, [False, True])

    async def test_a_hanging_monitor_keeps_its_link_and_says_nothing(self):
        handle = await self.kernel.connect()
        self.monitor.is_hanging = True
        self.kernel.request(handle, b"\x02\x17\x00")
        with contextlib.suppress(asyncio.TimeoutError):
            answer = await asyncio.wait_for(self.kernel.response(), 0.4)
            self.fail("answered %s" % answer.hex())
        self.assertIsNotNone(self.monitor.link)


if __name__ == "__main__":
    unittest.main()
