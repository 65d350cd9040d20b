#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of CONTRIBUTING.md hold: a workload, a metric, a figure, a policy and a system are added to a copy of the
tree in the places that it names and no others; the copy builds, and lbsim uses all of them.

New files are those beside this one. Usage: recipes.py SOURCE_DIR [WORK_DIR]"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOMS = ("base", "graphs", "models", "plots", "policies", "scenarios", "sim")

# what: new files or folders; lines in files that are there: (file, before or after, pattern, text)
RECIPES = {
    "workload": (["models/ramp.c"], [
        ("models/workload_model_list.h", "after", r"\Z", "MODEL(RAMP, ramp)\n"),
        ("models/workload_param_list.h", "after", r"\Z",
         'PARAM(RAMP_SLOPE, M(RAMP), .name = "ramp_slope", .type = LB_PARAM_NUMBER, .fallback = 0.5, .max = 1,\n'
         '      .help = "model ramp: how far the last apprank\'s load is above the mean, and the first one\'s below")\n'),
        ("models/workload_param_list.h", "after", r"PARAM\(TASKS_PER_CORE,\s+", "M(RAMP) | "),
        ("models/workload_param_list.h", "after", r"PARAM\(TASK_MS,\s+", "M(RAMP) | "),
    ]),
    "metric": ([], [
        ("policies/host/metric_list.h", "before", r"^LIVE_METRIC\(",
         'METRIC(LONGEST_ITERATION_S, .name = "longest_iteration_s", .unit = "s",\n'
         '       .help = "time of the longest iteration", .hosts = METRIC_OF_ALL)\n'),
        ("policies/host/ledger_metrics.c", "after", r"^ +metric\[METRIC_TOTAL_S\] = [^;]*;\n",
         "        for (int32_t i = 0; i < l->iteration; i++)\n"
         "                metric[METRIC_LONGEST_ITERATION_S] =\n"
         "                    fmax(metric[METRIC_LONGEST_ITERATION_S], l->iteration_s[i]);\n"),
    ]),
    "figure": (["sim/output/figure_ramp.c", "plots/ramp.gp"], [
        ("sim/scenario/figures.h", "before", r"X\(spreading\)", "X(ramp) "),
    ]),
    "policy": (["policies/migrate_next.c"], [
        ("policies/migrate_impl.h", "before", r'X\(migrate_none, "none"\)', 'X(migrate_next, "next") '),
    ]),
    "system": (["sim/systems/ideal"], [
        ("policies/system.c", "before", r"^ +\{ \.name = NULL \},",
         '        { .name = "ideal", .help = "perfect balance at no cost", .host = "ideal" },\n'),
    ]),
}
# how many files and folders a recipe may touch
PLACES = {"workload": 3, "metric": 2, "figure": 3, "policy": 2, "system": 2}

SCENARIO = {
    "name": "ramp",
    "platform": {"nodes": 4, "cores_per_node": 8},
    "workload": {"model": "ramp", "ramp_slope": 0.75, "tasks_per_core": 10, "task_ms": 10, "iterations": 6},
    "system": {"migrate": "next"},
    "sweep": {"system.name": ["baseline", "chameleon", "ideal"]},
    "output": {"figure": "ramp"},
}


def insert(path, where, pattern, text):
    with open(path, encoding="utf-8") as f:
        old = f.read()
    place = re.search(pattern, old, re.M)
    assert place, "%s: found nothing like %s" % (path, pattern)
    at = place.start() if where == "before" else place.end()
    with open(path, "w", encoding="utf-8") as f:
        f.write(old[:at] + text + old[at:])


def apply(tree):
    for name, (new, lines) in RECIPES.items():
        touched = set(new) | {line[0] for line in lines}
        assert len(touched) == PLACES[name], "a %s touches %s" % (name, sorted(touched))
        for file in new:
            copy = shutil.copytree if os.path.isdir(os.path.join(HERE, file)) else shutil.copy
            copy(os.path.join(HERE, file), os.path.join(tree, file))
        for file, where, pattern, text in lines:
            insert(os.path.join(tree, file), where, pattern, text)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, "%s ends with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-4000:])
    return done.stdout


def build(tree):
    """Unoptimised, and lbsim alone: the other rooms are not in the copy."""
    folder = os.path.join(tree, "build")
    run("cmake", "-G", "Ninja", "-DBUILD_TESTING=OFF", "-S", tree, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0",
        "-DLB_WERROR=ON", "-DLB_CHECK=ON")
    run("cmake", "--build", folder, "--target", "lbsim")
    return os.path.join(folder, "lbsim")


def near(found, wanted):
    assert abs(found - wanted) < 1e-6 * wanted, "found %g, wanted %g" % (found, wanted)


def check(lbsim, folder):
    scenario = os.path.join(folder, "ramp.json")
    with open(scenario, "w", encoding="utf-8") as f:
        json.dump(SCENARIO, f)
    out = os.path.join(folder, "out")
    print(run(lbsim, scenario, "--out", out, "--quiet"))
    with open(os.path.join(out, "results.csv"), encoding="utf-8") as f:
        rows = {row["system.name"]: row for row in csv.DictReader(f)}
    number = {system: {k: float(v) for k, v in row.items() if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", v)}
              for system, row in rows.items()}
    for system in SCENARIO["sweep"]["system.name"]:  # the workload, the metric
        near(number[system]["apprank_imbalance"], 1.75)
        assert number[system]["longest_iteration_s"] >= number[system]["time_per_iteration_s"] * (1 - 1e-9), system
    near(number["ideal"]["ratio_to_optimal"], 1)  # the system; what makes no sense for it is empty
    near(number["ideal"]["longest_iteration_s"], 0.1)
    assert rows["ideal"]["offloaded_fraction"] == "", rows["ideal"]
    assert number["baseline"]["ratio_to_optimal"] > 1.7, number["baseline"]
    assert number["chameleon"]["offloaded_fraction"] > 0, number["chameleon"]  # the policy
    other = list(csv.DictReader(io.StringIO(run(
        lbsim, scenario, "--set", "system.migrate=pairs", "--format", "csv", "--quiet", "--no-figure"))))
    pairs = next(row for row in other if row["system.name"] == "chameleon")
    assert float(pairs["offloaded_fraction"]) != number["chameleon"]["offloaded_fraction"], pairs
    with open(os.path.join(out, "ramp.dat"), encoding="utf-8") as f:  # the figure
        assert re.search('^"ideal" 4 1( |$)', f.read(), re.M)
    if shutil.which("gnuplot"):
        assert os.path.getsize(os.path.join(out, "ramp.svg")) > 1000
    # and all that is made of the tables
    schema, params, metrics = (run(lbsim, command) for command in ("schema", "params", "metrics"))
    for word in '"ramp"', '"next"', '"ideal"', "ramp_slope":
        assert word in schema, word
    assert "ramp_slope" in params and "longest_iteration_s" in metrics


def main(source, folder):
    tree = os.path.join(folder, "tree")
    os.mkdir(tree)
    shutil.copy(os.path.join(source, "CMakeLists.txt"), tree)
    for room in ROOMS:
        shutil.copytree(os.path.join(source, room), os.path.join(tree, room))
    apply(tree)
    check(build(tree), folder)


if len(sys.argv) > 2:
    main(sys.argv[1], sys.argv[2])
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(sys.argv[1], temporary)
