"""Packets out of a stream that is cut anywhere."""
import asyncio
import struct
import tempfile
import unittest

from radio import hci, host
from radio.controller import Controller
from radio.host import packets

COMMAND = struct.pack("<BHB", hci.COMMAND, 0x200C, 2) + b"\x01\x00"
EMPTY = struct.pack("<BHB", hci.COMMAND, 0x0C03, 0)
DATA = struct.pack("<BHH", hci.ACL, 0x40, 300) + bytes(300)


class HostTests(unittest.TestCase):
    def test_whole_packets_come_in_order(self):
        stream = bytearray(COMMAND + EMPTY + DATA + EMPTY)
        self.assertEqual(list(packets(stream)), [COMMAND, EMPTY, DATA, EMPTY])
        self.assertEqual(stream, b"")

    def test_a_packet_may_be_cut_anywhere(self):
        whole, stream, found = COMMAND + DATA + EMPTY, bytearray(), []
        for byte in whole:
            stream.append(byte)
            found += packets(stream)
        self.assertEqual(found, [COMMAND, DATA, EMPTY])

    def test_the_rest_waits(self):
        stream = bytearray(EMPTY + COMMAND[:-1])
        self.assertEqual(list(packets(stream)), [EMPTY])
        self.assertEqual(stream, COMMAND[:-1])


class StreamTests(unittest.IsolatedAsyncioTestCase):
    async def test_a_program_gets_a_controller_until_it_closes_the_stream(self):
        adapter, served = Controller(0, 1), asyncio.Event()

        async def serve(reader, writer):
            await host.serve_stream(reader, writer, adapter)
            served.set()
        with tempfile.TemporaryDirectory() as folder:
            async with await asyncio.start_unix_server(serve, folder + "/hci"):
                reader, writer = await asyncio.open_unix_connection(folder + "/hci")
                for part in (EMPTY[:2], EMPTY[2:] + struct.pack("<BHB", hci.COMMAND, 0x1009, 0)):
                    writer.write(part)
                    await writer.drain()
                reset, address = await reader.readexactly(7), await reader.readexactly(13)
                self.assertEqual(reset, hci.command_complete(0x0C03, b"\0"))
                self.assertEqual(address, hci.command_complete(0x1009, b"\0" + adapter.address))
                writer.close()
                await asyncio.wait_for(served.wait(), 60)
        self.assertFalse(adapter.is_working)


if __name__ == "__main__":
    unittest.main()
