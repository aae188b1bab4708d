"""The comparison of what was rowed with what was published must be able to fail."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scenarios"))
import json  # noqa: E402

from evidence import Evidence  # noqa: E402
from machine import ERGS, Message  # noqa: E402


def stroke(number, erg=1, kind="stroke", start=0, **more):
    return {"erg": "43%07d" % erg, "kind": kind, "start": start, "session": 1,
            "session_stroke": number, "at": 10.0 * number, "power_w": 100 + number,
            "drive_length_m": 1.4, "drive_time_s": 0.7, "stroke_distance_m": 9.5 + start, **more}


def message(kind, fields, erg=1):
    topic = "rowgate/v1/boathouse/erg/%s/%s" % (ERGS[erg - 1], kind)
    return Message(1.0, False, topic, json.dumps({"kind": kind, **fields}))


def published(number, erg=1, session="A", start=0, **more):
    truth = stroke(number, erg, start=start)
    fields = {name: truth[name] for name in truth if name.endswith(("_w", "_m", "_s"))}
    return message("stroke", {"epoch": "E", "seq": number, "stroke": number, "session_id": session,
                              **fields, **more}, erg)


def gap(first, last, session="A"):
    return message("gap", {"session_id": session, "from_stroke": first, "to_stroke": last})


class EvidenceTests(unittest.TestCase):
    def complaints(self, truth, messages, blind=()):
        others = range(2, 9)
        truth = truth + [stroke(1, erg) for erg in others]
        messages = messages + [published(1, erg) for erg in others]
        return Evidence(truth, messages, blind).complaints

    def test_all_published(self):
        self.assertEqual(self.complaints([stroke(1), stroke(2)], [published(1), published(2)]), [])

    def test_a_lost_stroke_is_found(self):
        found = self.complaints([stroke(1), stroke(2)], [published(1)])
        self.assertEqual(len(found), 1)
        self.assertIn("neither published nor in a gap", found[0])

    def test_a_gap_excuses_what_did_not_arrive(self):
        truth = [stroke(1), stroke(2, kind="unsent_stroke"), stroke(3)]
        messages = [published(1), published(3), gap(2, 2)]
        self.assertEqual(self.complaints(truth, messages), [])
        self.assertEqual(len(self.complaints(truth, messages[:2])), 1)

    def test_a_gap_without_numbers_excuses_the_end_of_its_session(self):
        truth = [stroke(1), stroke(2, kind="unsent_stroke"), stroke(3), stroke(4, kind="unsent_stroke")]
        uncounted = message("gap", {"session_id": "A", "uncounted_strokes": True})
        other = message("gap", {"session_id": "B", "uncounted_strokes": True})
        messages = [published(1), published(3), gap(2, 2)]
        self.assertEqual(self.complaints(truth, messages + [uncounted]), [])
        self.assertIn("stroke 4", self.complaints(truth, messages + [other])[0])
        self.assertIn("stroke 2", self.complaints(truth, messages[:2] + [uncounted])[0])

    def test_a_gap_of_another_session_excuses_nothing(self):
        truth = [stroke(1), stroke(2, kind="unsent_stroke")]
        self.assertEqual(len(self.complaints(truth, [published(1), gap(2, 2, "B")])), 1)

    def test_delivered_strokes_are_gaps_only_without_subscriber(self):
        truth, messages = [stroke(1), stroke(2), stroke(3)], [published(1), published(3), gap(2, 2)]
        self.assertIn("delivered at 20.0", self.complaints(truth, messages)[0])
        self.assertEqual(self.complaints(truth, messages, [(15, 25)]), [])

    def test_a_repetition_is_no_second_stroke(self):
        self.assertEqual(self.complaints([stroke(1)], [published(1), published(1)]), [])
        found = self.complaints([stroke(1)], [published(1), published(1, seq=2)])
        self.assertIn("published twice", found[0])

    def test_a_stroke_in_part_is_enough_only_if_a_part_was_lost(self):
        half = published(2)
        del half.fields["power_w"]
        messages = [published(1), half, published(3)]
        truth = [stroke(1), stroke(2, kind="unsent_stroke"), stroke(3)]
        self.assertEqual(self.complaints(truth, messages), [])
        truth = [stroke(1), stroke(2), stroke(3)]
        self.assertIn("published in part", self.complaints(truth, messages)[0])
        self.assertEqual(self.complaints(truth, messages, [(15, 25)]), [])

    def test_last_incomplete_stroke_is_accepted(self):
        self.assertEqual(self.complaints([stroke(1)], [published(1), published(2)]), [])

    def test_what_comes_after_the_end_does_not_count(self):
        truth = [stroke(1), stroke(2)]
        others = [stroke(1, erg) for erg in range(2, 9)]
        messages = [published(1, erg) for erg in range(1, 9)]
        self.assertEqual(Evidence(truth + others, messages, [], 15.0).complaints, [])
        self.assertEqual(len(Evidence(truth + others, messages, [], 25.0).complaints), 1)

    def test_what_comes_after_the_end_may_be_published(self):
        truth = [stroke(1), stroke(2), stroke(3)]
        others = [stroke(1, erg) for erg in range(2, 9)]
        messages = [published(1, erg) for erg in range(1, 9)] + [published(2), published(3)]
        self.assertEqual(Evidence(truth + others, messages, [], 15.0).complaints, [])
        found = Evidence(truth + others, messages + [published(5)], [], 15.0).complaints
        self.assertIn("stroke 5 of session A was never rowed", found[0])

    def test_inventions_and_split_sessions_are_found(self):
        self.assertIn("never rowed", self.complaints([stroke(1)], [published(1), published(3)])[0])
        found = self.complaints([stroke(1), stroke(2)], [published(1), published(2, session="B")])
        self.assertIn("became 2 sessions", found[0])

    def test_restarted_monitor_counts_from_one(self):
        truth = [stroke(1), stroke(1, start=1)]
        messages = [published(1), published(1, session="B", start=1, seq=2)]
        self.assertEqual(self.complaints(truth, messages), [])


if __name__ == "__main__":
    unittest.main()
