#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is `tight` anywhere worse than the best of the other systems, on loads that are given as files?

Usage: recorded.py LBSIM [--conditions NAME...] [--replicates N] [--seed S] [--jobs N] [--set KEY=VALUE...]

The load vectors of tests/models/loads.json, which the benchmark of the main paper drew (work of a task of each apprank, so that who has more
work has longer tasks), with 20 and 5 tasks to a core, a node for each apprank and, from four on, for each two; and scenarios/dynamic_loads.csv,
where others have the work every eight iterations. Under the conditions of invented.py, and judged as there.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import bank
import invented

VECTORS = json.loads((bank.SCENARIO.parents[1] / "tests" / "models" / "loads.json").read_text())
MOVING = bank.SCENARIO.parent / "dynamic_loads.csv"
CORES, ITERATIONS = 8, 24


def vector_csv(work_us, tasks):
    lines = [f"{i},{a},{us * 1e-6 * tasks:.9g},{tasks}" for i in range(ITERATIONS) for a, us in enumerate(work_us)]
    return "\n".join(["iteration,apprank,work_s,tasks", *lines, ""])


def cases():
    """name, nodes, cores, appranks on a node, text of the trace"""
    for vector in VECTORS:
        count = len(vector["work_us"])
        for appranks in (1, 2) if count >= 4 else (1,):
            for tasks in (20, 5):
                text = vector_csv(vector["work_us"], tasks * CORES // appranks)
                yield f"{count} of {vector['imbalance']:.2f}, {appranks} a node, {tasks} tasks", count // appranks, CORES, appranks, text
    yield "moving", 8, 48, 1, MOVING.read_text()


def simulate(case, sets, options):
    _, nodes, cores, appranks, text = case
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "recorded.json"
        (file.parent / "loads.csv").write_text(text)
        file.write_text(json.dumps({
            "name": "recorded",
            "platform": {"nodes": nodes, "cores_per_node": cores, "appranks_per_node": appranks},
            "graph": {"degree": min(3, nodes)},
            "workload": {"model": "trace", "file": "loads.csv", "iterations": ITERATIONS, "task_bytes": 10000},
        }))
        return {**invented.run(file, bank.OTHERS, sets, options), **invented.run(file, ["tight"], sets + options.set, options)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lbsim")
    parser.add_argument("--conditions", nargs="+", choices=invented.CONDITIONS, default=list(invented.CONDITIONS))
    parser.add_argument("--replicates", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", nargs="+", default=[])
    options = parser.parse_args()
    ratios, worse = [], 0
    for case in cases():
        for condition in options.conditions:
            best, ratio, spread = bank.interval(simulate(case, invented.CONDITIONS[condition], options))
            ratios.append(ratio)
            worse += ratio - spread > bank.LIMIT
            print(f"{case[0] + ', ' + condition:50} best {best:9} tight {ratio:6.3f} +- {spread:.3f}"
                  f"{'  WORSE' if ratio - spread > bank.LIMIT else ''}", flush=True)
    print(f"{len(ratios)} cases, geometric mean {statistics.geometric_mean(ratios):.3f} of the best, worst {max(ratios):.3f}, worse in {worse}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
