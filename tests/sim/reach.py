#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How near does `tight` come to what is possible, and what does each of its rules bring? The tables of docs/tight.md.

Usage: reach.py LBSIM [--rules | --nodes] [--only TEXT] [--systems NAME...] [--replicates N] [--seed S]

Without an option: every workload of scenarios/all_systems.json, the scenarios with a slow node, and chameleon_mesh; the time of each system over
the bound, and that of tight over what is possible (the largest of bound, informed floor and the graph's cut) in the mean and in its worst
seed, and over the best of the others. --rules: tight over what is possible with each of its rules switched off alone. --nodes: more and
more nodes. --only: rows whose name has the text; --systems: beside tight.
"""
import argparse
import collections
import csv
import io
import json
import statistics
import subprocess
import sys

import bank

ROOT = bank.SCENARIO.parent


def all_systems(model, slow, iterations):
    return "all_systems", {"workload.model,workload.slow,workload.iterations": [[model, slow, iterations]]}


def slow_node(slow, imbalance):
    return "slow_node", {"workload.slow,workload.imbalance": [[slow, imbalance]]}


def mesh(nodes, task_ms, task_bytes):
    keys = "platform.nodes,workload.tasks_per_core,workload.task_ms,workload.task_bytes"
    return "chameleon_mesh", {keys: [[nodes, 10, task_ms, task_bytes]]}


def wider(nodes):
    """16 cores, two appranks, degree 4: twice as many cores as workers."""
    keys = "platform.nodes,workload.model,workload.iterations,workload.tasks_per_core,graph.degree"
    return "all_systems", {keys: [[nodes, "synthetic", 20, 40, 4]]}


POINTS = {
    "synthetic": all_systems("synthetic", "none", 20),
    "synthetic, slow": all_systems("synthetic", "most", 20),
    "micropp": all_systems("micropp", "none", 20),
    "nbody": all_systems("nbody", "none", 600),
    "nbody, slow": all_systems("nbody", "first", 600),
    "phases": all_systems("phases", "none", 40),
    "matmul": all_systems("matmul", "none", 20),
    "mesh": all_systems("mesh", "none", 60),
    "limiter": all_systems("limiter", "none", 60),
    "multizone": all_systems("multizone", "none", 600),
    "slow_node 8, most 2": slow_node("most", 2),
    "slow_node 8, most 4": slow_node("most", 4),
    "slow_node 8, least 2": slow_node("least", 2),
    "slow_node 8, least 4": slow_node("least", 4),
    "nbody_slow_node 16": ("nbody_slow_node", {"graph.degree": [3]}),
    "chameleon_mesh 8": mesh(8, 16, 5184000),
    "chameleon_mesh 32": mesh(32, 4, 1296000),
}
NODES = {f"{nodes} nodes": wider(nodes) for nodes in (4, 16, 64, 256, 1024)}
RULES = {
    "as it is": [],
    "owner idle": ["runtime.ownership=idle"],
    "count owned": ["system.place_cores=owned"],
    "poll 0.05": ["runtime.poll_iterations=0"],
    "poll 0.5": ["runtime.poll_iterations=0", "runtime.poll_s=0.5"],
    "no asking": ["runtime.ask=false"],
    "no window": ["system.average_iterations=0", "system.period_iterations=0"],
    "tail divided": ["system.place_tail_whole=false"],
    "no tail": ["system.place_tail=false"],
}


def simulate(point, systems, sets, options):
    """{system: rows}"""
    scenario, sweep = point
    command = [options.lbsim, str(ROOT / f"{scenario}.json"), "--format", "csv", "--quiet", "--no-figure", "--seed", str(options.seed)]
    for text in [f"sweep={json.dumps({**sweep, 'system.name': systems})}", f"replicates={options.replicates}", *sets]:
        command += ["--set", text]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    rows = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        rows[row["system.name"]].append(row)
    return rows


def mean(rows, column):
    return statistics.mean(float(row[column]) for row in rows)


def show_systems(points, options):
    systems = options.systems + ["tight"]
    print(f"{'':22}" + "".join(f"{name:>10}" for name in systems) + "   possible   over it    worst   over the best")
    for name, point in points.items():
        rows = simulate(point, systems, [], options)
        times = [mean(rows[system], "ratio_to_optimal") for system in systems]
        reached = [float(row["ratio_to_possible"]) for row in rows["tight"]]
        best = min(times[:-1])
        print(f"{name:>22}" + "".join(f"{time:10.3f}" for time in times)
              + f"{times[-1] / statistics.mean(reached):11.3f}{statistics.mean(reached):10.3f}{max(reached):9.3f}{times[-1] / best:16.3f}",
              flush=True)


def show_rules(points, options):
    print(f"{'':22}" + "".join(f"{name:>13}" for name in RULES))
    for name, point in points.items():
        reached = [mean(simulate(point, ["tight"], sets, options)["tight"], "ratio_to_possible") for sets in RULES.values()]
        print(f"{name:>22}{reached[0]:13.3f}" + "".join(f"{value - reached[0]:+13.3f}" for value in reached[1:]), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lbsim")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--systems", nargs="+", default=bank.OTHERS)
    parser.add_argument("--replicates", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    points = {name: point for name, point in (NODES if options.nodes else POINTS).items() if options.only in f" {name} "}
    (show_rules if options.rules else show_systems)(points, options)


if __name__ == "__main__":
    sys.exit(main())
