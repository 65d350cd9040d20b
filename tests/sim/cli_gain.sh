#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From measured loads to what each system would gain, and how to run the best.
. "$(dirname "$0")/cli.sh"
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1; do echo "$i,0,6.4,160"; echo "$i,1,3.2,160"; echo "$i,2,1.6,160"; echo "$i,3,1.6,160"; done
} >loads.csv

# Every system, each degree that the nodes allow; the least time first.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet
grep -q '^4 appranks on 4 nodes x 8 cores, 2 measured iterations, imbalance 2 ' out.txt || fail "no first line"
for system in baseline dlb local global; do
    grep -q "^$system " out.txt || fail "system $system is missing"
done
awk '$1 == "baseline" && $3 >= 0.8 && $3 < 0.81 { found = 1 } END { exit !found }' out.txt ||
    fail "without balancing an iteration takes what the first apprank's work takes on its cores: 0.8 s"
awk '$3 ~ /^[0-9.]+$/ { if ($3 < last) exit 1; last = $3 }' out.txt || fail "not sorted by time"
grep -q '^  lbrun --nodes 4 --cores 8 --system [a-z]* --degree [234] -- PROGRAM$' out.txt || fail "no command to run"

# A choice of systems and degrees, two ranks a node, as JSON.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet --systems baseline,local --degrees 2 --appranks-per-node 2 \
    --iterations 5 --format json
[ "$(grep -c '"system":' out.txt)" -eq 2 ] || fail "two systems were asked for"
grep -q '"less_time_percent": 0' out.txt || fail "baseline is what gains are compared with"

# Balanced loads: nothing to gain, and no command for it.
sed 's/,[0-9.]*,160/,1.6,160/' loads.csv >even.csv
expect 0 '' "$lbsim" gain even.csv --cores 8 --quiet
grep -q 'None of these gains a percent' out.txt || fail "balanced loads have nothing to gain"

# A system that the nodes are too small for is left out, and the others compared.
expect 0 '' "$lbsim" gain loads.csv --cores 4 --appranks-per-node 4 --quiet
grep -q '^dlb ' out.txt || fail "dlb can run on one core for each rank"
grep -q '^chameleon ' out.txt && fail "chameleon needs two cores for each rank"

# Bad input.
expect 2 'cores are needed' "$lbsim" gain loads.csv
expect 2 'no multiple of it' "$lbsim" gain loads.csv --cores 8 --appranks-per-node 3
expect 2 "found '0', allowed is 1 to" "$lbsim" gain loads.csv --cores 0
expect 2 'allowed is one of baseline' "$lbsim" gain loads.csv --cores 8 --systems magic
expect 2 'graph.degree' "$lbsim" gain loads.csv --cores 8 --degrees 0
expect 2 'none.csv' "$lbsim" gain none.csv --cores 8
expect 2 'is no option' "$lbsim" gain loads.csv --cores 8 --fast
sed 's/,1.6,/,nan,/' loads.csv >nan.csv
expect 2 'nan.csv:4:' "$lbsim" gain nan.csv --cores 8
finish
