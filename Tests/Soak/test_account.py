"""The account finds what it is there for: cd Tests/Soak && python3 -m unittest"""
import json
import pathlib
import tempfile
import unittest

from account import Account

FIGURES = {"power_w": 180, "drive_length_m": 1.4, "drive_time_s": 0.8, "stroke_distance_m": 9.5}


def rowed(number, kind="stroke", **changed):
    return {"erg": "430000001", "kind": kind, "session": 1, "session_stroke": number,
            "interval": 1, "stroke": number, "elapsed_s": 2.5 * number,
            "distance_m": 10.0 * number, "recovery_time_s": 1.7, **FIGURES,
            "power_w": 180 + number, **changed}


def rowed_split(number, **changed):
    return {"erg": "430000001", "kind": "split", "session": 1, "split": number,
            "duration_s": 7.5, "distance_m": 30, **changed}


def rowed_result(revision=1, **changed):
    """Of the interval piece below."""
    return {"erg": "430000001", "kind": "result", "session": 1, "revision": revision,
            "result_time_s": 15.0, "distance_m": 60.9, "avg_pace_s_per_500m": 123.1,
            "avg_power_w": 183, "avg_stroke_rate_spm": 24, "ending_heart_rate_bpm": 131,
            "avg_heart_rate_bpm": 140, "min_heart_rate_bpm": 120, "max_heart_rate_bpm": 158,
            "drag_factor_avg": 120, "calories_kcal": 51, "strokes": 6, "splits": 2,
            "pm5_log_date": "2026-11-27 10:15", **changed}


def interval_piece():
    """Twice three strokes, and an end that the rower did not choose."""
    strokes = [rowed(number) for number in (1, 2, 3)] + [
        rowed(number + 3, interval=2, stroke=number, elapsed_s=2.5 * number,
              distance_m=10.0 * number) for number in (1, 2, 3)]
    end = {"erg": "430000001", "kind": "session", "session": 1, "event": "ended",
           "reason": "finished"}
    return strokes + [rowed_split(1), rowed_split(2), end]


def told(number, kind="stroke", seq=None, session="S", **changed):
    record = {"epoch": "E", "erg": "erg-1", "seq": seq or number, "session_id": session}
    if kind == "stroke":
        record.update(rowed(number), erg="erg-1")
    if kind == "split":
        record.update(rowed_split(number), erg="erg-1")
    if kind == "summary":
        record.update(
            rowed_result(), erg="erg-1", revision=seq or number, strokes=6, splits=2, complete=True,
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
        truth = [rowed(1), rowed(2, "unsent_stroke"), rowed(3), rowed(4, recovery_time_s=12.0)]
        gap = told(0, "gap", 9, from_stroke=2, to_stroke=2)
        account = self.account(truth, [
            told(1), told(1), gap, told(3), told(4, elapsed_s=9.0, recovery_time_s=None)])
        self.assertEqual(account.complaints, [])
        self.assertEqual((account.rowed, account.published, account.in_gaps), (4, 3, 1))

    def test_each_fault_is_found(self):
        truth = [rowed(number) for number in range(1, 5)]
        whole = [told(number) for number in range(1, 5)]
        self.assertEqual(len(self.account(truth, whole[:2] + whole[3:]).lost), 1)
        self.assertEqual(len(self.account(truth, whole + [told(2, seq=9)]).twice), 1)
        self.assertEqual(len(self.account(truth, whole + [told(5)]).strange), 1)
        self.assertEqual(len(self.account(truth, [told(1, power_w=9)] + whole[1:]).wrong), 1)
        torn = whole[:2] + [told(3, session="T"), told(4, session="T")]
        self.assertEqual(len(self.account(truth, torn).torn), 1)

    def test_a_tail_may_be_uncounted(self):
        truth = [rowed(number) for number in (1, 2)] + [rowed(3, "unsent_stroke")]
        gap = told(0, "gap", 9, uncounted_strokes=True)
        self.assertEqual(self.account(truth, [told(1), told(2), gap]).in_gaps, 1)
        self.assertEqual(len(self.account(truth, [told(1), told(2)]).lost), 1)
        self.assertEqual(len(self.account(truth, [told(1), told(2), told(0, "gap", 9)]).lost), 1)
        self.assertEqual(len(self.account(truth, [told(1), told(3), gap]).lost), 1)

    def test_a_lost_link_cuts_a_stroke(self):
        truth, cut = [rowed(1), rowed(2)], told(1, elapsed_s=0.8, recovery_time_s=None)
        for reason, count in (("link_lost", 0), ("notifications_lost", 2)):
            gap = told(0, "gap", 9, reason=reason)
            self.assertEqual(len(self.account(truth, [cut, gap, told(2)]).wrong), count)

    def test_intervals(self):
        whole = [told(number) for number in range(1, 7)] + [
            told(number, "split") for number in (1, 2)]
        account = self.account(interval_piece(), whole)
        self.assertEqual((account.complaints, account.published), ([], 6))
        self.assertEqual(
            len(self.account(interval_piece(), whole[:-2] + [told(5, elapsed_s=5.0)]).wrong), 0)
        wrong = whole[:4] + [told(5, elapsed_s=5.0)] + whole[5:]
        self.assertEqual(len(self.account(interval_piece(), wrong).wrong), 1)
        self.assertEqual(len(self.account(interval_piece(), whole[:-1]).lost), 1)
        declared = whole[:-1] + [told(0, "gap", 9, from_split=2, to_split=2)]
        self.assertEqual(self.account(interval_piece(), declared).complaints, [])
        wrong = whole[:-1] + [told(2, "split", avg_power_w=9, distance_m=40)]
        self.assertEqual(len(self.account(interval_piece(), wrong).wrong), 1)

    def test_the_end_of_an_interval_may_be_uncounted(self):
        truth = interval_piece()
        # Stroke 3 has no number, so that those of the second interval are one less.
        behind = [told(number, stroke=number - 1, seq=number - 1) for number in (4, 5, 6)]
        splits = [told(number, "split") for number in (1, 2)]
        gap = told(0, "gap", 9, uncounted_strokes=True)
        account = self.account(truth, [told(1), told(2), gap] + behind + splits)
        self.assertEqual((account.complaints, account.in_gaps), ([], 1))
        silent = told(0, "gap", 9)
        account = self.account(truth, [told(1), told(2), silent] + behind + splits)
        self.assertEqual(len(account.lost), 1)

    def test_summaries(self):
        heart = [dict(record, heart_rate_bpm=140) if record["kind"] == "stroke" else record
                 for record in interval_piece()]
        truth = heart + [rowed_result()]
        whole = [told(number) for number in range(1, 7)] + [
            told(number, "split") for number in (1, 2)]
        account = self.account(truth, whole + [told(1, "summary")])
        self.assertEqual((account.complaints, account.summaries), ([], 1))
        # A summary of which packets were lost, as it was published once: 702.0 m instead of 702.9,
        # a heart rate of before the rest, calories of before the outage and confirmed by the monitor.
        lost = told(1, "summary", distance_m=60.0, ending_heart_rate_bpm=158,
                    verified_against_pm5=None)
        self.assertEqual(len(self.account(truth, whole + [lost]).wrong_summaries), 2)
        stale = told(2, "summary", calories_kcal=48, verified_against_pm5=True)
        self.assertEqual(len(self.account(truth, whole + [stale]).wrong_summaries), 1)
        changes = {
            "result_time_s": 15.1, "avg_pace_s_per_500m": 130.0, "avg_power_w": 186,
            "avg_stroke_rate_spm": 23, "recovery_heart_rate_bpm": 99, "drag_factor_avg": 125,
            "avg_heart_rate_bpm": 150, "min_heart_rate_bpm": 100, "max_heart_rate_bpm": 170,
            "max_power_w": 180, "strokes": 5, "splits": 1, "complete": False,
            "pm5_log_date": "2026-02-30T10:15", "strokes_received_ratio": 0.9}
        for field, value in changes.items():
            wrong = self.account(truth, whole + [told(1, "summary", **{field: value})])
            self.assertEqual(len(wrong.wrong_summaries), 1, field)
        absent = dict.fromkeys([name for name in changes if name not in (
            "strokes", "splits", "complete", "result_time_s")])
        self.assertEqual(
            self.account(truth, whole + [told(1, "summary", **absent)]).complaints, [])

    def test_a_partial_summary_says_so(self):
        truth = interval_piece() + [rowed_result()]
        gap = told(0, "gap", 9, from_stroke=2, to_stroke=2)
        messages = [told(1), gap] + [told(number) for number in range(3, 7)] + [
            told(number, "split") for number in (1, 2)]
        part = {"distance_m": 50.0, "partial_result": True, "strokes": 5, "avg_power_w": 170,
                "strokes_received_ratio": 0.833, "max_power_w": 186}
        summary = told(1, "summary", **part)
        self.assertEqual(self.account(truth, messages + [summary]).complaints, [])
        more = told(1, "summary", **{**part, "distance_m": 70.0})
        self.assertEqual(len(self.account(truth, messages + [more]).wrong_summaries), 1)


if __name__ == "__main__":
    unittest.main()
