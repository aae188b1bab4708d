"""Tests the account: cd Tests/Soak && python3 -m unittest"""
import json
import pathlib
import tempfile
import unittest

from account import Account

FIGURES = {"power_w": 180, "drive_length_m": 1.4, "drive_time_s": 0.8, "stroke_distance_m": 9.5}


def truth_stroke(number, kind="stroke", **changed):
    return {"erg": "430000001", "kind": kind, "session": 1, "session_stroke": number,
            "interval": 1, "stroke": number, "elapsed_s": 2.5 * number,
            "distance_m": 10.0 * number, "recovery_time_s": 1.7, **FIGURES,
            "power_w": 180 + number, **changed}


def truth_split(number, **changed):
    return {"erg": "430000001", "kind": "split", "session": 1, "split": number,
            "duration_s": 7.5, "distance_m": 30, **changed}


def truth_result(revision=1, **changed):
    """A split of the interval piece below."""
    return {"erg": "430000001", "kind": "result", "session": 1, "revision": revision,
            "result_time_s": 15.0, "distance_m": 60.9, "avg_pace_s_per_500m": 123.1,
            "avg_power_w": 183, "avg_stroke_rate_spm": 24, "ending_heart_rate_bpm": 131,
            "avg_heart_rate_bpm": 140, "min_heart_rate_bpm": 120, "max_heart_rate_bpm": 158,
            "drag_factor_avg": 120, "calories_kcal": 51, "strokes": 6, "splits": 2,
            "pm5_log_date": "2026-11-27 10:15", "pm5_log_address": 17301760,
            "pm5_workout_hash": "41a09a0c97a37088", **changed}


def interval_piece():
    """Two intervals of three strokes, not ended by the rower."""
    strokes = [truth_stroke(number) for number in (1, 2, 3)] + [
        truth_stroke(number + 3, interval=2, stroke=number, elapsed_s=2.5 * number,
              distance_m=10.0 * number) for number in (1, 2, 3)]
    end = {"erg": "430000001", "kind": "session", "session": 1, "event": "ended",
           "reason": "finished"}
    return strokes + [truth_split(1), truth_split(2), end]


def published(number, kind="stroke", seq=None, session="S", **changed):
    record = {"epoch": "E", "erg": "erg-1", "seq": seq or number, "session_id": session}
    if kind == "stroke":
        record.update(truth_stroke(number), erg="erg-1")
    if kind == "split":
        record.update(truth_split(number), erg="erg-1")
    if kind == "summary":
        record.update(
            truth_result(), erg="erg-1", revision=seq or number, strokes=6, splits=2, complete=True,
            max_power_w=186, pm5_log_date="2026-11-27T10:15")
    if kind == "gap":
        record.update(recovered=True, reason="notifications_lost")
    known = {name: value for name, value in {**record, **changed}.items() if value is not None}
    return "rowgate/v1/soak/erg/erg-1/%s %s" % (kind, json.dumps(known))


class AccountTests(unittest.TestCase):
    def account(self, truth, messages):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("truth", "messages")]
            paths[0].write_text("".join(json.dumps(record) + "\n" for record in truth))
            paths[1].write_text("\n".join(messages) + "\n")
            return Account(*paths)

    def test_all_well(self):
        truth = [truth_stroke(1), truth_stroke(2, "unsent_stroke"), truth_stroke(3),
                 truth_stroke(4, recovery_time_s=12.0)]
        gap = published(0, "gap", 9, from_stroke=2, to_stroke=2)
        account = self.account(truth, [
            published(1), published(1), gap, published(3), published(4, elapsed_s=9.0, recovery_time_s=None)])
        self.assertEqual(account.complaints, [])
        self.assertEqual((account.rowed, account.published, account.in_gaps), (4, 3, 1))

    def test_each_fault_is_found(self):
        truth = [truth_stroke(number) for number in range(1, 5)]
        whole = [published(number) for number in range(1, 5)]
        self.assertEqual(len(self.account(truth, whole[:2] + whole[3:]).lost), 1)
        self.assertEqual(len(self.account(truth, whole + [published(2, seq=9)]).twice), 1)
        self.assertEqual(len(self.account(truth, whole + [published(5)]).strange), 1)
        self.assertEqual(len(self.account(truth, [published(1, power_w=9)] + whole[1:]).wrong), 1)
        torn = whole[:2] + [published(3, session="T"), published(4, session="T")]
        self.assertEqual(len(self.account(truth, torn).torn), 1)

    def test_a_tail_may_be_uncounted(self):
        truth = [truth_stroke(number) for number in (1, 2)] + [truth_stroke(3, "unsent_stroke")]
        gap = published(0, "gap", 9, uncounted_strokes=True)
        self.assertEqual(self.account(truth, [published(1), published(2), gap]).in_gaps, 1)
        self.assertEqual(len(self.account(truth, [published(1), published(2)]).lost), 1)
        self.assertEqual(len(self.account(truth, [published(1), published(2), published(0, "gap", 9)]).lost), 1)
        self.assertEqual(len(self.account(truth, [published(1), published(3), gap]).lost), 1)

    def test_a_lost_link_cuts_a_stroke(self):
        truth, cut = [truth_stroke(1), truth_stroke(2)], published(1, elapsed_s=0.8, recovery_time_s=None)
        for reason, count in (("link_lost", 0), ("notifications_lost", 2)):
            gap = published(0, "gap", 9, reason=reason)
            self.assertEqual(len(self.account(truth, [cut, gap, published(2)]).wrong), count)

    def test_intervals(self):
        whole = [published(number) for number in range(1, 7)] + [
            published(number, "split") for number in (1, 2)]
        account = self.account(interval_piece(), whole)
        self.assertEqual((account.complaints, account.published), ([], 6))
        self.assertEqual(
            len(self.account(interval_piece(), whole[:-2] + [published(5, elapsed_s=5.0)]).wrong), 0)
        wrong = whole[:4] + [published(5, elapsed_s=5.0)] + whole[5:]
        self.assertEqual(len(self.account(interval_piece(), wrong).wrong), 1)
        self.assertEqual(len(self.account(interval_piece(), whole[:-1]).lost), 1)
        declared = whole[:-1] + [published(0, "gap", 9, from_split=2, to_split=2)]
        self.assertEqual(self.account(interval_piece(), declared).complaints, [])
        wrong = whole[:-1] + [published(2, "split", avg_power_w=9, distance_m=40)]
        self.assertEqual(len(self.account(interval_piece(), wrong).wrong), 1)

    def test_the_end_of_an_interval_may_be_uncounted(self):
        truth = interval_piece()
        # Stroke 3 has no number, so the numbers of the second interval are one less.
        behind = [published(number, stroke=number - 1, seq=number - 1) for number in (4, 5, 6)]
        splits = [published(number, "split") for number in (1, 2)]
        gap = published(0, "gap", 9, uncounted_strokes=True)
        account = self.account(truth, [published(1), published(2), gap] + behind + splits)
        self.assertEqual((account.complaints, account.in_gaps), ([], 1))
        silent = published(0, "gap", 9)
        account = self.account(truth, [published(1), published(2), silent] + behind + splits)
        self.assertEqual(len(account.lost), 1)

    def test_summaries(self):
        heart = [dict(record, heart_rate_bpm=140) if record["kind"] == "stroke" else record
                 for record in interval_piece()]
        truth = heart + [truth_result()]
        whole = [published(number) for number in range(1, 7)] + [
            published(number, "split") for number in (1, 2)]
        account = self.account(truth, whole + [published(1, "summary")])
        self.assertEqual((account.complaints, account.summaries), ([], 1))
        # A summary with lost packets, as once published: 702.0 m instead of 702.9,
        # the heart rate before the rest, the calories before the outage, confirmed by the monitor.
        lost = published(1, "summary", distance_m=60.0, ending_heart_rate_bpm=158,
                    verified_against_pm5=None)
        self.assertEqual(len(self.account(truth, whole + [lost]).wrong_summaries), 2)
        stale = published(2, "summary", calories_kcal=48, verified_against_pm5=True)
        self.assertEqual(len(self.account(truth, whole + [stale]).wrong_summaries), 1)
        changes = {
            "result_time_s": 15.1, "avg_pace_s_per_500m": 130.0, "avg_power_w": 186,
            "avg_stroke_rate_spm": 23, "recovery_heart_rate_bpm": 99, "drag_factor_avg": 125,
            "avg_heart_rate_bpm": 150, "min_heart_rate_bpm": 100, "max_heart_rate_bpm": 170,
            "max_power_w": 180, "strokes": 5, "splits": 1, "complete": False,
            "pm5_log_date": "2026-02-30T10:15", "pm5_log_address": 1,
            "pm5_workout_hash": "0102030405060708", "strokes_received_ratio": 0.9}
        for field, value in changes.items():
            wrong = self.account(truth, whole + [published(1, "summary", **{field: value})])
            self.assertEqual(len(wrong.wrong_summaries), 1, field)
        absent = dict.fromkeys([name for name in changes if name not in (
            "strokes", "splits", "complete", "result_time_s")])
        self.assertEqual(
            self.account(truth, whole + [published(1, "summary", **absent)]).complaints, [])

    def test_a_partial_summary_says_so(self):
        truth = interval_piece() + [truth_result()]
        gap = published(0, "gap", 9, from_stroke=2, to_stroke=2)
        messages = [published(1), gap] + [published(number) for number in range(3, 7)] + [
            published(number, "split") for number in (1, 2)]
        part = {"distance_m": None, "result_time_s": None, "avg_pace_s_per_500m": None,
                "received_distance_m": 50.0, "received_time_s": 12.0, "partial_result": True,
                "strokes": 5, "avg_power_w": 170, "strokes_received_ratio": 0.833, "max_power_w": 186}
        summary = published(1, "summary", **part)
        self.assertEqual(self.account(truth, messages + [summary]).complaints, [])
        for wrong in ({"received_distance_m": 70.0}, {"received_distance_m": None}, {"distance_m": 50.0}):
            summary = published(1, "summary", **{**part, **wrong})
            self.assertEqual(len(self.account(truth, messages + [summary]).wrong_summaries), 1, wrong)


if __name__ == "__main__":
    unittest.main()
