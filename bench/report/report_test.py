# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""Tests of the report: python3 -m unittest report_test"""

import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import report


def run(label, name="b", **counters):
    return {"name": name, "run_name": name, "run_type": "iteration", "label": label, **counters}


def median(label, name="b", **counters):
    return {**run(label, name, **counters), "run_type": "aggregate", "aggregate_name": "median"}


def table_of(*entries):
    return report.table(report.join_peers(report.medians([{"benchmarks": list(entries)}])))


class Table(unittest.TestCase):
    def test_a_row_takes_the_median_of_its_runs(self):
        lines = table_of(*[run("P4/ring", plain=p, ours=2.0, ratio=p / 2, goal=1.5) for p in (4.0, 40.0, 3.0)])
        self.assertEqual(len(lines), 1)
        row, _, plain, ours, ratio, goal, met = lines[0]
        self.assertEqual((row, plain, ours, ratio, goal, met),
                         ("P4/ring", "4.00 us", "2.00 us", "2.00", ">= 1.5", "yes"))

    def test_the_benchmarks_own_median_goes_before_its_runs(self):
        mean = {**median("P17", plain=9.0, ours=9.0, ratio=9.0, goal=1.8), "aggregate_name": "mean"}
        slow = run("P17", plain=1.0, ours=1.0, ratio=1.0, goal=1.8)
        own = median("P17", plain=10.0, ours=5.0, ratio=2.0, goal=1.8)
        for entries in ([slow, mean, own], [own, mean, slow]):
            self.assertEqual(table_of(*entries)[0][4], "2.00")

    def test_a_goal_that_is_missed_is_said(self):
        self.assertEqual(table_of(run("P4b", plain=3.0, ours=1.0, ratio=3.0, goal=3.5))[0][5:], (">= 3.5", "no"))

    def test_latency_and_own_cost_are_better_when_smaller(self):
        lines = table_of(run("P7", plain=7.0, ours=7.7, ratio=1.1, goal=1.03),
                         run("P10", "c", plain=900.0, ours=980.0, ratio=80.0, goal=100.0),
                         run("P2c/free", "f", plain=500.0, ours=600.0, ratio=1.2, goal=1.1))
        self.assertEqual([line[5:] for line in lines], [("<= 1.1", "no"), ("<= 1.03", "no"), ("<= 100", "yes")])
        self.assertEqual(lines[2][4], "80.0 ns")

    def test_a_row_with_two_goals_is_two_rows(self):
        lines = table_of(run("P2/raw", "r", plain=55.0, ours=53.0, ratio=0.96, goal=0.95),
                         run("P2/memcpy", "m", plain=10.0, ours=50.0, ratio=5.0, goal=5.5))
        self.assertEqual([(line[0], line[6]) for line in lines], [("P2/memcpy", "no"), ("P2/raw", "yes")])
        self.assertNotEqual(lines[0][1], lines[1][1])

    def test_a_row_without_a_goal_is_neither_met_nor_missed(self):
        self.assertEqual(table_of(run("P4/batch", plain=1.0, ours=2.0, ratio=0.5))[0][5:], ("", ""))

    def test_points_of_curves_are_no_rows_and_come_by_x(self):
        entries = [run("curve/depth", f"d{x}", plain=1.0, ours=1.0, ratio=1.0, x=x) for x in (64, 1, 8)]
        found = report.medians([{"benchmarks": entries}])
        self.assertEqual([point["x"] for point in found["curve/depth"]], [1, 8, 64])
        self.assertEqual(report.table(found), [])

    def test_a_benchmark_that_failed_is_no_row_and_is_named(self):
        entry = {**run("P1/1MiB", "streaming"), "error_occurred": True, "error_message": "wrong bytes"}
        self.assertEqual(table_of(entry), [])
        self.assertEqual(report.failures([{"benchmarks": [entry]}]), ["streaming failed: wrong bytes"])

    def test_rows_come_in_order_and_sizes_as_numbers(self):
        labels = ["P17", "P1/64MiB", "P1/1MiB", "unknown", "P1/16MiB"]
        lines = table_of(*[run(label, label, plain=1.0, ours=1.0, ratio=1.0) for label in labels])
        self.assertEqual([line[0] for line in lines], ["P1/1MiB", "P1/16MiB", "P1/64MiB", "P17", "unknown"])


class Peers(unittest.TestCase):
    def test_a_time_is_compared_with_our_row_of_the_same_work(self):
        lines = table_of(run("P4/memcpy", plain=8.0, ours=2.0, ratio=4.0, goal=3.0),
                         run("P11/torch/P4/cpu", "t", plain=20.0))
        self.assertEqual(lines[1][2:], ("20.0 us", "2.00 us", "10.0", "", ""))

    def test_so_is_a_bandwidth(self):
        lines = table_of(run("P2/memcpy", plain=10.0, ours=50.0, ratio=5.0, goal=4.0),
                         run("P11/cupy/P2/get_out", "c", plain=12.5))
        self.assertEqual(lines[1][2:5], ("12.5 GB/s", "50.0 GB/s", "4.00"))

    def test_fresh_memory_is_compared_with_that_of_the_same_pages(self):
        lines = table_of(run("P3/small_pages", "s", plain=1.0, ours=10.0, ratio=10.0),
                         run("P3/huge_pages", "h", plain=2.0, ours=30.0, ratio=15.0),
                         run("P11/torch/P3/cpu", "t", plain=1.0), run("P11/cupy/P3/get", "c", plain=1.0))
        self.assertEqual({line[0]: line[3] for line in lines[2:]},
                         {"P11/torch/P3/cpu": "10.0 GB/s", "P11/cupy/P3/get": "30.0 GB/s"})

    def test_a_peer_without_our_row_is_left_out(self):
        self.assertEqual(table_of(run("P11/jax/P3", plain=1.0)), [])


class Output(unittest.TestCase):
    LINES = [("P7", "some work", "1 us", "10 us", "10", "<= 1", "no")]

    def test_the_printed_table_is_aligned(self):
        out = io.StringIO()
        report.print_aligned(self.LINES, out)
        header, line = out.getvalue().splitlines()
        for title, cell in (("work", "some work"), ("ours", "10 us"), ("met", "no")):
            self.assertEqual(header.index(title), line.index(cell))

    def test_the_tsv_has_a_header_and_a_line_each(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.tsv")
            report.write_tsv(self.LINES, path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(),
                                 "row\twork\tplain\tours\tratio\tgoal\tmet\n"
                                 "P7\tsome work\t1 us\t10 us\t10\t<= 1\tno\n")

    def test_a_failure_fails_the_report_after_its_table(self):
        entries = [run("P17", plain=2.0, ours=1.0, ratio=2.0, goal=1.8),
                   {**run("P7", "latency"), "error_occurred": True, "error_message": "wrong bytes"}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"benchmarks": entries}, file)
            done = subprocess.run([sys.executable, report.__file__, path], capture_output=True, text=True, check=False)
            self.assertIn("P17", done.stdout)
            self.assertRegex(done.stderr, "latency failed: wrong bytes\nFix: ")
            self.assertEqual(done.returncode, 1)

    def test_a_file_that_is_no_json_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "half.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"benchmarks": [')
            with self.assertRaisesRegex(SystemExit, "half.json.*Fix: "):
                report.load(path)


if __name__ == "__main__":
    unittest.main()
