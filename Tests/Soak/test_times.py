"""Tests the check of times: cd Tests/Soak && python3 -m unittest"""
import json
import pathlib
import tempfile
import unittest

from account import Account
from test_account import truth_stroke
from times import Times

# The wall clock at the start of the boot, and of the simulation.
BOOT, BEGIN = 1700000000000, 1700000100000


def message(kind, ts, number=None, erg="erg-1", boot=None, **fields):
    """A record published at `ts`, in ms of the simulator; `boot`: the boot clock's time."""
    at = ts if boot is None else boot
    record = {"epoch": "E", "kind": kind, "erg": erg, "boot_id": "B", "ts_ms": BEGIN + ts,
              "boot_ms": BEGIN - BOOT + at, **fields}
    if number:
        record["seq"] = number
    return "rowgate/v1/soak/erg/%s/%s %s" % (erg, kind, json.dumps(record))


def edge(event, at, type=3):
    return {"erg": "430000001", "kind": "session", "session": 1, "event": event, "at_s": at,
            "workout_type": type}


def stroke(number, ts=None, **fields):
    """Published at the end of its recovery, in a piece that began 10 s into the simulation."""
    known = truth_stroke(number)
    values = {name: known[name] for name in known if name not in ("erg", "kind", "session")}
    ts = 10000 + 2500 * number if ts is None else ts
    return message("stroke", ts, number, session_id="S", **{**values, **fields})


def started(at=10000):
    return message("session", 10600, 1, session_id="S", event="started", started_ms=BEGIN + at)


TRUTH = [edge("started", 10.0)] + [
    truth_stroke(number, drive_end_elapsed_s=2.5 * number - 1.7) for number in range(1, 9)
] + [edge("ended", 31.0)]
# Another erg, and the gateway, whose records have times as well.
OTHERS = [message("live", ts, erg="erg-2") for ts in range(0, 60000, 5000)]
STROKES = [stroke(number) for number in range(1, 9)]


class TimesTests(unittest.TestCase):
    def late(self, messages, truth=TRUTH):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("truth", "messages")]
            paths[0].write_text("".join(json.dumps(record) + "\n" for record in truth))
            paths[1].write_text("\n".join(OTHERS + messages) + "\n")
            account = Account(*paths)
            self.assertEqual(account.complaints, [])
            return Times(paths[1], account.matches).complaints

    def test_all_well(self):
        rollup = message("rollup", 30001, 1, boot=20000)
        self.assertEqual(self.late([started()] + STROKES + [rollup, rollup]), [])

    def test_a_time_ahead_of_the_clock(self):
        # After the rollup above all times are ahead, by less than the tolerance of the truth.
        ahead = [stroke(number, boot=10000 + 2500 * number, ts=16500 + 2500 * number)
                 for number in (7, 8)]
        late = self.late([started()] + STROKES[:6] + ahead)
        self.assertEqual(len(late), 1)
        self.assertIn("2 times ahead of the clock, up to 6.5 s, first stroke 7", late[0])

    def test_a_time_that_goes_back_or_stands_still(self):
        self.assertEqual(len(self.late([started()] + STROKES + [
            message("force", 30000, 1)])), 1)
        swapped = [stroke(7, ts=28200), stroke(8, ts=28100)]
        late = self.late([started()] + STROKES[:6] + swapped)
        self.assertEqual(late, ["erg-1: stroke 8 has a later time than 7"])

    def test_a_beginning_that_was_not_then(self):
        # In a second session of another erg, since all ergs determine the clocks.
        others = []
        for erg in (2, 3):
            others += [text.replace("erg-1", "erg-%d" % erg) for text in [started()] + STROKES]
        truth = TRUTH + [{**record, "erg": "43000000%d" % erg} for erg in (2, 3)
                         for record in TRUTH]
        self.assertEqual(self.late(others + [started()] + STROKES, truth), [])
        late = self.late(others + [started(12000)] + STROKES, truth)
        self.assertEqual(late, ["erg-1 piece 1: began 2.0 s late"])

    def test_stroke_with_wrong_time(self):
        # Messages do not contain a corrected clock.
        def unsaid(messages):
            return [text.replace('"boot_ms"', '"unused"') for text in messages]
        late = self.late(unsaid([started()] + STROKES[:7] + [stroke(8, ts=45000)]))
        self.assertEqual(len(late), 1)
        self.assertIn("1 strokes published up to 16.7 s behind their drives, first 8", late[0])
        self.assertEqual(len(self.late(unsaid([started()] + [stroke(1, ts=5000)]), TRUTH[:2])), 0)
        early = unsaid([started(), stroke(1, ts=10100)])
        self.assertEqual(len(self.late(early, TRUTH[:2] + TRUTH[-1:])), 1)


if __name__ == "__main__":
    unittest.main()
