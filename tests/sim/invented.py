#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is `tight` anywhere worse than the best of the other systems, on loads and machines that nobody has taken from a paper?

Usage: invented.py LBSIM [--loads NAME...] [--machines NAME...] [--conditions NAME...] [--replicates N] [--seed S] [--jobs N]
                   [--set KEY=VALUE...]

Every load below on every machine under every condition. A case counts as worse as in bank.py: where the 95 % confidence interval of the
paired difference to the system that is best in the mean lies beyond 2 %. --set: of `tight` alone, to try a rule. Exits 1 where one is worse.
"""
import argparse
import collections
import json
import math
import pathlib
import random
import statistics
import sys
import tempfile

import bank

MACHINES = {  # nodes, cores of each, appranks on each, degree
    "4x8": (4, 8, 2, 3),
    "2x64": (2, 64, 2, 2),
    "16x4": (16, 4, 1, 3),
    "8x16": (8, 16, 1, 4),
}
CONDITIONS = {
    "plain": [],
    "slow": ['platform.speed=[{"node":1,"factor":0.5}]'],
    "comes and goes": ["workload.slow=most", "workload.slow_factor=2", "workload.slow_iterations=8"],
    "unequal": ['platform.speed=[{"node":0,"factor":0.7},{"node":1,"factor":1.3}]'],
    "far": ["platform.network.latency_us=1000", "workload.task_bytes=1000000"],
}


def drift(draw, nappranks, iterations):
    """Each goes its own way, a few per cent an iteration."""
    loads = [draw.uniform(0.5, 1.5) for _ in range(nappranks)]
    for _ in range(iterations):
        loads = [min(4, max(0.1, load * math.exp(draw.gauss(0, 0.06)))) for load in loads]
        yield loads


def jumps(draw, nappranks, iterations):
    """In each iteration another has three times as much as the rest."""
    for _ in range(iterations):
        worst = draw.randrange(nappranks)
        yield [3 if a == worst else 0.8 for a in range(nappranks)]


def bursts(draw, nappranks, iterations):
    """For eight iterations a few have most of it, then a few others."""
    for i in range(iterations):
        if i % 8 == 0:
            few = draw.sample(range(nappranks), max(1, nappranks // 4))
        yield [2.5 if a in few else 0.5 for a in range(nappranks)]


def half(draw, nappranks, iterations):
    """Every other one has no work at all: as many appranks on each node, but not as many that count."""
    loads = [0.02 if a % 2 else draw.uniform(1, 3) for a in range(nappranks)]
    for _ in range(iterations):
        yield loads


def traced(loads, task_ms, tasks_per_core, iterations=48):
    return loads, {"model": "trace", "iterations": iterations}, (task_ms, tasks_per_core)


def drawn(**workload):
    return None, {"model": "synthetic", "iterations": 24, **workload}, None


LOADS = {
    "drift": traced(drift, 10, 20),
    "drift, few": traced(drift, 60, 4),
    "jumps": traced(jumps, 10, 20),
    "bursts": traced(bursts, 10, 20),
    "half": traced(half, 10, 20),
    "one above all": drawn(imbalance=3.6, tasks_per_core=20, task_ms=10),
    "heavy tail": drawn(imbalance=2, tasks_per_core=30, task_ms=10, jitter="lognormal", jitter_cv=2),
    "heavier tail": drawn(imbalance=1.5, tasks_per_core=30, task_ms=10, jitter="gamma", jitter_cv=3),
    "huge tasks": drawn(imbalance=1.7, tasks_per_core=2, task_ms=500),
    "few, unequal": drawn(imbalance=1.5, tasks_per_core=4, task_ms=100, jitter="lognormal", jitter_cv=0.5),
    "short": drawn(imbalance=2, tasks_per_core=10, task_ms=0.5, iterations=200),
    "micropp": (None, {"model": "micropp", "iterations": 24, "tasks_per_core": 5}, None),
    "wave": (None, {"model": "mesh", "iterations": 80, "tasks_per_core": 10, "task_ms": 5, "mesh_steps": 40}, None),
    "shore": (None, {"model": "limiter", "iterations": 80, "tasks_per_core": 10, "task_ms": 5, "mesh_steps": 40}, None),
}


def write_trace(file, load, machine, seed):
    make, workload, (task_ms, tasks_per_core) = load
    nodes, cores, appranks, _ = machine
    tasks = tasks_per_core * cores // appranks
    lines = ["iteration,apprank,work_s,tasks"]
    for i, loads in enumerate(make(random.Random(seed), nodes * appranks, workload["iterations"])):
        mean = statistics.mean(loads)
        lines += [f"{i},{a},{value / mean * tasks * task_ms * 1e-3:.9g},{max(1, round(tasks * value / mean))}"
                  for a, value in enumerate(loads)]
    file.write_text("\n".join(lines) + "\n")


def scenario(folder, load, machine, seed):
    """Its file, in a folder of its own."""
    nodes, cores, appranks, degree = machine
    made = {
        "name": "invented",
        "platform": {"nodes": nodes, "cores_per_node": cores, "appranks_per_node": appranks},
        "graph": {"degree": degree},
        "workload": {"task_bytes": 10000, **load[1]},
    }
    if load[0]:
        write_trace(folder / "loads.csv", load, machine, seed)
        made["workload"]["file"] = "loads.csv"
    (folder / "invented.json").write_text(json.dumps(made))
    return folder / "invented.json"


def run(file, systems, sets, options):
    times = collections.defaultdict(dict)
    for row in bank.simulate(file, systems, sets, options):
        times[row["system.name"]][row["seed"]] = float(row["time_per_iteration_s"])
    return times


def simulate(folder, load, machine, sets, options):
    file = scenario(folder, load, machine, options.seed)
    if not options.set:
        return run(file, bank.OTHERS + ["tight"], sets, options)
    return {**run(file, bank.OTHERS, sets, options), **run(file, ["tight"], sets + options.set, options)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lbsim")
    parser.add_argument("--loads", nargs="+", choices=LOADS, default=list(LOADS))
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=list(CONDITIONS))
    parser.add_argument("--replicates", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", nargs="+", default=[])
    options = parser.parse_args()
    ratios, worse = [], []
    for name, load in LOADS.items():
        for machine in options.machines if name in options.loads else []:
            for condition in options.conditions:
                with tempfile.TemporaryDirectory() as folder:
                    times = simulate(pathlib.Path(folder), load, MACHINES[machine], CONDITIONS[condition], options)
                best, ratio, spread = bank.interval(times)
                ratios.append(ratio)
                case = f"{name}/{machine}/{condition}"
                if ratio - spread > bank.LIMIT:
                    worse.append(case)
                print(f"{case:34} best {best:9} tight {ratio:6.3f} +- {spread:.3f}{'  WORSE' if case in worse[-1:] else ''}", flush=True)
    print(f"{len(ratios)} cases, geometric mean {statistics.geometric_mean(ratios):.3f} of the best, worst {max(ratios):.3f}, "
          f"worse in {len(worse)}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
