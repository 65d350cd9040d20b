#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tasks that wait for each other, create others and are waited for: simulated against live.

ordered.py BUILD [--only HOW] [--mpi MPI]: each way to wait of tests/real/runtime/chains.c runs under each system on two
virtual nodes, rank 1 with half of the work, and lbrun --compare simulates the tasks that the job had (--tasks). The
table has both times of an iteration, mean of the last third, and live over simulated. No parameter is fitted.

Exit code: 0; 1 where a run failed, or the median difference is above --within; 2 for a mistake in the command line.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import compare

WAYS = ["line", "waits", "on", "children", "weak", "many", "wave", "unequal", "urgent", "tree", "trees"]
SYSTEMS = [("baseline", 1), ("dlb", 1), ("local", 2), ("global", 2), ("tight", 2), ("dynamic", 0), ("chameleon", 0)]
TIMES = re.compile(r"simulated (\S+) s, live (\S+) s")


def run(arguments, way, system, degree):
    """Simulated and live, s; None: the job failed."""
    build = pathlib.Path(arguments.build)
    command = [str(build / "lbrun"), "--quiet", "--virtual", "--nodes", "2", "--cores", str(arguments.cores),
               "--system", system, "--compare"]
    command += ["--degree", str(degree)] if degree else []
    command += ["--", str(build / "tests/real/runtime" / f"real_chains_{arguments.mpi}"), way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout, check=False)
    found = TIMES.search(done.stderr)
    if done.returncode or not found:
        print(f"{way}, {system}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        return None
    return float(found.group(1)), float(found.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory, as in build/release, with its tests")
    parser.add_argument("--only", choices=WAYS, help="one way")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--cores", type=int, default=4, metavar="C", help="of each node (default 4)")
    parser.add_argument("--within", type=float, default=0.05, metavar="X", help="median difference allowed (0.05)")
    parser.add_argument("--timeout", type=float, default=120, metavar="S", help="of a job (default 120)")
    parser.add_argument("--markdown", action="store_true", help="the table as in the documents")
    arguments = parser.parse_args()
    rows, ratios, failed = [], [], 0
    for way in [arguments.only] if arguments.only else WAYS:
        for system, degree in SYSTEMS:
            found = run(arguments, way, system, degree)
            failed += found is None
            if found:
                ratios.append(found[1] / found[0])
                rows.append([way, system, *found, ratios[-1]])
    if not rows:
        return 1
    compare.print_rows(["tasks", "system", "simulated_s", "live_s", "ratio"], rows, arguments.markdown)
    compare.print_summary(ratios, arguments.within)
    median = sorted(abs(ratio - 1) for ratio in ratios)[len(ratios) // 2]
    return 1 if failed or median > arguments.within else 0


if __name__ == "__main__":
    sys.exit(main())
