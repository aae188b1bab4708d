"""Tests the measurements: cd Tests/Load && python3 -m unittest"""
import subprocess
import sys
import unittest

from costs import TICK, Window, parsed, processes, quantiles, spent, table

# A name may have spaces and brackets in it; then state, parent, and behind nine more the ticks.
STAT = "7 (a) b (c)) S 3 7 7 0 -1 0 0 0 0 0 11 22 33 44 20 0 5 0 100\n"


class CostTests(unittest.TestCase):
    def test_a_process_is_read_whatever_it_is_called(self):
        """Parent 3; its ticks, and those of ended children."""
        self.assertEqual(parsed(STAT), (3, 11 + 22 + 33 + 44))

    def test_what_a_process_started_counts_and_nothing_else(self):
        """A tree of three beside an unrelated process; a missing root costs nothing."""
        found = {1: (0, 10 * TICK), 2: (1, 2 * TICK), 3: (2, 3 * TICK), 9: (0, 90 * TICK)}
        self.assertEqual(spent([1], found), 15)
        self.assertEqual(spent([2, 77], found), 5)

    def test_a_child_that_computes_is_seen(self):
        """A real process, which counts to a million and then waits."""
        code = "for number in range(3_000_000): pass\nprint(1, flush=True)\ninput()"
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        try:
            child.stdout.readline()
            self.assertGreater(spent([child.pid], processes()), 0)
        finally:
            child.communicate(b"\n")

    def test_costs_are_of_a_record(self):
        """Two seconds for a thousand records in ten: 2000 us each, and eight cores for 4000 a second."""
        window = Window(lambda: {}, lambda: 0)
        window.seconds, window.records, window.cpu, window.others = 10, 1000, {"broker": 2.0}, 1
        self.assertEqual(list(window.rows(4000))[0], ("broker", "2.0", "0.20", "2000", "8.0"))

    def test_quantiles_are_values_that_were_there(self):
        self.assertEqual(quantiles(range(1, 101)), [51, 96, 100, 100])
        self.assertEqual(quantiles([7]), [7, 7, 7, 7])
        self.assertEqual(quantiles([]), [])

    def test_a_table_lines_up(self):
        self.assertEqual(table(("what", "n"), [("a long one", "1"), ("b", "1000")]), [
            "what           n", "a long one     1", "b           1000"])


if __name__ == "__main__":
    unittest.main()
