#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How near does `tight` come to what is possible, and what does each of its rules bring? The tables of docs/tight.md.

Usage: reach.py LBSIM [--rules | --waterfall [FILE.svg] | --nodes] [--only TEXT] [--systems NAME...] [--replicates N] [--seed S] [--jobs N] [--set KEY=VALUE...]

Without an option: every workload of scenarios/all_systems.json, the scenarios with a slow node, and chameleon_mesh; the time of each system over
the bound, and that of tight over what is possible (the largest of bound, informed floor and the graph's cut) in the mean and in its worst
seed, over the same with the blind floor (possible to whoever does not know how long tasks take), and over the best of the others. --rules: tight over what is possible with each of its rules switched off alone. --waterfall: what
global loses over the bound, and what each rule takes of it, added one after the other until it is tight; also as a figure (needs
gnuplot). --nodes: more and more nodes. --only: rows whose name has the text; --systems: beside tight; --set: of the scenario, for all systems.
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
    "nbody_slow_node deg. 4": ("nbody_slow_node", {"graph.degree": [4]}),
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
    "none waiting": ["runtime.ask_waiting=false"],
    "no window": ["system.average_iterations=0", "system.period_iterations=0"],
    "tail divided": ["system.place_tail_whole=false"],
    "2 where slow": ["system.place_slow_tasks_per_core=0"],
    "slow as any": ["system.place_slow_sooner=false"],
    "2 if scattered": ["system.place_scatter=0"],
    "no margin": ["system.place_tail_margin=0"],
    "no trips": ["system.place_trips=false"],
    "lent to most": ["system.lend_to_last=false"],
    "no tail": ["system.place_tail=false"],
}
# In the order in which the waterfall adds them, and what each is without.
STEPS = {
    "owner at boundary": ["runtime.ownership=idle"],
    "cores at hand": ["system.place_cores=owned"],
    "polls": ["runtime.poll_iterations=0", "runtime.poll_s=0.5", "runtime.poll_cpu_us=0", "runtime.place_cpu_us=0"],
    "asking": ["runtime.ask=false"],
    "window": ["system.average_iterations=0", "system.period_iterations=0"],
    "tail": ["system.place_tail=false", "system.place_tail_whole=false"],
    "slow workers": ["system.place_slow_tasks_per_core=0", "system.place_slow_sooner=false"],
    "scatter": ["system.place_scatter=0"],
    "margin": ["system.place_tail_margin=0"],
    "trips": ["system.place_trips=false"],
    "lent to last": ["system.lend_to_last=false"],
    "waiting": ["runtime.ask_waiting=false"],
    "growth": ["system.grow_degree=1"],
}

LIGHTER = ["#a5d8ff", "#ffd9a0", "#9fdcc2", "#f0c0dc", "#d4c4ee"]


def simulate(point, systems, sets, options):
    """{system: rows}"""
    scenario, sweep = point
    command = [options.lbsim, str(ROOT / f"{scenario}.json"), "--format", "csv", "--quiet", "--no-figure", "--seed", str(options.seed),
               "--jobs", str(options.jobs)]
    for text in [f"sweep={json.dumps({**sweep, 'system.name': systems})}", f"replicates={options.replicates}", *sets]:
        command += ["--set", text]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    rows = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        rows[row["system.name"]].append(row)
    return rows


def mean(rows, column):
    return statistics.mean(float(row[column]) for row in rows)


def over_blind(row):
    """Over what whoever does not know how long tasks take could reach."""
    least_s = max(float(row[column] or 0) for column in ("optimal_s", "cut_s", "floor_s", "floor_blind_s"))
    return float(row["time_per_iteration_s"]) / least_s


def show_systems(points, options):
    systems = options.systems + ["tight"]
    print(f"{'':22}" + "".join(f"{name:>10}" for name in systems) + "   possible   over it    worst   over blind   over the best")
    for name, point in points.items():
        rows = simulate(point, systems, options.set, options)
        times = [mean(rows[system], "ratio_to_optimal") for system in systems]
        reached = [float(row["ratio_to_possible"]) for row in rows["tight"]]
        best = min(times[:-1])
        print(f"{name:>22}" + "".join(f"{time:10.3f}" for time in times)
              + f"{times[-1] / statistics.mean(reached):11.3f}{statistics.mean(reached):10.3f}{max(reached):9.3f}"
              f"{statistics.mean(map(over_blind, rows['tight'])):13.3f}{times[-1] / best:16.3f}",
              flush=True)


def show_rules(points, options):
    print(f"{'':22}" + "".join(f"{name:>15}" for name in RULES))
    for name, point in points.items():
        reached = [mean(simulate(point, ["tight"], options.set + sets, options)["tight"], "ratio_to_possible") for sets in RULES.values()]
        print(f"{name:>22}{reached[0]:15.3f}" + "".join(f"{value - reached[0]:+15.3f}" for value in reached[1:]), flush=True)


def steps_down(point, options):
    """Loss over the bound of global, with one rule more each time, of tight; and of what is possible."""
    names, losses = list(STEPS), []
    for count in range(len(names) + 1):
        without = [text for name in names[count:] for text in STEPS[name]]
        rows = simulate(point, ["tight"], options.set + without, options)["tight"]
        losses.append(mean(rows, "ratio_to_optimal") - 1)
    return losses, (losses[-1] + 1) / mean(rows, "ratio_to_possible") - 1


def show_waterfall(points, options):
    print(f"{'':22}{'global':>10}" + "".join(f"{name:>19}" for name in STEPS) + f"{'tight':>10}{'possible':>10}")
    found = {}
    for name, point in points.items():
        losses, possible = found[name] = steps_down(point, options)
        print(f"{name:>22}{losses[0]:10.3f}" + "".join(f"{after - before:+19.3f}" for before, after in zip(losses, losses[1:]))
              + f"{losses[-1]:10.3f}{possible:10.3f}", flush=True)
    if options.waterfall != "-":
        draw(found, options.waterfall)


def parts(losses, possible):
    """What is not possible, what tight leaves, and what each rule takes, the last first."""
    return [possible, losses[-1] - possible, *(before - after for before, after in reversed(list(zip(losses, losses[1:]))))]


def colour(place):
    """Grey, black, and the eight of the style; then lighter ones, since there are more rules than colours."""
    return ["grey", "ink"][place] if place < 2 else f"line_color({place - 1})" if place < 10 else f"'{LIGHTER[place - 10]}'"


def draw(found, file):
    """Bars of loss, one upon the other; what does harm has none, so that a bar goes by that beyond the mark, all that is lost."""
    names = ["not possible", "left by tight", *reversed(STEPS)]
    lines = ["$lost << END", *(f"{100 * losses[0]} {len(found) - row}" for row, (losses, _) in enumerate(found.values())), "END", "$data << END"]
    places = range(len(names))
    for row, (name, (losses, possible)) in enumerate(found.items()):
        left = 0
        for place, part in enumerate(parts(losses, possible)):
            if part > 0:
                lines.append(f'{place} {100 * left} {100 * (left + part)} {len(found) - row} "{name}"')
                left += part
    lines += [
        "END", f"load '{ROOT.parent / 'plots' / 'style.gp'}'", f"set terminal svg size 900,{90 + 24 * len(found)} dynamic font 'DejaVu Sans,10' background rgb 'white'",
        f"set output '{file}'", "set title 'Loss of global over the bound: what each rule takes of it, and what is left' noenhanced",
        "set xlabel 'Time over the bound (%)'", "set border 3 lc rgb '#444444'", "set tics out nomirror textcolor rgb '#222222'", "set xrange [0:*]", f"set yrange [0.4:{len(found) + 0.6}]", "set key outside right center", "set style fill solid noborder",
        "set grid xtics lc rgb '#dddddd'", "set ytics nomirror noenhanced (" + ", ".join(f"'{name}' {len(found) - row}" for row, name in enumerate(found)) + ")",
        "plot " + ", ".join(f"$data using ($1 == {place} ? $2 : NaN):4:2:3:($4 - 0.36):($4 + 0.36) with boxxyerror "
                            f"lc rgb {colour(place)} title '{name}'"
                            for place, name in zip(places, names) if any(line.startswith(f"{place} ") for line in lines))
        + ", $lost using 1:($2 - 0.45):(0):(0.9) with vectors nohead lw 3 lc rgb '#cc0000' title 'loss of global'",
    ]
    subprocess.run(["gnuplot", "-e", "kind = 'svg'; size = 'two'", "-"], input="\n".join(lines), check=True, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lbsim")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--waterfall", nargs="?", const="-", metavar="FILE.svg")
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--systems", nargs="+", default=bank.OTHERS)
    parser.add_argument("--replicates", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", nargs="+", default=[])
    options = parser.parse_args()
    points = {name: point for name, point in (NODES if options.nodes else POINTS).items() if options.only in f" {name} "}
    show = show_rules if options.rules else show_waterfall if options.waterfall else show_systems
    show(points, options)


if __name__ == "__main__":
    sys.exit(main())
