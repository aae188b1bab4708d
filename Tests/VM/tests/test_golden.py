"""The comparison of a relay's values with the monitor's must be able to fail."""
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scenarios"))
import golden  # noqa: E402
from golden import Value  # noqa: E402
from radio import hci  # noqa: E402
from radio.capture import Packet  # noqa: E402

PEER = hci.address_bytes("F4:30:00:00:00:01")
NAMES = {0x21: "0031", 0x24: "0034"}


def connected(handle, peer=PEER):
    return hci.connection_complete(hci.SUCCESS, handle, bytes((hci.RANDOM,)) + peer, 24, 0, 42)


def attribute(handle, code, attribute, data=b"", channel=golden.ATTRIBUTES):
    payload = struct.pack("<BH", code, attribute) + data
    return hci.acl(handle, hci.FIRST, struct.pack("<HH", len(payload), channel) + payload)


def record(*packets):
    """A record of (is_to_host, packet), one per second."""
    return [Packet(float(at), is_to_host, data) for at, (is_to_host, data) in enumerate(packets)]


def series(text, start=0.0, name="0031"):
    """A value for each letter, one per second."""
    return [Value(start + at, name, letter.encode()) for at, letter in enumerate(text)]


class LinkTests(unittest.TestCase):
    def test_links_are_told_apart_though_handles_are_used_again(self):
        first, second = golden.links(record(
            (True, connected(0x40)), (True, attribute(0x40, 0x1B, 0x21, b"a")), (True, hci.disconnected(0x40, 0x13)),
            (True, attribute(0x40, 0x1B, 0x21, b"late")),
            (True, connected(0x40, hci.address_bytes("C4:00:00:00:00:02"))),
            (True, attribute(0x40, 0x1B, 0x21, b"b"))))
        self.assertEqual((first.peer, first.begun, first.ended), ("F4:30:00:00:00:01", 0, 2))
        self.assertEqual((second.peer, second.ended), ("C4:00:00:00:00:02", float("inf")))
        self.assertEqual([v.data for v in golden.values(first, NAMES, True)], [b"a"])
        self.assertEqual([v.data for v in golden.values(second, NAMES, True)], [b"b"])

    def test_values_writes_and_reads_have_a_direction(self):
        link, = golden.links(record(
            (True, connected(0x40)), (False, attribute(0x40, 0x12, 0x24, b"\2")),
            (False, attribute(0x40, 0x0A, 0x24)), (True, hci.acl(0x40, hci.FIRST, b"\2\0\4\0\x0b\2")),
            (True, attribute(0x40, 0x1D, 0x21, b"c")), (False, attribute(0x40, 0x1B, 0x99, b"d"))))
        self.assertEqual(golden.writes(link, NAMES, to_host=False), [Value(1.0, "0034", b"\2")])
        self.assertEqual(golden.writes(link, NAMES, to_host=True), [])
        self.assertEqual(golden.reads(link, NAMES), [Value(3.0, "0034", b"\2")])
        self.assertEqual(golden.values(link, NAMES, to_host=True), [Value(4.0, "0031", b"c")])
        self.assertEqual(golden.values(link, NAMES, to_host=False), [Value(5.0, "?", b"d")])

    def test_pairing_is_found(self):
        packets = record((True, connected(0x40)), (False, attribute(0x40, 0x0B, 0, channel=golden.SECURITY)))
        self.assertEqual(len(golden.pairing(packets)), 1)
        self.assertEqual(golden.pairing(packets[:1]), [])


class CompareTests(unittest.TestCase):
    def complaint(self, copies, originals, begin=0.0, end=100.0):
        return golden.compare(copies, originals, begin, end).complaint

    def test_equal_values_are_complete(self):
        found = golden.compare(series("abc", 0.25), series("abc"), 0, 100)
        self.assertEqual((found.complaint, found.delays), (None, [0.25, 0.25]))

    def test_a_lost_value_is_noticed_wherever_it_is(self):
        for copies in ("bcd", "abc", "acd", ""):
            self.assertIsNotNone(self.complaint(series(copies, 9), series("abcd")), copies)

    def test_values_outside_the_subscription_need_no_copy(self):
        self.assertIsNone(self.complaint(series("bc", 1.5), series("abcd"), begin=1, end=3))
        self.assertIsNone(self.complaint([], series("abcd"), begin=4))

    def test_changed_and_exchanged_values_are_noticed(self):
        self.assertIn("never sent", self.complaint(series("axc", 0.5), series("abc")))
        self.assertIn("instead of", self.complaint(series("acb", 0.5), series("abc")))

    def test_a_copy_before_its_original_is_noticed(self):
        self.assertIn("early", self.complaint(series("abc"), series("abc", 0.5)))

    def test_equal_values_are_matched_with_the_nearest(self):
        found = golden.compare(series("aaa", 2.25), series("aaaaaa"), 2, 4)
        self.assertEqual((found.complaint, found.delays), (None, [0.25, 0.25]))

    def test_multiplexed_values_carry_their_number(self):
        values = series("a", name="0080") + series("b", name="0031") + series("c", name="003f")
        self.assertEqual([v.data for v in golden.multiplexed(values)], [b"a", b"\x3fc"])

    def test_subsequence(self):
        self.assertTrue(golden.is_subsequence("ac", "abc"))
        self.assertFalse(golden.is_subsequence("ca", "abc"))


class FrameTests(unittest.TestCase):
    def test_replies_are_put_together_from_values(self):
        self.assertEqual(golden.frame_of(b"\x91"), b"\xf1\x91\x91\xf2")
        with self.assertRaises(ValueError):
            golden.frame_of(b"\x71\x80")
        parts = [b"\xf1\x81\x91\x01", b"\xf3\x02\x12\xf2\xf1\x81\x94\x15\xf2", b"\xf1\x81"]
        self.assertEqual(golden.csafe_frames(parts), [b"\x91\x01\xf2", b"\x94"])

    def test_advertisements_are_fields(self):
        data = bytes.fromhex("020106" "0409504d35" "0000")
        self.assertEqual(golden.structures(data), {0x01: b"\x06", 0x09: b"PM5"})

    def test_percentile(self):
        self.assertEqual(golden.percentile(list(range(100)), 0.99), 99)
        self.assertEqual(golden.percentile([7], 0.99), 7)


if __name__ == "__main__":
    unittest.main()
