#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a sweep prints and writes: the same rows in every format, notes apart from results.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json

# The table goes to standard output, everything else to standard error, nothing with --quiet.
expect 0 'wrote out/results.csv' "$lbsim" tiny.json --out out
[ "$(wc -l <out.txt)" -eq 13 ] || fail "the table should have a heading and 12 rows"
grep -q time_per_iteration_s out.txt || fail "no heading time_per_iteration_s in the table"
expect 0 '' "$lbsim" --quiet --out out tiny.json

# One is one.
expect 0 '^lbsim: 1 run in [0-9.e-]* s$' "$lbsim" tiny.json --set graph.degree=2 --set workload.imbalance=2 --set system.name=local --set replicates=1

# Options come in any order and spelling.
expect 0 '' "$lbsim" --format=csv --jobs=2 tiny.json --quiet
cmp out.txt out/results.csv || fail "--format csv is not results.csv"

# results.csv: the swept paths, the seed, then the metrics; a row for each point and replicate.
head -n 1 out/results.csv | grep -q '^graph.degree,workload.imbalance,system.name,seed,time_per_iteration_s,optimal_s,ratio_to_optimal,apprank_imbalance,node_imbalance,offloaded_fraction,tasks,' ||
    fail "columns of results.csv: $(head -n 1 out/results.csv)"
[ "$(wc -l <out/results.csv)" -eq 25 ] || fail "results.csv should have 24 rows"
[ "$(wc -l <out/summary.csv)" -eq 13 ] || fail "summary.csv should have 12 rows"

# Replicates that are alike have no scatter, none of rounding either (a sum of five over five is not always the one).
expect 0 '' "$lbsim" "$(dirname "$0")/../../../scenarios/dpb_multizone.json" --quiet --set replicates=5 --out alike
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ci95_s") at = i } NR > 1 && $at != "0" { print; exit 1 }' \
    alike/summary.csv || fail "scatter of five runs that are alike"

# JSON holds the same rows, what was simulated and how it was called.
if command -v python3 >/dev/null; then
    expect 0 '' "$lbsim" tiny.json --quiet --format json --seed 1
    cp out.txt out.json
    expect 0 '' python3 - out.json out/results.csv <<'END'
import csv, json, sys
doc = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(doc["rows"]) == len(rows) == 24
for ours, theirs in zip(doc["rows"], rows):
    assert list(ours) == list(theirs)
    for key, value in ours.items():
        if isinstance(value, str):
            assert value == theirs[key], (key, value)
        elif value is None:
            assert theirs[key] in ("", "inf", "-inf"), key
        else:
            assert value == float(theirs[key]), (key, value)
assert doc["scenario"]["platform"]["nodes"] == 4
assert "--format" in doc["command"] and doc["version"]
assert len(doc["summary"]) == 12
times = [row["time_per_iteration_s"] for row in doc["rows"][:2]]
assert abs(doc["summary"][0]["time_per_iteration_s"] - sum(times) / 2) < 1e-12
END
fi

# The same work for all systems and degrees: the bound depends on imbalance and seed alone.
awk -F, 'NR > 1 { key = $2 "," $4; if (key in bound && bound[key] != $6) exit 1; bound[key] = $6 }' out/results.csv ||
    fail "optimal_s differs between systems on one seed"

# Other work with another seed; the same with the same.
expect 0 '' "$lbsim" tiny.json --quiet --format csv --seed 5
cp out.txt five.csv
expect 0 '' "$lbsim" tiny.json --quiet --format csv --seed 5
cmp out.txt five.csv || fail "the same seed gave other results"
cut -d, -f5- five.csv >a.txt
cut -d, -f5- out/results.csv >b.txt
cmp -s a.txt b.txt && fail "another seed gave the same results"

# Time series: in every sample the cores that a node's workers own are its cores, and no more of them are busy; a second
# call, which has the series from disk, writes the same.
sed 's/"replicates"/"output": { "series_s": 0.25, "workers": true }, "replicates"/' tiny.json >series.json
expect 0 'wrote series/workers.csv' "$lbsim" series.json --out series
awk -F, 'NR > 1 { key = $1 "|" $2 "|" $3 "|" $4 "|" $5 "|" $6; busy[key] += $9; owned[key] += $10 }
    END { for (key in owned) if (owned[key] != 4 || busy[key] > 4.001) exit 1; exit NR < 2 }' series/workers.csv ||
    fail "the workers of a node do not share its cores in workers.csv"
cp series/workers.csv workers.csv && cp series/series.csv series.csv
expect 0 '' "$lbsim" series.json --quiet --out series
cmp series/workers.csv workers.csv || fail "workers.csv differs when read back"
cmp series/series.csv series.csv || fail "series.csv differs when read back"

# One of many values that move together is set: no slower than to read them (by the square: minutes).
awk -v n=$((600 * slow)) 'BEGIN { printf "{ \"name\": \"many\", \"platform\": { \"nodes\": 2, \"cores_per_node\": 2 }, \"graph\": { \"degree\": 1 },"
    printf " \"workload\": { \"iterations\": 1, \"tasks_per_core\": 1 }, \"sweep\": { \"workload.task_ms,workload.imbalance\": ["
    for (i = 1; i <= n; i++) printf "%s[%d, %g]", (i > 1 ? "," : ""), (i + 1) / 2, 1 + i % 2 / 2
    print "] } }" }' >many.json
expect 0 '' timeout 10 "$lbsim" many.json --set workload.imbalance=1 --shard 1/$((200 * slow)) --quiet --no-figure --out many
[ "$(wc -l <out.txt)" -le 4 ] || fail "values that are alike are not one: $(wc -l <out.txt)"

# Help and version are results, too: on standard output, with exit code 0.
for word in --help --version params schema metrics; do
    expect 0 '' "$lbsim" $word
    [ -s out.txt ] || fail "lbsim $word prints nothing"
done
finish
