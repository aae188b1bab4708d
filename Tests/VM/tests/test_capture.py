"""Records of packets, written and read."""
import pathlib
import struct
import tempfile
import time
import unittest

from radio import capture, hci
from radio.controller import Controller

from .kernel import Kernel


class CaptureTests(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "adapter"
        self.record = capture.Capture(self.path)
        self.addCleanup(self.record.file.close)

    async def test_both_directions_are_recorded_with_their_times(self):
        adapter = Controller(0, 1)
        adapter.capture = self.record
        kernel = Kernel(adapter)
        await kernel.command(0x1009)
        kernel.unplug()
        adapter.capture.flush()
        command, event = capture.packets(self.path)
        self.assertEqual((command.is_to_host, command.data), (False, b"\x01\x09\x10\x00"))
        self.assertEqual((event.is_to_host, event.data[:3]), (True, b"\x04\x0e\x0a"))
        self.assertLessEqual(command.at, event.at)
        self.assertLess(abs(command.at - time.time()), 60)

    def test_frames_are_put_together_by_link_and_direction(self):
        frame = struct.pack("<HH", 30, 4) + bytes(range(30))
        first, last = hci.fragments(frame, hci.PACKET_SIZE)
        other = struct.pack("<HH", 1, 6) + b"\x0b"
        self.record.add(hci.acl(0x40, *first), True)
        self.record.add(hci.acl(0x41, hci.FIRST, other), True)
        self.record.add(hci.acl(0x40, hci.FIRST_FROM_HOST, other), False)
        self.record.add(hci.acl(0x40, *last), True)
        self.record.flush()
        found = capture.frames(capture.packets(self.path))
        self.assertEqual(
            [(f.is_to_host, f.link, f.channel, f.payload) for f in found],
            [(True, 0x41, 6, b"\x0b"), (False, 0x40, 6, b"\x0b"), (True, 0x40, 4, bytes(range(30)))])

    def test_a_record_that_is_being_written_is_left_out(self):
        for _ in range(2):
            self.record.add(hci.event(0x0E, b"\1\2\3"), True)
        self.record.flush()
        self.path.write_bytes(self.path.read_bytes()[:-1])
        self.assertEqual(len(capture.packets(self.path)), 1)


if __name__ == "__main__":
    unittest.main()
