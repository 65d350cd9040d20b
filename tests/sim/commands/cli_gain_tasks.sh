#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From tasks that wait for each other to what each system would gain.
. "$(dirname "$0")/cli.sh"

# In turn each of two ranks has a task, and four that wait for it; the other has one. On two cores 0.3 s; on four 0.2 s, which is
# the chain: the work over all of them is 0.15 s.
{
    echo iteration,apprank,seconds,bytes,after
    for i in 0 1; do
        for after in '' 0 0 0 0; do echo "$i,$i,0.1,80000,$after"; done
        echo "$i,$((1 - i)),0.1,80000,"
    done
} >stages.csv
expect 0 '' "$lbsim" gain stages.csv --cores 2 --quiet
grep -q '^2 appranks on 2 nodes x 2 cores, 2 measured iterations$' out.txt || fail "no first line"
grep -q '^imbalance (max/mean): 1.67 of iterations, on average; 1 of the totals$' out.txt || fail "which imbalance?"
grep -q ': 3 tasks on average, which wait for each other$' out.txt || fail "not said what tasks there are"
grep -q '^left out, as they are simulated without the order of tasks: dpb, packing$' out.txt || fail "not said who is left out"
for system in baseline dlb local global dynamic tight chameleon; do
    grep -q "^$system " out.txt || fail "system $system is missing"
done
grep -q '^\(dpb\|packing\) ' out.txt && fail "a system that knows no order of tasks"
awk 'NF == 10 && $1 == "baseline" { b = $3 >= 0.3 && $3 < 0.3003 && $5 >= 1.5 && $5 < 1.502 }
    NF == 10 && $1 == "local" { l = $3 >= 0.2 && $3 < 0.204 && $4 > 32 && $5 >= 1 && $5 < 1.02 } END { exit !(b && l) }' out.txt ||
    fail "times are not those worked out by hand: $(cat out.txt)"
grep -q '^  lbrun --nodes 2 --cores 2 --system [a-z]* --degree 2 -- PROGRAM$' out.txt || fail "no command to run"
grep -q '^Few iterations were measured' out.txt || fail "two iterations are enough"

# As JSON and CSV the line goes to people, unless they ask for quiet.
expect 0 '^lbsim gain: left out, as they are simulated without the order of tasks: dpb, packing$' \
    "$lbsim" gain stages.csv --cores 2 --format csv
expect 0 '' "$lbsim" gain stages.csv --cores 2 --quiet --format csv

# What is predicted holds for the costs that are assumed, and between that and cheap and dear ones: of short tasks little is known.
{ echo apprank,seconds,bytes,after; for i in $(seq 200); do echo 0,0.0002,0,; done; echo 1,0.0002,0,; } >short.csv
range() { # range FILE LEAST MOST: so many points are between the ends of local
    expect 0 '' "$lbsim" gain "$1" --cores 2 --quiet --systems baseline,local --degrees 2 --format csv
    awk -F, -v least="$2" -v most="$3" 'NR > 1 && !($9 <= $4 && $4 <= $10) { exit 1 }
        $1 == "local" { wide = $10 - $9 } END { exit !(wide >= least && wide <= most) }' out.txt || fail "$1: $(cat out.txt)"
}
range stages.csv 0.5 2
range short.csv 20 60
expect 0 '' "$lbsim" gain short.csv --cores 2 --quiet --no-range --systems baseline,local --degrees 2 --format csv
grep -q least out.txt && fail "--no-range"

# How long each iteration would take; those of a file are repeated, and alike ones are as good as one.
turn() { # turn ITERATION LONG: 0.1 s, and LONG s behind it
    printf '%s\n' "$1,0,0.1,0," "$1,0,$2,0,0" "$1,1,0.1,0,"
}
{ echo iteration,apprank,seconds,bytes,after; turn 0 0.2; turn 1 0.4; turn 2 0; } >turns.csv
expect 0 '' "$lbsim" gain turns.csv --cores 2 --appranks-per-node 2 --quiet --systems baseline --iterations 8 --format json \
    --iteration-times each.csv
awk -F, 'BEGIN { split("0.3 0.5 0.1", want, " ") }
    NR > 1 { n++; if ($1 != "baseline" || $3 != n - 1 || $4 < want[(n - 1) % 3 + 1] || $4 > want[(n - 1) % 3 + 1] + 1e-4) exit 1 }
    END { exit n != 8 }' each.csv || fail "iterations are not those of the file: $(cat each.csv)"
{ echo iteration,apprank,seconds,bytes,after; for i in 0 1 2; do turn $i 0.2; done; } >alike.csv
sed -n 's/^iteration,//p; s/^0,//p' alike.csv >one.csv
options='--cores 2 --quiet --systems baseline,local,global,chameleon --degrees 2 --iterations 9 --format json'
expect 0 '' "$lbsim" gain alike.csv $options
cp out.txt alike.txt
expect 0 '' "$lbsim" gain one.csv $options
cmp out.txt alike.txt || fail "iterations that are alike are another work than one of them"
expect 0 '' "$lbsim" gain one.csv --cores 2 --quiet --systems baseline
grep -q '^Few iterations' out.txt && fail "iterations that are alike are few"

# By default all that is in the file is judged: once in nine iterations it takes longer.
{ echo iteration,apprank,seconds,bytes,after; for i in 0 1 2 3 4 5 6 7 8; do turn $i $((i == 1)); done; } >once.csv
expect 0 '' "$lbsim" gain once.csv --cores 2 --quiet --systems baseline --format csv
awk -F, 'NR == 2 && $3 > 0.211 && $3 < 0.2113 && $5 < 1.001 { found = 1 } END { exit !found }' out.txt ||
    fail "not all iterations are judged: $(cat out.txt)"

# An apprank without tasks has no line; nodes are whole.
printf 'apprank,seconds,bytes,after\n2,0.1,0,\n2,0.1,0,\n' >last.csv
expect 0 '' "$lbsim" gain last.csv --cores 2 --appranks-per-node 2 --quiet --systems baseline,dlb
grep -q '^4 appranks on 2 nodes x 2 cores, 1 measured iteration$' out.txt || fail "not two nodes: $(cat out.txt)"

# What runs at home alone, as the short parts of tasks that create others, says nothing of those that are placed: a policy
# that learns from what tasks took hears of the others alone.
awk 'BEGIN { print "apprank,seconds,bytes,stays,after"
    for (t = 0; t < 192; t += 3) printf "0,1e-6,0,1,\n0,0.005,0,0,%d\n0,2e-6,0,1,%d\n", t, t + 1 }' >parts.csv
cat >parts.json <<'END'
{ "seed": 1, "platform": { "nodes": 2, "cores_per_node": 4 }, "graph": { "degree": 2 },
  "workload": { "model": "graph", "file": "parts.csv", "iterations": 4 }, "system": { "name": "tight" } }
END
expect 0 'wrote parts.prv' "$lbsim" trace parts.json parts.prv --decisions parts.log
awk '$3 == "finished" { n++; wrong += $4 != 5000000 } END { exit n == 0 || wrong > 0 }' parts.log ||
    fail "what stays is learned from, or nothing is: $(grep finished parts.log | head -3)"

# Bad input.
expect 2 "^lbsim gain: --systems baseline,dpb: found 'dpb', which is simulated without the order of tasks, and these wait for each other; allowed is one of baseline,dlb,local,global,dynamic,chameleon,tight$" \
    "$lbsim" gain stages.csv --cores 2 --systems baseline,dpb
for how in --serial '--threads 2' '--tasks 3'; do
    expect 2 "^lbsim gain: --serial, --threads and --tasks: 'stages.csv' says what tasks there are, allowed are loads" \
        "$lbsim" gain stages.csv --cores 2 $how
done
expect 2 "'stages.csv' is no measurement, and --cores is not given" "$lbsim" gain stages.csv
expect 2 "'stages.csv' has loads or tasks alone, allowed is a measurement" "$lbsim" gain stages.csv --cores 2 --nodes 4
expect 2 'jitter=gamma: found gamma, allowed with model "graph" is none' "$lbsim" gain stages.csv --cores 2 --set workload.jitter=gamma
sed '4s/0$/9/' stages.csv >bad.csv
expect 2 '^lbsim gain: bad.csv:4:15: after: found task 9, allowed are earlier tasks of the same apprank and iteration' \
    "$lbsim" gain bad.csv --cores 2
sed 's/^1,/5,/' stages.csv >gap.csv
expect 2 '^lbsim gain: gap.csv:8:1: iteration: found 5, but no task in iteration 1' "$lbsim" gain gap.csv --cores 2
finish
