#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Published against simulated: the quick rows, in every format; bad tables of rows are refused.
scenarios=$(cd "$(dirname "$0")/../../../scenarios" && pwd)
. "$(dirname "$0")/cli.sh"

# Every row that differs has a known reason.
expect 0 '' "$lbsim" reproduce --quick --replicates 2 --fail-if-differs --out out
grep -q '8 nodes, degree 1, imbalance 2 .* agrees$' out.txt || fail "the baseline's row should agree"
reasons() { # TITLE: how many lines the list of that title has
    awk -v title="$1:" '$0 == title { on = 1; next } on && /^- / { n++ } on && !/^- / && !/^$/ { on = 0 } END { print n + 0 }' out.txt
}
[ "$(grep -c ' differs: ' out.txt)" -eq "$(reasons 'Why they differ')" ] || fail "a reason for each row that differs"
[ "$(reasons 'What predictions rest on')" -gt 1 ] || fail "what predictions rest on"
grep -q '"sufficient" is read as' out/reproduce.md || fail "how words were read is not in Markdown"
grep -q '^| ompss2-cluster-dlb | 7.3, Figure 8(b) | 8 nodes, degree 1' out/reproduce.md || fail "no row in Markdown"
[ "$(wc -l <out/reproduce.csv)" -gt 10 ] || fail "too few rows in CSV"
python3 -c 'import json; rows = json.load(open("out/reproduce.json")); assert len(rows) > 10 and rows[0]["simulated"] > 1
assert all(isinstance(row["place"], str) for row in rows) and any(row["place"] == "6" for row in rows)
assert all(row["explanation"] and row["cause"] for row in rows if row["verdict"].startswith("differs"))
assert {row["state"] for row in rows} == {"paper", "original", "published"} and {row["read"] for row in rows} == {"text", "table", "words"}
assert any(row["verdict"] == "agrees as published" and row["least"] <= row["simulated"] <= row["most"] for row in rows)
computed = [row for row in rows if row["computed"] == "yes"]
assert computed and all(row["verdict"].startswith("differs") and row["then_from"] for row in computed)
assert any(row["computed"] == "no" for row in rows) and not any(row["computed"] for row in rows if row["verdict"].startswith("agrees"))
assert all(0 <= row["percentile"] <= 1 for row in rows if row["percentile"] is not None)' || fail "not the rows in JSON"

# One state of the rules for all rows: each published number has one row then, by that state unless the row itself says
# another; numbers that several states simulate are counted once.
expect 0 '' "$lbsim" reproduce --only 'Figure 11(a)' --replicates 1 --format table
grep -q '^Of 6 numbers, each counted once, 6 are met by one state' out.txt || fail "numbers are not counted once: $(tail -20 out.txt)"
expect 0 '' "$lbsim" reproduce --only 'Figure 11(a)' --replicates 1 --as original --format json
python3 -c 'import json; rows = json.load(open("out.txt")); names = [row["quantity"] for row in rows]
assert not any("LeWI alone, as" in name for name in names) and len(set(names)) == len(names)
assert {row["state"] for row in rows if "LeWI alone" in row["quantity"]} == {"original"}, rows' || fail "not one state for all rows"

# A single row, the same for any number of threads.
expect 0 '' "$lbsim" reproduce --only 'Figure 10(a)' --jobs 1 --format csv
cp out.txt one.csv
expect 0 '' "$lbsim" reproduce --only 'Figure 10(a)' --jobs 2 --format csv
cmp one.csv out.txt || fail "results depend on the number of threads"

# The figures that rows are of, with what was published.
expect 0 . "$lbsim" reproduce --only 'Figure 11(a)' --replicates 1 --out figures --figures
grep -q '|1.2"$' figures/convergence/convergence.dat || fail "no published imbalance in the figure"
[ "$(ls figures | grep -cv '^overview')" -eq 4 ] || fail "not three tables and one figure: $(ls figures)"
[ "$(wc -l <figures/overview.dat)" -ge 6 ] || fail "too few rows in the overview"
if command -v gnuplot >/dev/null; then
    grep -q '</svg>' figures/convergence/convergence.svg || fail "no figure"
    grep -q '</svg>' figures/overview.svg || fail "no figure of all rows"
fi
expect 2 'figures needs --out' "$lbsim" reproduce --figures

# Every row's scenario can be opened as the row says, also those that are too long to simulate here: on nodes of a
# few cores and tasks.
python3 - "$lbsim" "$scenarios" <<'END' || fail "a row that cannot be simulated"
import json, subprocess, sys
lbsim, scenarios = sys.argv[1:]
small = {"imbalance_sweep": ["workload.tasks_per_core=1"], "slow_node": ["workload.tasks_per_core=1"],
         "micropp": ["workload.tasks_per_core=1"], "nbody_slow_node": ["workload.nbody_bodies=100"]}
runs = set()
for row in json.load(open(scenarios + "/published.json"))["rows"]:
    for more in [], row.get("against", []):
        runs.add((row["scenario"], tuple(row["set"] + more)))
for scenario, options in sorted(runs):
    for option in small.get(scenario[:-5], []) + ["workload.iterations=2", "replicates=1", "platform.cores_per_node=24"]:
        options += (option,)
    command = [lbsim, scenarios + "/" + scenario, "--quiet", "--no-figure"]
    for option in options:
        command += ["--set", option]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or done.stdout.count("\n") < 2:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
END

# What cannot be: rows that are not there, and a table of rows that is not one.
expect 2 'no row is left' "$lbsim" reproduce --only nothing-like-this
expect 2 "replicates: found '0', allowed is a whole number" "$lbsim" reproduce --replicates 0
mkdir -p data/scenarios
row='"paper": "p", "place": "1", "quantity": "q", "claim": "about", "metric": "total_s", "scenario": "tiny.json"'
scenario >data/scenarios/tiny.json

# Installed anywhere, the program finds what was installed with it.
mkdir -p moved/bin moved/share/lbsim/scenarios
cp "$lbsim" moved/bin/lbsim
echo '{}' >moved/share/lbsim/scenarios/published.json
expect 2 'moved/.*published.json.*"rows" must be a list' moved/bin/lbsim reproduce

LBSIM_DATA=$PWD/data
export LBSIM_DATA
refuse() { # MESSAGE JSON
    echo "$2" >data/scenarios/published.json
    expect 2 "$1" "$lbsim" reproduce
}
refuse '"rows" must be a list' '{}'
refuse '"value" is missing' "{\"rows\": [{$row}]}"
refuse 'found "1", allowed is a number' "{\"rows\": [{$row, \"value\": \"1\"}]}"
refuse 'no such key' "{\"rows\": [{$row, \"value\": 1, \"vale\": 1}]}"
refuse 'allowed is one of text, table, figure, words' "{\"rows\": [{$row, \"value\": 1, \"read\": \"seen\"}]}"
refuse '"against" is missing' "{\"rows\": [{$row, \"value\": 1, \"as\": \"ratio\"}]}"
refuse 'allowed is one of mean, max, min, median' "{\"rows\": [{$row, \"value\": 1, \"over\": \"all\"}]}"
refuse 'beside a "cause"' "{\"rows\": [{$row, \"value\": 1, \"then\": [[]]}]}"
refuse 'allowed is one or two lists' "{\"rows\": [{$row, \"value\": 1, \"cause\": \"c\", \"then\": [[], [], []]}]}"
refuse 'allowed is one of state, measured, open, paper, assumed' "{\"rows\": [{$row, \"value\": 1, \"then_from\": \"me\"}]}"
refuse '"draw" beside a "cause"' "{\"rows\": [{$row, \"value\": 1, \"then_from\": \"draw\"}]}"
refuse 'not JSON' '{"rows": ['

# What differs is simulated again with what its cause changes, on the side that it names; two of those are a range.
ratio="$row, \"as\": \"ratio\", \"against\": [], \"set\": [\"workload.iterations=8\"], \"cause\": \"c\", \"then_of\": \"run\", \"then_from\": \"open\""
half='["workload.iterations=4"]' quarter='["workload.iterations=2"]'
counts() { # VALUE THEN EXPECTED: the counts of one such row
    echo "{\"rows\": [{$ratio, \"value\": $1, \"then\": [$2]}]}" >data/scenarios/published.json
    expect 0 '' "$lbsim" reproduce
    grep -q "$3" out.txt || fail "counts: $(grep 'rows agree' out.txt), not '$3'"
}
counts 1 "$half" '^1 of 1 rows agree (of 1 numbers 1 are .*); of the other 0, 0 do with what their cause changes.$'
counts 0.5 "$half" '^0 of 1 rows agree (of 1 numbers 0 are .*); of the other 1, 1 do with what their cause changes (from: open 1).$'
counts 0.35 "$half" 'of the other 1, 0 do'
counts 0.35 "$half, $quarter" 'of the other 1, 1 do'

# A bound that the mean over draws misses and one of them holds differs by the draw.
draw="$row, \"set\": [\"workload.jitter=gamma\"], \"cause\": \"c\", \"then_from\": \"draw\""
draw=$(printf %s "$draw" | sed 's/"claim": "about"/"claim": "at most"/')
echo "{\"rows\": [{$draw, \"value\": 0.001}]}" >data/scenarios/published.json
expect 0 '' "$lbsim" reproduce --out drawn
grep -q 'of the other 1, 0 do' out.txt || fail 'a bound that no draw holds is not computed by the draw'
between=$(python3 -c 'import json
row, = json.load(open("drawn/reproduce.json"))
assert row["least"] < row["simulated"]
print((row["least"] + row["simulated"]) / 2)')
echo "{\"rows\": [{$draw, \"value\": $between}]}" >data/scenarios/published.json
expect 0 '' "$lbsim" reproduce
grep -q 'of the other 1, 1 do with what their cause changes (from: draw 1)' out.txt || fail "by the draw: $(grep 'rows agree' out.txt)"

# A row of one's own that differs without a reason.
echo "{\"rows\": [{$row, \"value\": 1}]}" >data/scenarios/published.json
expect 3 '' "$lbsim" reproduce --fail-if-differs
grep -q 'no reason is known' out.txt || fail "a difference without a reason should say so"
finish
