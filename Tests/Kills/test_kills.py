"""Tests the checks of the kills: cd Tests/Kills && python3 -m unittest"""
import ctypes
import json
import pathlib
import random
import sqlite3
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "Cluster")]

from mixture import AGAIN, BEHIND, Frames, Mixture  # noqa: E402
from records import Comparison, of_logbook, of_ring, published  # noqa: E402


def publish(number, qos=1):
    return bytes([0x30 | qos << 1, 3, 0, 0, number])


def record(number, watts=100, kind="stroke"):
    return json.dumps({"gw": "club", "erg": "erg-1", "kind": kind, "epoch": "E", "seq": number,
                       "session_id": "S", "power_w": watts}, separators=(",", ":"))


class MixtureTests(unittest.TestCase):
    def test_nothing_is_lost_and_little_is_late(self):
        """Of a hundred messages each arrives, some twice with DUP, none delayed longer than allowed."""
        mixture, sent = Mixture(random.Random(7)), [publish(number) for number in range(100)]
        come = [packet for one in sent for packet in mixture.process(one)] + mixture.rest()
        numbers = [packet[-1] for packet in come]
        self.assertEqual(set(numbers), set(range(100)))
        self.assertEqual(len(numbers), 100 + mixture.twice)
        self.assertEqual(sum(packet[0] & AGAIN > 0 for packet in come), mixture.twice)
        self.assertGreater(min(mixture.twice, mixture.later), 5)
        self.assertNotEqual(numbers, sorted(numbers))
        firsts = [numbers.index(number) for number in range(100)]
        self.assertTrue(all(place - number <= BEHIND + mixture.twice
                            for number, place in enumerate(firsts)))

    def test_what_is_not_acknowledged_stays_where_it_is(self):
        """A message with QoS 0, and a packet that is not a message."""
        mixture = Mixture(random.Random(7))
        for packet in (publish(1, qos=0), b"\xd0\0", b"\x90\x03\0\1\0") * 50:
            self.assertEqual(mixture.process(packet), [packet])

    def test_packets_are_found_wherever_the_stream_is_cut(self):
        """A packet of 200 bytes, whose length takes two, a byte at a time."""
        long = b"\x32\xc8\x01" + b"x" * 200
        frames, found = Frames(), []
        for byte in publish(1) + long + publish(2):
            found += frames.split(bytes([byte]))
        self.assertEqual(found, [publish(1), long, publish(2)])


class ComparisonTests(unittest.TestCase):
    def compare(self, ring, logbook):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "ring.jsonl").write_text(
                "".join(text[:-1] + ',"historical":false}\n' for text in ring))
            store = sqlite3.connect(path / "logbook.db")
            store.executescript(
                "CREATE TABLE stream (id INTEGER, gw TEXT);"
                "CREATE TABLE record (stream INTEGER, body BLOB);"
                "CREATE TABLE record_dictionary (id INTEGER, bytes BLOB);"
                "CREATE TABLE session (id INTEGER, session_id TEXT);"
                "INSERT INTO stream VALUES (1, 'club'), (2, 'school')")
            store.executemany("INSERT INTO record VALUES (1, ?)",
                              [(text.encode(),) for text in logbook])
            store.execute("INSERT INTO record VALUES (2, ?)", (record(99).encode(),))
            store.commit()
            store.close()
            return Comparison(of_ring(path / "ring.jsonl"),
                              of_logbook(str(path / "logbook.db"), "club"))

    def test_equal_is_equal(self):
        """Records of another gateway are ignored."""
        records = [record(1), record(2), record(1, kind="session"), record(1, kind="manifest")]
        self.assertTrue(self.compare(records, reversed(records)).is_final)

    def test_compressed_records_are_read(self):
        """With a session whose row has two bytes, and without one."""
        text, dictionary = record(1), record(7).encode() * 9
        library, size = ctypes.CDLL("libzstd.so.1"), ctypes.c_size_t
        library.ZSTD_createCCtx.restype = ctypes.c_void_p
        compress = library.ZSTD_compress_usingDict
        compress.restype = size
        compress.argtypes = [ctypes.c_void_p, ctypes.c_char_p, size, ctypes.c_char_p, size,
                             ctypes.c_char_p, size, ctypes.c_int]
        for row, plain in ((b"\xac\x02", text.replace('"S"', '""')), (b"\0", text)):
            frame = ctypes.create_string_buffer(1000)
            count = compress(library.ZSTD_createCCtx(), frame, 1000, plain.encode(), len(plain),
                             dictionary, len(dictionary), 3)
            body = b"\x05" + row + frame.raw[4:count]
            self.assertLess(len(body), len(text))
            self.assertEqual(published(body, {5: dictionary}, {300: "S"}), text)

    def test_each_difference_is_one(self):
        """A lost record, an altered one, one without a recording, and a session without its end."""
        whole = [record(1), record(2)]
        for logbook, kind in (([record(1)], "missing"), ([record(1), record(2, 101)], "different"),
                              (whole + [record(3)], "strange")):
            found = self.compare(whole, logbook)
            self.assertEqual(len(getattr(found, kind)), 1, kind)
            self.assertFalse(found.is_final)
        open_ = whole + [record(1, kind="session")]
        self.assertFalse(self.compare(open_, open_).is_final)


if __name__ == "__main__":
    unittest.main()
