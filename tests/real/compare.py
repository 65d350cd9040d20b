#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulation against live runs: every point of a scenario, run by lbsim and by lbrun.

Runs the synthetic example under lbrun for each point of the scenario's sweep (nodes x imbalance x
system x degree by default) and prints a table of time per iteration, live and simulated, their
ratio, and the median difference. Both are given the same parameters and the same seed, so that
they have the same loads. No parameter is fitted to a case.

With --measured a third time stands beside them: the same program as it was before it was ported
(NAME-plain: MPI and OpenMP tasks) is measured by lbrun measure, and lbsim gain predicts from that
alone what the ported one will take. One measurement serves all systems of a load.

With --draw only some points of a large sweep, as in compare_corners.json and compare_mixed.json, are
simulated and run: drawn at random, the same for the same seed, so that nobody has chosen them.

Live runs take as long as they take: --dry-run tells the commands and how long they will.
Exit code: 0 where the median difference is within --within, 1 where it is not or a run failed,
2 for a mistake in the command line or the scenario, 130 where it was interrupted.
"""
import argparse
import json
import math
import os
import pathlib
import random
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Scenario path -> option of lbrun or of the example. What is not here is not the same in both, or
# is a constant of the simulator's machine.
LBRUN = {
    "platform.nodes": "--nodes",
    "platform.cores_per_node": "--cores",
    "platform.appranks_per_node": "--appranks-per-node",
    "graph.degree": "--degree",
    "system.name": "--system",
    "system.lewi": "--lewi",
    "system.drom": "--drom",
}
SWITCH = {True: "on", False: "off"}  # of lbrun
SPEED = "platform.speed"  # [{"node": 0, "factor": 0.5}]: of one node, the example's --slow-node,
SLOW = ("workload.slow", "workload.slow_factor")  # as are these, which no policy is told of
EXAMPLE = {
    "workload.imbalance": "--imbalance",
    "workload.iterations": "--iterations",
    "workload.tasks_per_core": "--tasks-per-core",
    "workload.task_ms": "--task-ms",
    "workload.task_bytes": "--bytes",
    "seed": "--seed",
}
# Parameters of a policy or of the runtime go through lbrun --param, by the same name.
NOT_PARAMS = {"system.name", "system.as", "system.lewi", "system.drom"}
PHASE = "runtime.phase_seed"  # of the simulated polls; a job's begin when it begins
SIMULATED_ONLY = {"workload.model", "workload.jitter", "workload.jitter_cv",
                  "runtime.create_us", "runtime.task_us", "runtime.message_poll_us",
                  "runtime.solver_time", "runtime.solver_ms", "system.start_s",
                  "system.start_cpu_s", PHASE}
# lbsim gain refuses what none of its systems has.
OF_SYSTEM = {"system.comm_core": "chameleon", "system.start_s": "dynamic",
             "system.start_cpu_s": "dynamic"}
# Their degree follows from the load: given to lbrun, it would be the most that they may have.
WITHOUT_DEGREE = {"dynamic", "chameleon"}


class Mistake(Exception):
    """Something for the user to mend."""


def show(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def flatten(tree, prefix=""):
    """The scenario's own values by dotted path; not its sweep, nor what describes it."""
    values = {}
    for key, value in tree.items():
        path = prefix + key
        if path in ("sweep", "name", "description", "$schema", "replicates", "output"):
            continue
        if isinstance(value, dict):
            values.update(flatten(value, path + "."))
        else:
            values[path] = value
    return values


def is_param(path):
    section = path.split(".")[0]
    return section in ("system", "runtime") and path not in NOT_PARAMS | SIMULATED_ONLY


def check_paths(values):
    for path in values:
        known = (path in LBRUN or path in EXAMPLE or path in SIMULATED_ONLY or path == SPEED
                 or path in SLOW or is_param(path))
        if not known and not path.startswith("platform.network."):
            raise Mistake(f"scenario: '{path}' cannot be set live; allowed are "
                          f"{', '.join(sorted([*LBRUN, *EXAMPLE]))} and parameters of policies")
    if values.get(SLOW[0], "none") not in ("none", "first"):
        raise Mistake(f"scenario: '{SLOW[0]}' is '{values[SLOW[0]]}', allowed are none, first")
    if len(values.get(SPEED, [])) > 1:
        raise Mistake(f"scenario: '{SPEED}' has {len(values[SPEED])} nodes, the example slows one")
    if values.get("workload.model", "synthetic") != "synthetic":
        raise Mistake("scenario: workload.model is not \"synthetic\", the one the example draws")


def live_command(programs, values, options, report):
    """The command line of one live run."""
    lbrun, example = [str(programs["lbrun"])], [str(programs["example"])]
    for path, value in values.items():
        if path == "graph.degree" and values.get("system.name") in WITHOUT_DEGREE:
            continue
        if path in LBRUN:
            lbrun += [LBRUN[path], SWITCH[value] if isinstance(value, bool) else show(value)]
        elif path == SPEED:
            for slow in value:
                example += ["--slow-node", f"{slow['node']}:{show(1 / slow['factor'])}"]
        elif path == SLOW[0] and value == "first":
            example += ["--slow-node", f"0:{show(values[SLOW[1]])}"]
        elif path in EXAMPLE:
            example += [EXAMPLE[path], show(value)]
        elif is_param(path):
            lbrun += ["--param", f"{path.split('.')[-1]}={show(value)}"]
    return lbrun + ["--report", str(report)] + options + ["--"] + example


# ---- Simulated ----


def value_of(cell):
    """A list or an object stands in a row as the text of its JSON."""
    return json.loads(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell


def simulate(programs, scenario, sets, phases):
    """The points with their values and simulated results, in order; with phases, so many each."""
    if phases > 1:
        sets = sets + [f"sweep.{PHASE}={json.dumps(list(range(1, phases + 1)))}"]
    command = [str(programs["lbsim"]), str(scenario), "--quiet", "--no-figure", "--format", "json"]
    for text in sets:
        command += ["--set", text]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Mistake(done.stderr.strip() or f"lbsim ended with status {done.returncode}")
    results = json.loads(done.stdout)
    fixed = flatten(results["scenario"])
    fixed["seed"] = results["seed"]
    columns = [path for key in results["scenario"].get("sweep", {}) for path in key.split(",")
               if path != PHASE]
    points = {}
    for row in results["rows"]:
        values = dict(fixed)
        values.update({path: value_of(row[path]) for path in columns})
        point = points.setdefault(tuple(row[path] for path in columns),
                                  {"values": values, "simulated": []})
        point["simulated"].append(row)
    for point in points.values():
        check_paths(point["values"])
    return columns, list(points.values())


def with_sweep(path, sets):
    """The scenario with the sweep that the sets give it, and the sets that are left."""
    try:
        scenario = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        raise Mistake(f"'{path}': {error}") from error
    if not isinstance(scenario, dict) or not isinstance(scenario.get("sweep", {}), dict):
        raise Mistake(f"'{path}': a scenario is an object, and so is its sweep")
    left, sweep = [], dict(scenario.get("sweep", {}))
    for text in sets:
        path, _, value = text.partition("=")
        if not path.startswith("sweep."):
            left.append(text)
            continue
        try:
            sweep[path.removeprefix("sweep.")] = json.loads(value)
        except ValueError as error:
            raise Mistake(f"--set {text}: {error}") from error
    return {**scenario, "sweep": sweep}, left


def axis_of(key, values):
    """Values by path, for each step of an axis."""
    paths = key.split(",")
    steps = values if isinstance(values, list) else []
    if len(paths) == 1:
        steps = [[step] for step in steps]
    if not steps or any(not isinstance(s, list) or len(s) != len(paths) for s in steps):
        raise Mistake(f"sweep '{key}': found {json.dumps(values)}, allowed is a list"
                      + (f", of lists of {len(paths)}" if len(paths) > 1 else ""))
    return [dict(zip(paths, step)) for step in steps]


def draw(scenario, count, seed):
    """So many points of the sweep, as values by path, in its order."""
    axes = [axis_of(key, values) for key, values in scenario["sweep"].items()]
    number = math.prod(len(axis) for axis in axes)
    if count > number:
        raise Mistake(f"--draw {count}: the scenario has {number} points")
    drawn = []
    for index in sorted(random.Random(seed).sample(range(number), count)):
        point = {}
        for axis in reversed(axes):
            index, i = divmod(index, len(axis))
            point.update(axis[i])
        drawn.append({path: point[path] for key in scenario["sweep"] for path in key.split(",")})
    return drawn


def simulate_drawn(programs, arguments, directory):
    """As simulate(), of points that are drawn, one by one and with all systems, as a scenario may
    set what only one of them has. What cannot be (a degree above the nodes) is left out, and
    points that differ only in what says nothing to their system are one."""
    scenario, sets = with_sweep(arguments.scenario, arguments.set)
    points = {}
    for drawn in draw(scenario, arguments.draw, arguments.by):
        sweep = {name: [value] for name, value in drawn.items()}
        if "system.name" in drawn:
            sweep["system.name"] = scenario["sweep"]["system.name"]
        only = directory / "drawn.json"
        only.write_text(json.dumps({**scenario, "sweep": sweep}))
        for point in simulate(programs, only, sets, arguments.phases)[1]:
            system = point["values"]["system.name"]
            if drawn.get("system.name", system) == system:
                points[json.dumps([point["values"][name] for name in drawn])] = point
    return list(drawn), list(points.values())


# ---- Live ----


def stop(process):
    """End a run that takes too long: as a user would, then for good."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def run_live(command, report, timeout_s):
    """Returns the report, or what went wrong as text."""
    if report.exists():
        report.unlink()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        stop(process)
        return f"took longer than {timeout_s:.0f} s"
    except BaseException:
        stop(process)
        raise
    if process.returncode != 0:
        last = errors.strip().splitlines()[-1:] or ["no message"]
        return f"ended with status {process.returncode}: {last[0]}"
    try:
        return json.loads(report.read_text())
    except (OSError, ValueError) as error:
        return f"no report: {error}"


def check_report(report, values):
    """Does the report tell of the run that was asked for, by iterations?"""
    expected = {"system": values["system.name"], "nodes": values["platform.nodes"],
                "cores": values["platform.cores_per_node"]}
    for key, value in expected.items():
        if report.get(key) != value:
            return f"the report says {key} {report.get(key)}, asked was for {value}"
    if not isinstance(report.get("time_per_iteration_s"), (int, float)):
        return "the report has no time per iteration"
    return None


def measure(command, report_file, values, arguments):
    """Medians of the repeated runs: time per iteration and bound, or what went wrong."""
    times, bounds = [], []
    for _ in range(arguments.repeat):
        report = run_live(command, report_file, arguments.timeout)
        wrong = report if isinstance(report, str) else check_report(report, values)
        if wrong:
            return wrong
        times.append(float(report["time_per_iteration_s"]))
        bounds.append(float(report["optimal_s"]))
    return statistics.median(times), statistics.median(bounds)


# ---- Predicted from a measurement of the plain program ----


def run_text(command, environment, timeout_s):
    """What a command prints, and what went wrong as text, or None."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout_s,
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return "", f"took longer than {timeout_s:.0f} s"
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return done.stdout, f"ended with status {done.returncode}: {last[0]}"
    return done.stdout, None


def run_json(command, environment, timeout_s):
    """What a command prints as JSON ({} for nothing), or what went wrong as text."""
    text, wrong = run_text(command, environment, timeout_s)
    return wrong or (json.loads(text) if text.startswith("{") else {})


def launch_line(mpi, ranks):
    """What starts a program that is measured as it is, on any number of CPUs."""
    anywhere = ["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []
    return [f"mpirun.{mpi}", "-n", str(ranks), *anywhere]


def measure_plain(programs, values, arguments, directory):
    """Measures into the directory, once; returns what went wrong, or None."""
    if directory.exists():
        return None
    command = [str(programs["lbrun"]), "measure", "--out", str(directory), "--",
               *launch_line(arguments.mpi, values["platform.nodes"]), str(programs["plain"])]
    for path, option in EXAMPLE.items():
        if path in values:
            command += [option, show(values[path])]
    done = run_json(command, {"OMP_NUM_THREADS": show(values["platform.cores_per_node"])},
                    arguments.timeout)
    return f"{done}\n  {shlex.join(command)}" if isinstance(done, str) else None


def predict(programs, values, directory):
    """Time per iteration, from the measurement in the directory, or why there is none."""
    system, cores = values["system.name"], values["platform.cores_per_node"]
    command = [str(programs["lbsim"]), "gain", str(directory), "--quiet", "--format", "json",
               "--appranks-per-node", "1", "--cores", show(cores),
               "--tasks", show(values["workload.tasks_per_core"] * cores),
               "--systems", system]
    if system not in WITHOUT_DEGREE:
        command += ["--degrees", show(values["graph.degree"])]
    for path, value in values.items():
        known = path.startswith("platform.network.") or is_param(path) or path in SIMULATED_ONLY
        if known and path != "workload.model" and OF_SYSTEM.get(path, system) == system:
            command += ["--set", f"{path}={json.dumps(value)}"]
    gain = run_json(command, {}, 300)
    if isinstance(gain, str):
        return gain
    if not gain["predicted"]:
        return "no prediction: " + gain["why_not"]
    time_s = gain["systems"][0]["time_s"] if gain["systems"] else gain["simulated_as_it_is_s"]
    return time_s / values["workload.iterations"]


def predict_point(programs, values, arguments, directory):
    """As predict(), of what is measured first where it is not there."""
    load = [show(values[path]) for path in ("platform.nodes", "platform.cores_per_node")]
    load += [show(values[path]) for path in EXAMPLE if path in values]
    place = directory / ("measured-" + "-".join(load))
    return measure_plain(programs, values, arguments, place) or predict(programs, values, place)


# ---- Table ----


def print_rows(header, rows, markdown):
    cells = [header] + [[show_cell(cell) for cell in row] for row in rows]
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    for number, row in enumerate(cells):
        text = [cell.rjust(width) for cell, width in zip(row, widths)]
        print("| " + " | ".join(text) + " |" if markdown else "  ".join(text))
        if markdown and number == 0:
            print("|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")


def show_cell(cell):
    return f"{cell:.3f}" if isinstance(cell, float) else show(cell)


def print_summary(ratios, within):
    off = [abs(ratio - 1) for ratio in ratios]
    near = sum(difference <= within for difference in off)
    print(f"median difference {100 * statistics.median(off):.1f} %, "
          f"largest {100 * max(off):.1f} %; {near} of {len(off)} within "
          f"{100 * within:.0f} %; live over simulated: median "
          f"{statistics.median(ratios):.3f}")


def print_inside(rows, within):
    """Of rows [from, to, live]."""
    inside = sum(low * (1 - within) <= live <= high * (1 + within) for low, high, live in rows)
    print(f"{inside} of {len(rows)} where the polls' phases alone may bring them, "
          f"or {100 * within:.0f} % beside")


def swept(columns, point):
    return [show(point["values"][path]) for path in columns]


def each_of(point, metric):
    return [float(row[metric]) for row in point["simulated"]]


def mean_of(point, metric):
    return statistics.mean(each_of(point, metric))


def compare(columns, points, programs, arguments, directory):
    """Run all points live; returns the table's rows and how many failed."""
    rows, failed = [], 0
    for number, point in enumerate(points):
        simulated = mean_of(point, "time_per_iteration_s")
        bound = mean_of(point, "optimal_s")
        report = directory / f"report-{number}.json"
        command = live_command(programs, point["values"], arguments.options, report)
        result = measure(command, report, point["values"], arguments)
        if isinstance(result, str):
            failed += 1
            print(f"{' '.join(swept(columns, point))}: {result}\n  {shlex.join(command)}",
                  file=sys.stderr)
            continue
        row = swept(columns, point) + [bound, result[1], simulated, result[0],
                                       result[0] / simulated]
        if arguments.phases > 1:
            times = each_of(point, "time_per_iteration_s")
            row[-2:-2] = [min(times), max(times)]
        if arguments.measured:
            predicted = predict_point(programs, point["values"], arguments, directory)
            if isinstance(predicted, str):
                failed += 1
                print(f"{' '.join(swept(columns, point))}: {predicted}", file=sys.stderr)
                continue
            row += [predicted, result[0] / predicted]
        rows.append(row)
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {len(points)} points", end="", file=sys.stderr)
    return rows, failed


def dry_run(columns, points, programs, arguments):
    total_s = 0
    for point in points:
        report = pathlib.Path("report.json")
        print(shlex.join(live_command(programs, point["values"], arguments.options, report)))
        total_s += arguments.repeat * point["simulated"][0]["total_s"]
    print(f"{len(points)} points, at least {total_s:.0f} s of live runs", file=sys.stderr)


# ---- Command line ----


def find_programs(arguments):
    build = pathlib.Path(arguments.build)
    programs = {
        "lbsim": build / "lbsim",
        "lbrun": build / "lbrun",
        "example": build / "real" / "apps" / f"synthetic-{arguments.mpi}",
    }
    if arguments.measured:
        programs["plain"] = build / "real" / "apps" / f"synthetic-plain-{arguments.mpi}"
    for name, path in programs.items():
        if not path.exists() and (name == "lbsim" or not arguments.dry_run):
            raise Mistake(f"'{path}' is not there: build it, or give another build directory")
    return programs


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory, as in build/release")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--scenario", default=str(HERE / "compare.json"), metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE",
                        help="change the scenario, as in lbsim: --set sweep.platform.nodes=[2]")
    parser.add_argument("--draw", type=int, metavar="N",
                        help="only N of the points, drawn by --by (default: all)")
    parser.add_argument("--by", type=int, default=1, metavar="SEED", help="(default 1)")
    parser.add_argument("--phases", type=int, default=1, metavar="N",
                        help="simulate each point with N draws of when nodes poll: the mean, and "
                             "from where to where (default 1)")
    parser.add_argument("--measured", action="store_true",
                        help="measure the plain program, too, and predict from that alone")
    parser.add_argument("--repeat", type=int, default=1, metavar="N",
                        help="live runs of each point, of which the median counts (default 1)")
    parser.add_argument("--within", type=float, default=0.05, metavar="X",
                        help="largest median difference that is fine (default 0.05)")
    parser.add_argument("--timeout", type=float, default=300, metavar="S",
                        help="a live run ends in so many seconds (default 300)")
    parser.add_argument("--keep", metavar="DIR", help="keep the live runs' reports there")
    parser.add_argument("--markdown", action="store_true", help="the table as in the README")
    parser.add_argument("--dry-run", action="store_true", help="simulate; print the live commands")
    parser.add_argument("options", nargs="*", help="after --: further options of lbrun")
    arguments = parser.parse_args()
    if arguments.repeat < 1 or arguments.timeout <= 0 or arguments.within < 0:
        parser.error("--repeat, --timeout and --within must be above 0")
    if arguments.phases < 1 or (arguments.draw is not None and arguments.draw < 1):
        parser.error("--draw and --phases must be 1 or more")
    return arguments


def main():
    arguments = parse_arguments()
    programs = find_programs(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(arguments.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        if arguments.draw:
            columns, points = simulate_drawn(programs, arguments, directory)
        else:
            columns, points = simulate(programs, arguments.scenario, arguments.set,
                                       arguments.phases)
        if arguments.dry_run:
            dry_run(columns, points, programs, arguments)
            return 0
        rows, failed = compare(columns, points, programs, arguments, directory.resolve())
    if sys.stderr.isatty():
        print(file=sys.stderr)
    header = [path.split(".")[-1] for path in columns]
    header += ["bound_s", "live_bound_s", "simulated_s"]
    header += ["from_s", "to_s"] if arguments.phases > 1 else []
    header += ["live_s", "live/simulated"]
    if arguments.measured:
        header += ["predicted_s", "live/predicted"]
    if not rows:
        print("compare.py: no live run succeeded", file=sys.stderr)
        return 1
    print_rows(header, rows, arguments.markdown)
    ratios = [row[-1] for row in rows]
    print_summary(ratios, arguments.within)
    if arguments.phases > 1:
        print_inside([row[len(columns) + 3:len(columns) + 6] for row in rows], arguments.within)
    within = statistics.median(abs(ratio - 1) for ratio in ratios) <= arguments.within
    return 0 if within and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as mistake:
        print(f"compare.py: {mistake}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
