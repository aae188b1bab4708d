"""Packets out of a stream that is cut anywhere."""
import struct
import unittest

from radio import hci
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


if __name__ == "__main__":
    unittest.main()
