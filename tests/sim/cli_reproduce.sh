#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Published against simulated: the quick rows, in every format; bad tables of rows are refused.
. "$(dirname "$0")/cli.sh"

# Every row that differs has a known reason.
expect 0 '' "$lbsim" reproduce --quick --replicates 2 --fail-if-differs --out out
grep -q '8 nodes, degree 1, imbalance 2 .* agrees$' out.txt || fail "the baseline's row should agree"
[ "$(grep -c ' differs$' out.txt)" -eq "$(grep -c '^- ' out.txt)" ] || fail "a reason for each row that differs"
grep -q '^| ompss2-cluster-dlb | 7.3, Figure 8(b) | 8 nodes, degree 1' out/reproduce.md || fail "no row in Markdown"
[ "$(wc -l <out/reproduce.csv)" -gt 10 ] || fail "too few rows in CSV"
python3 -c 'import json; rows = json.load(open("out/reproduce.json")); assert len(rows) > 10 and rows[0]["simulated"] > 1' ||
    fail "not the rows in JSON"

# A single row, the same for any number of threads.
expect 0 '' "$lbsim" reproduce --only 'Figure 10(a)' --jobs 1 --format csv
cp out.txt one.csv
expect 0 '' "$lbsim" reproduce --only 'Figure 10(a)' --jobs 2 --format csv
cmp one.csv out.txt || fail "results depend on the number of threads"

# What cannot be: rows that are not there, and a table of rows that is not one.
expect 2 'no row is left' "$lbsim" reproduce --only nothing-like-this
expect 2 'replicates 0, must be a whole number' "$lbsim" reproduce --replicates 0
mkdir -p data/scenarios
row='"paper": "p", "place": "1", "quantity": "q", "claim": "about", "metric": "total_s", "scenario": "tiny.json"'
scenario >data/scenarios/tiny.json
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
refuse '"against" is missing' "{\"rows\": [{$row, \"value\": 1, \"as\": \"ratio\"}]}"
refuse 'allowed is one of mean, max, min, median' "{\"rows\": [{$row, \"value\": 1, \"over\": \"all\"}]}"
refuse 'not JSON' '{"rows": ['

# A row of one's own that differs without a reason.
echo "{\"rows\": [{$row, \"value\": 1}]}" >data/scenarios/published.json
expect 3 '' "$lbsim" reproduce --fail-if-differs
grep -q 'no reason is known' out.txt || fail "a difference without a reason should say so"
finish
