#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is `tight` anywhere worse than the best of the other systems, on the very same work?

Usage: bank.py LBSIM [--short] [--settings NAME...] [--replicates N] [--seed S] [--jobs N]

The bank: every workload of scenarios/contest.json in every setting below. A case counts as worse where the 95 % confidence interval of the
paired difference to the system that is best in the mean lies beyond 2 %. Prints a row for each case; exits 1 where one is worse that is
not among KNOWN (docs/tight.md says why), or where one of KNOWN is no longer.
"""
import argparse
import collections
import csv
import io
import json
import math
import pathlib
import statistics
import subprocess
import sys

SCENARIO = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "contest.json"
OTHERS = ["baseline", "local", "global", "chameleon"]
LIMIT = 1.02
SETTINGS = {
    "plain": [],
    "few_tasks": ["workload.tasks_per_core=6"],
    "short": ["workload.task_ms=2"],
    "latency": ["platform.network.latency_us=1000"],
    "noise": ["workload.jitter=gamma", "workload.jitter_cv=0.5"],
    "slow_node": ['platform.speed=[{"node":1,"factor":0.6}]'],
    "degree_2": ["graph.degree=2"],
    "alone": ["platform.appranks_per_node=1"],
    "balanced": ["workload.imbalance=1.1"],
    "severe": ["workload.imbalance=4"],
    "slow_third": ['platform.speed=[{"node":1,"factor":0.3}]'],
    "few_and_slow": ["workload.tasks_per_core=6", 'platform.speed=[{"node":1,"factor":0.6}]'],
    "few_and_noise": ["workload.tasks_per_core=6", "workload.jitter=gamma", "workload.jitter_cv=0.5"],
    "noise_and_slow": ["workload.jitter=gamma", "workload.jitter_cv=0.5", 'platform.speed=[{"node":1,"factor":0.6}]'],
    "very_few": ["workload.tasks_per_core=3"],
    "very_few_and_slow": ["workload.tasks_per_core=3", 'platform.speed=[{"node":1,"factor":0.6}]'],
    "short_and_latency": ["workload.task_ms=2", "platform.network.latency_us=1000"],
    "large": ["workload.task_bytes=20000000"],
    "few_cores": ["platform.cores_per_node=6"],
    "many_cores": ["platform.cores_per_node=32"],
    "wide": ["platform.nodes=16", "workload.multizone_class=\"C\""],
}
SHORT = ["few_tasks"]
KNOWN = {"large/nbody/none/none"}
STUDENT = {2: 12.71, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}  # 95 %, two-sided, by the number of pairs


def simulate(file, systems, sets, options):
    """The rows of a scenario's runs under each system, on the same work."""
    command = [options.lbsim, str(file), "--format", "csv", "--quiet", "--no-figure", "--seed", str(options.seed),
               "--jobs", str(options.jobs)]
    for text in sets + [f"sweep.system.name={json.dumps(systems)}", f"replicates={options.replicates}"]:
        command += ["--set", text]
    return list(csv.DictReader(io.StringIO(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)))


def cases(rows):
    """{case: {system: {seed: time}}} by what is swept before the seed."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        keys = list(row)[: list(row).index("seed")]
        case = "/".join(row[key] for key in keys if key in ("workload.model", "workload.slow", "workload.jitter"))
        found[case][row["system.name"]][row["seed"]] = float(row["time_per_iteration_s"])
    return found


def interval(times):
    """The best of the others in the mean, and tight's time over its: mean, half of the 95 % interval."""
    best = min(OTHERS, key=lambda name: statistics.mean(times[name].values()))
    ratios = [times["tight"][seed] / time for seed, time in times[best].items()]
    spread = statistics.stdev(ratios) if len(ratios) > 1 else 0
    return best, statistics.mean(ratios), STUDENT.get(len(ratios), 2.3) * spread / math.sqrt(len(ratios))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lbsim")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--replicates", type=int, default=4)
    parser.add_argument("--seed", type=int, default=2201)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tried, worse, gains = set(), set(), []
    for setting in SHORT if options.short else options.settings:
        for case, times in cases(simulate(SCENARIO, OTHERS + ["tight"], SETTINGS[setting], options)).items():
            best, ratio, half = interval(times)
            name = f"{setting}/{case}"
            tried.add(name)
            gains.append(ratio)
            if ratio - half > LIMIT:
                worse.add(name)
            print(f"{name:40} best {best:9} tight {ratio:6.3f} +- {half:.3f}{'  WORSE' if name in worse else ''}", flush=True)
    print(f"{len(tried)} cases, geometric mean {statistics.geometric_mean(gains):.3f} of the best, worst {max(gains):.3f}, worse in {len(worse)}")
    for name in sorted(worse ^ (KNOWN & tried)):
        print(f"{name}: {'worse than the limit' if name in worse else 'known to be worse, and is not'}")
    return 1 if worse ^ (KNOWN & tried) else 0


if __name__ == "__main__":
    sys.exit(main())
