#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Metrics of all eight systems: those that have no meaning for a system are empty, never 0, and whoever reads results
# takes them so; documents and schema follow the table.
source=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/cli.sh"
cat >eight.json <<'END'
{ "name": "eight", "platform": { "nodes": 4, "cores_per_node": 4, "appranks_per_node": 2 },
  "graph": { "degree": 2 }, "workload": { "imbalance": 2.0, "iterations": 6, "tasks_per_core": 10, "jitter": "gamma" },
  "sweep": { "system.name": ["baseline", "dlb", "local", "global", "dynamic", "chameleon", "dpb", "packing"] },
  "replicates": 2, "seed": 1 }
END
expect 0 '' "$lbsim" eight.json --quiet --out a

# Empty where the table says so, and only there; what all systems share is the same work under the same bound.
expect 0 '' "$lbsim" schema results
cp out.txt schema.json
python3 - a schema.json <<'END' || fail "not the metrics that the table promises"
import csv, json, math, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/results.csv")))
assert len(rows) == 16
empty = {}
for row in rows:
    empty.setdefault(row["system.name"], set()).update(k for k, v in row.items() if v == "")
    assert all(v == "" or k == "system.name" or math.isfinite(float(v)) for k, v in row.items()), row
offloading = {"offloaded_fraction", "steady_offloaded_fraction", "offloaded_bytes"}
helpers = {"helper_ranks", "process_starts", "borrowed_core_s", "message_core_s", "poll_core_s", "decision_core_s"}
for name in "baseline", "dlb", "local", "global", "dynamic":
    varies = {"cut_s"} if name == "dynamic" else set()  # its graph
    assert empty[name] == {"freed_fraction"} | varies, (name, empty[name])
assert empty["chameleon"] == helpers | {"freed_fraction", "ownership_changes", "cut_s"}, empty["chameleon"]
assert empty["dpb"] == helpers | offloading | {"freed_fraction", "cut_s"}, empty["dpb"]
assert empty["packing"] == helpers | offloading | {"cut_s"}, empty["packing"]
for seed in {row["seed"] for row in rows}:
    same = [row for row in rows if row["seed"] == seed]
    for column in "optimal_s", "apprank_imbalance", "tasks":
        assert len({row[column] for row in same}) == 1, (column, [row[column] for row in same])
for row in rows:
    time, peak = float(row["total_s"]), float(row["peak_node_imbalance"])
    assert 0 <= float(row["converged_s"]) <= time and peak >= float(row["steady_node_imbalance"]) >= 1, row
assert all(float(r["steady_offloaded_fraction"]) > 0.1 for r in rows if r["system.name"] == "chameleon")
assert all(abs(float(row["apprank_imbalance"]) - 2) < 1e-6 for row in rows)

# JSON: null in their place, and the schema says which may be.
results, schema = json.load(open(sys.argv[1] + "/results.json")), json.load(open(sys.argv[2]))
import jsonschema
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
assert not list(validator.iter_errors(results))
assert results["rows"][-1]["offloaded_bytes"] is None
for wrong in ("time_per_iteration_s", None), ("helper_ranks", "0"):
    broken = json.loads(json.dumps(results))
    broken["rows"][0][wrong[0]] = wrong[1]
    assert list(validator.iter_errors(broken)), wrong
del results["rows"][3]["tasks"]
assert list(validator.iter_errors(results))
END

# A node that is slow in every other iteration: the bound, the floor and the cut are the mean of both; the last third is an
# iteration of either kind. Where nothing moves time is, too, and elsewhere it is no less than where the node is never slow.
for every in none 0 1; do
    slow=most
    test $every != none || { slow=none && every=0; }
    expect 0 '' "$lbsim" eight.json --quiet --format csv --set replicates=1 --set workload.jitter=none --set workload.slow=$slow \
        --set workload.slow_iterations=$every --set 'sweep.system.name=["baseline","dlb","local","global","chameleon","dpb","packing","tight"]'
    cp out.txt "slow_$slow$every.csv"
done
python3 - <<'END' || fail "a slow node that comes and goes"
import csv
never, always, comes = ({r["system.name"]: r for r in csv.DictReader(open(f"slow_{f}.csv"))} for f in ("none0", "most0", "most1"))
for name, row in comes.items():
    for metric in "optimal_s", "floor_s", "cut_s":
        if row[metric]:
            mean = (float(never[name][metric]) + float(always[name][metric])) / 2
            assert abs(float(row[metric]) / mean - 1) < 1e-3, (name, metric, row[metric], mean)
    assert float(row["ratio_to_possible"]) > 0.999, (name, row["ratio_to_possible"])
    assert float(row["time_per_iteration_s"]) > float(never[name]["time_per_iteration_s"]), name
for name in "baseline", "packing":
    mean = sum(float(rows[name]["time_per_iteration_s"]) for rows in (never, always)) / 2
    assert abs(float(comes[name]["time_per_iteration_s"]) / mean - 1) < 1e-3, name
END

# The fastest nodes are those of the last third: one that was slow before and is not any more is one of them.
expect 0 '' "$lbsim" eight.json --quiet --format csv --set replicates=1 --set workload.jitter=none --set workload.slow=most \
    --set workload.slow_iterations=2 --set system.name=baseline
python3 - out.txt <<'END' || fail "a node that was slow"
import csv, sys
row, = csv.DictReader(open(sys.argv[1]))
never = next(r for r in csv.DictReader(open("slow_none0.csv")) if r["system.name"] == "baseline")
for metric in "imbalance_fraction", "time_per_iteration_s", "optimal_s":
    assert abs(float(row[metric]) / float(never[metric]) - 1) < 1e-6, (metric, row[metric], never[metric])
END

# So is the bound where tasks wait for each other: a chain of 0.4 s on a node that is slow by 3 in one or none of the last two iterations.
printf 'apprank,seconds,bytes,after\n0,0.1,0,\n0,0.2,0,0\n0,0.1,0,1\n1,0.1,0,\n' >chain.csv
cat >chain.json <<'END'
{ "name": "chain", "platform": { "nodes": 2, "cores_per_node": 2 }, "system": { "name": "baseline" },
  "workload": { "model": "graph", "file": "chain.csv", "iterations": 6, "slow": "most" }, "sweep": { "workload.slow_iterations": [0, 1, 2] } }
END
expect 0 '' "$lbsim" chain.json --quiet --format json
python3 - out.txt <<'END' || fail "the chain is not that of the nodes as they are in each iteration"
import json, sys
for chain_s, row in zip((1.2, 0.8, 0.4), json.load(open(sys.argv[1]))["rows"], strict=True):
    assert abs(row["optimal_s"] / chain_s - 1) < 1e-9, (chain_s, row["optimal_s"])
    assert 1 <= row["ratio_to_optimal"] < 1.001, row
END

# The cut is a bound: all work of the ranks that can only go to some nodes, over what these can do, whatever part of a core that is.
cat >cut.csv <<'END'
iteration,apprank,work_s,tasks
0,0,1,10
0,1,0.001,1
0,2,0.5,8
0,3,0,0
END
cat >cut.json <<'END'
{ "name": "cut", "platform": { "nodes": 2, "cores_per_node": 2, "appranks_per_node": 2, "speed": [{ "node": 0, "factor": 0.5 }] },
  "graph": { "degree": 1 }, "workload": { "model": "trace", "file": "cut.csv", "iterations": 1 },
  "system": { "name": "dlb" }, "sweep": { "platform.speed": [[{ "node": 0, "factor": 0.9 }], [{ "node": 0, "factor": 0.0124 }], [{ "node": 0, "factor": 0.0012 }]] } }
END
expect 0 '' "$lbsim" cut.json --quiet --format json
python3 - out.txt <<'END' || fail "the cut is not what the slow node can do"
import json, sys
for factor, row in zip((0.9, 0.0124, 0.0012), json.load(open(sys.argv[1]))["rows"], strict=True):
    cut_s = 1.001 / (2 * factor)
    assert abs(row["cut_s"] / cut_s - 1) < 1e-9, (factor, row["cut_s"], cut_s)
    assert row["ratio_to_possible"] >= 1, row
END

# Where no core moves it is the work over the cores that ranks have, those of their helpers among them.
cat >still.json <<'END'
{ "name": "still", "platform": { "nodes": 2, "cores_per_node": 4, "speed": [{ "node": 0, "factor": 0.5 }] }, "graph": { "degree": 2 },
  "workload": { "model": "given", "load_ms": [30, 10], "tasks_per_core": 100, "iterations": 3 },
  "system": { "name": "local", "lewi": false, "drom": false } }
END
expect 0 '' "$lbsim" still.json --quiet --format json
python3 - out.txt <<'END' || fail "the cut leaves out what helpers own"
import json, sys
row, = json.load(open(sys.argv[1]))["rows"]
assert abs(row["cut_s"] - 400 * 0.03 / (3 * 0.5 + 1)) < 1e-9 and 1 <= row["ratio_to_possible"], row
END

# Of durations as they are drawn: whose own cores do many tasks ends close after it, and never before.
cat >drawn.json <<'END'
{ "name": "drawn", "platform": { "nodes": 4, "cores_per_node": 2 }, "graph": { "degree": 1 }, "replicates": 10, "seed": 3,
  "workload": { "model": "synthetic", "imbalance": 2, "tasks_per_core": 400, "iterations": 3, "jitter": "lognormal", "jitter_cv": 1 },
  "system": { "name": "baseline" } }
END
expect 0 '' "$lbsim" drawn.json --quiet --out drawn
python3 - drawn/results.csv <<'END' || fail "the cut is not that of the work that is drawn"
import csv, sys
ratios = [float(r["time_per_iteration_s"]) / float(r["cut_s"]) for r in csv.DictReader(open(sys.argv[1]))]
assert len(ratios) == 10 and all(1 <= ratio < 1.03 for ratio in ratios), ratios
END


# With a serial part: that on one core of the home, then all other work on the own cores, or on all that the graph reaches.
cat >serial.csv <<'END'
iteration,apprank,work_s,tasks
0,0,4,400
0,1,0.4,40
END
cat >serial.json <<'END'
{ "name": "serial", "platform": { "nodes": 2, "cores_per_node": 4, "speed": [{ "node": 0, "factor": 0.5 }] },
  "graph": { "degree": 2 }, "workload": { "model": "trace", "file": "serial.csv", "iterations": 3, "serial_s": 0.9 },
  "system": { "name": "global" }, "sweep": { "system.name,graph.degree": [["baseline", 1], ["global", 2]] } }
END
expect 0 '' "$lbsim" serial.json --quiet --out serial
python3 - serial/results.csv <<'END' || fail "the cut is not that of serial parts"
import csv, sys
for cut_s, row in zip((1.8 + 4 / 2, 1.8 + 4 / 6), csv.DictReader(open(sys.argv[1])), strict=True):
    assert abs(float(row["cut_s"]) / cut_s - 1) < 1e-9, (cut_s, row["cut_s"])
    assert abs(float(row["optimal_s"]) / ((4.4 + 2 * 0.9) / 6) - 1) < 1e-9, row["optimal_s"]
    assert 1 <= float(row["ratio_to_possible"]) < 1.05, row["ratio_to_possible"]
END
expect 0 '' "$lbsim" explain serial --where system.name=global
grep -q '^What comes before the tasks of apprank 0 binds: its serial part, 0.9 core seconds .* 2.467 s, 139 % above' out.txt || fail "$(cat out.txt)"
# Where loops can be cut anywhere no task is whole, and what is possible is perfect balance.
cat >cut_anywhere.json <<'END'
{ "name": "cut_anywhere", "platform": { "nodes": 1, "cores_per_node": 8, "appranks_per_node": 2 },
  "workload": { "model": "given", "load_ms": [300, 100], "tasks_per_core": 1, "iterations": 12 },
  "system": { "name": "dpb", "processors": "proportional" }, "sweep": { "system.omp_schedule": ["static", "ideal"] } }
END
expect 0 '' "$lbsim" cut_anywhere.json --quiet --format json
python3 - out.txt <<'END' || fail "whole tasks, or none"
import json, sys
whole, cut = json.load(open(sys.argv[1]))["rows"]
assert abs(whole["floor_s"] - 0.3) < 1e-9 and 1 <= whole["ratio_to_possible"], whole
assert cut["floor_s"] == cut["floor_blind_s"] == cut["optimal_s"] and 1 <= cut["ratio_to_possible"] < 1.01, cut
END

# Means are of the runs that have a value; a blank where none has.
expect 0 '' "$lbsim" show a --by system.name --metric offloaded_bytes,tasks --format csv
grep -q '^dpb,2,,,' out.txt && grep -q '^packing,2,,,' out.txt || fail "a mean of nothing: $(cat out.txt)"
grep -q '^local,2,[1-9]' out.txt || fail "no mean of what there is: $(cat out.txt)"
expect 0 '' "$lbsim" show a --metric offloaded_bytes --format json
grep -q '"dpb".*null' out.txt || fail "not null in JSON: $(cat out.txt)"
if command -v gnuplot >/dev/null; then
    expect 0 'a/moved.svg' "$lbsim" show a --plot moved --x system.name --metric offloaded_bytes
fi

# Equal results are equal, empty fields too; one that is gone has no partner.
expect 0 '0 points better, 0 worse, 6 the same$' "$lbsim" compare a a --metric offloaded_bytes --fail-if-worse 0
mkdir less
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "offloaded_bytes") c = i }
    $1 == "local" { $c = "" } { print }' a/results.csv >less/results.csv
expect 0 '5 the same; without a partner: 2 runs of A, 0 of B' "$lbsim" compare a less --metric offloaded_bytes
expect 0 '' "$lbsim" eight.json --quiet --out other --seed 77
expect 0 '0 the same; without a partner: .* (partners have the same point and seed)$' "$lbsim" compare a other --metric tasks

# Stored runs are read back with what is empty.
cp a/results.csv before.csv
expect 0 '' "$lbsim" eight.json --quiet --out a
cmp a/results.csv before.csv || fail "not the same when read back"

# The documents' table is this table.
expect 0 '' "$lbsim" metrics
cmp out.txt "$source/docs/metrics.md" || fail "docs/metrics.md is not what lbsim metrics prints"
expect 0 '' "$lbsim" params
grep -q '^  peak_node_imbalance ' out.txt || fail "lbsim params does not say what is measured"
expect 2 "found 'x', allowed is one of scenario, results" "$lbsim" schema x
expect 2 "unexpected argument 'x'" "$lbsim" metrics x
finish
