# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors
"""Tests of run.sh, with programs that stand for benchmarks: python3 -m unittest run_test"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run.sh")
ENTRY = {"name": "step", "run_name": "step", "run_type": "iteration", "label": "P17", "plain": 2.0, "ours": 1.0,
         "ratio": 2.0, "goal": 1.8}
WRITES = f"""for argument; do case $argument in --benchmark_out=*) out=${{argument#*=}} ;; esac; done
cat > "$out" <<'JSON'
{json.dumps({"benchmarks": [ENTRY]})}
JSON
"""
TIMELINE = "echo '{\"intervals\": []}'"


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = os.path.join(folder.name, "build")
        self.out = os.path.join(folder.name, "out")

    def run_programs(self, **programs):
        os.makedirs(os.path.join(self.build, "bench"))
        for name, text in programs.items():
            path = os.path.join(self.build, "bench", name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(path, 0o755)
        return subprocess.run(["bash", RUN, self.build, self.out], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHON": sys.executable, "PEERS": "", "PLOTS": ""})

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def test_all_that_is_made_is_in_the_output_folder(self):
        done = self.run_programs(step_bench=WRITES + "echo printed", timeline=TIMELINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.out)),
                         ["report.tsv", "run.log", "step_bench.json", "timeline.intervals"])
        self.assertRegex(self.read("report.tsv"), "P17\t.*\tyes\n")
        self.assertRegex(self.read("run.log"), "printed")

    def test_a_program_that_fails_is_named_in_the_end_and_the_others_are_run(self):
        done = self.run_programs(a_bench=WRITES + "echo broken >&2; exit 3", step_bench=WRITES, timeline="exit 1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "run.sh: failed: a_bench timeline. Fix: ")
        self.assertEqual(sorted(os.listdir(self.out)), ["report.tsv", "run.log", "step_bench.json"])
        self.assertRegex(self.read("report.tsv"), "P17")
        self.assertRegex(self.read("run.log"), "broken")

    def test_a_benchmark_that_says_that_it_failed_fails_the_run(self):
        error = '"error_occurred": true, "error_message": "wrong bytes", '
        failing = WRITES.replace('"name": "step"', error + '"name": "step"')
        done = self.run_programs(step_bench=failing, timeline=TIMELINE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(self.read("run.log"), "step failed: wrong bytes")

    def test_a_build_without_benchmarks_is_refused(self):
        done = self.run_programs()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "no benchmarks in .*Fix: ")


if __name__ == "__main__":
    unittest.main()
