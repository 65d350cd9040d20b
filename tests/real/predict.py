#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Examples that compute: predicted from the program before it was ported, against the ported one.

predict.py BUILD [--only NAME] [--mpi MPI] [--cores C]: NAME-plain, one thread and one CPU for each of its two ranks, is
measured by lbrun measure; lbsim gain predicts from that alone what NAME will take on two nodes of C cores; and NAME
runs there, on virtual CPUs that really compute (control groups: as root, or in a delegated group). Loads are processor
time of a real CPU, so predictions are divided by the speed of the virtual ones, and costs of tasks and messages, which
are no slower there, are multiplied by it. No parameter is fitted.

Code that lives in its caches is slower on CPUs that are stopped every few milliseconds than their speed says. How much is
measured, without anything of ours in it: NAME-plain, with C threads a rank on the same virtual CPUs, over what is predicted
of it (cpus). The last column is live over the prediction times that.

On a machine that does other work runs are refused (no prediction, CPUs that missed their quota): each is tried --tries
times. Exit code: 0; 1 where a run failed, or the median difference is above --within; 2 for a mistake in the
command line.
"""
import argparse
import pathlib
import re
import statistics
import sys
import tempfile

import compare

NODES = 2
MISSED = 0.05  # as lbrun itself
SYSTEMS = [("baseline", 1), ("local", 2), ("global", 2)]
ITERATIONS = 10
# What the programs are given, with C in place of the cores of a rank, and into how many tasks it divides an iteration.
# An iteration takes about a second of a real CPU for each rank, so that few messages meet many tasks.
EXAMPLES = {
    "synthetic": ("--spin --imbalance 1.6 --tasks-per-core {} --task-ms 12", lambda cores: 10 * cores),
    "matmul": ("--size 300 --tasks 90,30", lambda cores: 60),
    "micropp": ("--elements 384 --nodes 7", lambda cores: 192),
    "nbody": ("--bodies 40000 --block 256", lambda cores: 79),
}


def options(name, tasks_per_core):
    return [*EXAMPLES[name][0].format(tasks_per_core).split(), "--iterations", str(ITERATIONS)]


def plain_line(build, mpi, name):
    return [*compare.launch_line(mpi, NODES), str(build / f"real/apps/{name}-plain-{mpi}")]


def measure(build, mpi, name, cores, directory, timeout_s):
    """Measures the plain program into the directory; returns what went wrong, or None."""
    command = [str(build / "lbrun"), "measure", "--out", str(directory), "--",
               *plain_line(build, mpi, name), *options(name, 10 * cores)]
    done = compare.run_json(command, {"OMP_NUM_THREADS": "1"}, timeout_s)
    return done if isinstance(done, str) else None


def predict(build, name, directory, cores, system, degree, report):
    """Seconds of the whole run on virtual CPUs as fast as those of the report, or why there is no prediction."""
    speed = report["virtual_cpus"]["speed"]
    delay_us = max(report["virtual_cpus"]["message_delay_us"], 1)
    command = [str(build / "lbsim"), "gain", str(directory), "--quiet", "--format", "json", "--appranks-per-node", "1",
               "--cores", str(cores), "--tasks", str(EXAMPLES[name][1](cores)), "--systems", system,
               "--set", f"platform.network.latency_us={delay_us * speed}", "--set", "runtime.message_poll_us=0"]
    if degree > 1:
        command += ["--degrees", str(degree)]
    gain = compare.run_json(command, {}, 300)
    if isinstance(gain, str):
        return gain
    if not gain["predicted"]:
        return "no prediction: " + gain["why_not"]
    time_s = gain["systems"][0]["time_s"] if gain["systems"] else gain["simulated_as_it_is_s"] / cores
    return time_s / speed


def run_ported(build, mpi, name, cores, system, degree, directory, timeout_s):
    """The report of a run, or what went wrong."""
    report = directory / "report.json"
    command = [str(build / "lbrun"), "--virtual-cpus", "--mpi", mpi, "--nodes", str(NODES), "--cores", str(cores),
               "--degree", str(degree), "--system", system, "--report", str(report), "--",
               str(build / f"real/apps/{name}-{mpi}"), *options(name, 10)]
    done = compare.run_live(command, report, timeout_s)
    if isinstance(done, str):
        return done
    missed = done["virtual_cpus"]["missed"]
    return done if missed <= MISSED else f"INVALID: a virtual CPU missed {100 * missed:.0f} % of its quota"


def run_plain(build, mpi, name, cores):
    """Seconds an iteration of the unported program on the virtual CPUs, or what went wrong."""
    command = [str(build / "lbrun"), "--virtual-cpus", "--cores", str(NODES * cores), "--system", "dpb",
               "--param", "processors=fixed", "--quiet", "--", *plain_line(build, mpi, name), *options(name, 10)]
    text, wrong = compare.run_text(command, {"OMP_NUM_THREADS": str(cores)}, 300)
    mean = re.search(r"time per iteration: mean ([\d.]+) s", text)
    return wrong or (float(mean[1]) if mean else "prints no time per iteration")


def try_again(times, attempt):
    """What the first attempt that goes well gives; else what went wrong with the last."""
    result = "not tried"
    for _ in range(times):
        result = attempt()
        if not isinstance(result, str):
            break
    return result


def row(arguments, name, system, degree, measured, directory):
    build, mpi, cores = arguments.build, arguments.mpi, arguments.cores
    report = try_again(arguments.tries, lambda: run_ported(build, mpi, name, cores, system, degree, directory, 300))
    if isinstance(report, str):
        return report
    predicted_s = predict(build, name, measured, cores, system, degree, report)
    if isinstance(predicted_s, str):
        return predicted_s
    predicted_s /= ITERATIONS
    live_s = report["time_per_iteration_s"]
    return [name, system, degree, predicted_s, live_s, live_s / predicted_s]


def example(arguments, name, directory):
    """The rows of an example, and what went wrong."""
    build, mpi, cores = arguments.build, arguments.mpi, arguments.cores
    measured = directory / name
    wrong = measure(build, mpi, name, cores, measured, 300)
    plain_s = wrong or try_again(arguments.tries, lambda: run_plain(build, mpi, name, cores))
    if isinstance(plain_s, str):
        return [], [f"{name}: {plain_s}"]
    found = {system: row(arguments, name, system, degree, measured, directory) for system, degree in SYSTEMS}
    if isinstance(found["baseline"], str):
        return [], [f"{name}, baseline: {found['baseline']}"]
    cpus = plain_s / found["baseline"][3]
    rows = [[*cells, cpus, cells[-1] / cpus] for cells in found.values() if not isinstance(cells, str)]
    return rows, [f"{name}, {system}: {cells}" for system, cells in found.items() if isinstance(cells, str)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", choices=EXAMPLES, action="append")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--within", type=float, default=0.05)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    rows, failed = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in arguments.only or EXAMPLES:
            found, wrong = example(arguments, name, pathlib.Path(temporary))
            rows += found
            failed += len(wrong)
            for text in wrong:
                print(f"FAILED: {text}", file=sys.stderr, flush=True)
    compare.print_rows(["example", "system", "degree", "predicted_s", "live_s", "live/predicted", "cpus", "but for cpus"],
                       rows, True)
    if rows:
        compare.print_summary([cells[-1] for cells in rows], arguments.within)
    off = [abs(cells[-1] - 1) for cells in rows]
    return 1 if failed or not rows or statistics.median(off) > arguments.within else 0


if __name__ == "__main__":
    sys.exit(main())
