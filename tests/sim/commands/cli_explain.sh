#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Why a point came out as it did, on cases where the answer is known. Usage: cli_explain.sh LBSIM
. "$(dirname "$0")/cli.sh"
says() { # says PATTERN: in what was printed
    grep -q -e "$1" out.txt || fail "no '$1' in: $(cat out.txt)"
}

scenario >tiny.json
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["baseline","global","chameleon"]' --set 'sweep.graph.degree=[1,2,4]' \
    --quiet --no-figure --out results

# At degree 1 the apprank with 2.25 times the mean load and its node are the cut.
expect 0 '' "$lbsim" explain results --where system.name=global --where graph.degree=1 --where workload.imbalance=2.25
says '^The graph binds: apprank [0-3] has 4.5 of the 8 .* on node [0-3] alone, with 4 of 16 cores.* 125 % above'
says 'Mostly: the graph'
says 'above the bound, 0\.[0-9] % above what these tasks and this graph allow'
# Of all runs the one that is farthest from the bound, which is one of those.
expect 0 '' "$lbsim" explain results
says '^tiny: graph.degree=1, workload.imbalance=2.25'
# A complete graph does not bind, and no core moves in baseline; tasks of chameleon go anywhere.
expect 0 '' "$lbsim" explain results --where system.name=global --where graph.degree=4 --where workload.imbalance=2.25
says '^The graph does not bind'
says 'of the tasks run off their home node'
expect 0 '' "$lbsim" explain results --where system.name=baseline --where workload.imbalance=1.5
says '^No core moves in this system: apprank [0-3] .* 50 % above perfect balance'
says 'No task leaves its home node'
expect 0 '' "$lbsim" explain results --where system.name=chameleon --where workload.imbalance=1.5
says '^Tasks may go anywhere'
says 'of the tasks run off their home rank'

# Where no work leaves its node there is no graph to speak of, and packing says what it is for.
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["dpb","packing"]' --set 'workload.imbalance=2' --quiet --no-figure --out home
for system in dpb packing; do
    expect 0 '' "$lbsim" explain home --where system.name=$system
    says '^No work leaves its node in this system: apprank [0-3] has .* and node [0-3] alone.* All other nodes wait for that'
    says 'Mostly: that no work leaves its node'
    grep -q -i 'graph binds\|another graph\|-0\.0 %' out.txt && fail "words of other systems: $(cat out.txt)"
done
says '^Processes that wait share CPUs: [0-9]* of 16 CPUs are used, .* % are free for others'
# Helpers that come with time leave home, too, whatever degree the system begins with; one that does not come is missed.
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["dynamic"]' --set 'sweep.system.grow_degree=[1,4]' --set 'workload.imbalance=2' \
    --set system.grow_period_s=0.1 --set workload.iterations=20 --quiet --no-figure --out grown
expect 0 '' "$lbsim" explain grown --where system.grow_degree=4
says '^The graph does not bind: the work of every set of appranks fits'
says 'of the tasks run off their home node'
grep -q 'No work leaves' out.txt && fail "words of systems without helpers: $(cat out.txt)"
expect 0 '' "$lbsim" explain grown --where system.grow_degree=1
says '^The graph binds: apprank [0-3] has .* Only helpers on other nodes, which did not come, can relieve'
# What a serial part costs is no fault of the graph, nor of the node whose other cores wait for it; where no core moves that is one cause.
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["global"]' --set 'sweep.graph.degree=[2]' --set 'sweep.workload.imbalance=[1]' \
    --set workload.serial_s=1 --quiet --no-figure --out serial
expect 0 '' "$lbsim" explain serial
says "^What comes before the tasks of apprank [0-3] binds"
says "the product of what comes before an apprank's tasks [0-9.]*, all else [0-9.]*\. Mostly: what comes before an apprank's tasks"
expect 0 '' "$lbsim" explain results --where system.name=baseline --where workload.imbalance=2.25
says 'the product of that no core moves 2\.250, .*, all else 1\.[0-9]*\. Mostly: that no core moves'
# Equal loads, one node at half the speed: 4 nodes' work on 3.5, its apprank alone takes 2; by its loads' file, from elsewhere.
mkdir -p case
cat >case/slow.json <<'END'
{ "name": "slow", "platform": { "nodes": 4, "cores_per_node": 4, "speed": [{ "node": 2, "factor": 0.5 }] },
  "graph": { "degree": 1 }, "workload": { "model": "trace", "file": "loads.csv", "iterations": 3 }, "system": { "name": "global" } }
END
echo 'iteration,apprank,work_s,tasks' >case/loads.csv
for i in 0 1 2; do for a in 0 1 2 3; do echo "$i,$a,2,40"; done; done >>case/loads.csv
expect 0 '' "$lbsim" case/slow.json --quiet --no-figure --out slow
expect 0 '' "$lbsim" explain slow
says '^The graph binds: apprank 2 has 2 of the 8 .* on node 2 alone, with 2 of 14 cores.* takes 1 s, 75 % above'
says 'A task lasts up to 50 ms'

# Durations with jitter: perfect balance is that of the work that was drawn, as in the columns, no chain where no task waits
# for another, and the longest task is one that was drawn. The causes' factors multiply to the whole.
cat >jit.json <<'END'
{ "name": "jit", "platform": { "nodes": 2, "cores_per_node": 4 }, "graph": { "degree": 2 }, "system": { "name": "global" },
  "workload": { "imbalance": 1.5, "iterations": 6, "tasks_per_core": 4, "jitter": "lognormal", "jitter_cv": 2 } }
END
column() { # column NAME of the only run
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at = $i == name ? i : at } NR == 2 { printf "%.4g", $at }' jit/results.csv
}
expect 0 '' "$lbsim" jit.json --seed 1 --quiet --no-figure --out jit
expect 0 '' "$lbsim" explain jit
says "above perfect balance ($(column optimal_s) s)"
says "^Time per iteration is $(column time_per_iteration_s) s"
says "^Whole tasks cannot be balanced better than to $(column floor_s) s"
says "of every set of appranks fits the cores that it can reach in $(column cut_s) s"
grep -q 'chain\|[0-9]e[+-]' out.txt && fail "a chain, or an exponent: $(cat out.txt)"
awk '/^Time per/ { above = $7; sub(/\. Mostly.*/, ""); sub(/.*: /, ""); gsub(/\([^)]*\)/, ""); parts = split($0, part, ",")
                   whole = part[1] + 0; product = 1
                   for (i = 2; i <= parts; i++) { n = split(part[i], word, " "); product *= word[n] } }
     /^A task lasts/ { task = $6 / 1000 }
     /^Whole tasks/ { floor = $9; bound = $0; sub(/.*time is /, "", bound) }
     END { print above, whole, product, task, floor, bound + 0
           exit !(above > 100 && whole > 1 && product / whole > 0.99 && product / whole < 1.01 && above / bound > 0.99 &&
                  above / bound < 1.01 && task > 0.3 && task <= floor + 0.0001) }' out.txt >sums.txt ||
    fail "words do not agree: $(cat sums.txt out.txt)"
# A chain that is one: tasks of a Cholesky decomposition with few tiles.
cat >chain.json <<'END'
{ "name": "chain", "platform": { "nodes": 2, "cores_per_node": 16 }, "graph": { "degree": 2 }, "system": { "name": "global" },
  "workload": { "model": "cholesky", "cholesky_size": 2048, "cholesky_block": 512, "cholesky_matrices": 1, "iterations": 3 } }
END
expect 0 '' "$lbsim" chain.json --quiet --no-figure --out chain
expect 0 '' "$lbsim" explain chain
says '^A chain of tasks binds'
says 'the product of the longest chain of tasks [2-9][0-9.]*, all else 1\.0[0-9]*\. Mostly: the longest chain'
# One task that lasts long is no chain, whether others wait or not.
cat >one.json <<'END'
{ "name": "one", "platform": { "nodes": 2, "cores_per_node": 4 }, "graph": { "degree": 1 }, "system": { "name": "baseline" },
  "workload": { "model": "graph", "file": "one.csv", "iterations": 3 } }
END
for after in '' 1; do
    printf '%s\n' apprank,seconds,bytes,after 0,1,0, 0,0.01,0, "0,0.01,0,$after" 1,0.01,0, >one.csv
    expect 0 '' "$lbsim" one.json --quiet --no-figure --out "one$after"
    expect 0 '' "$lbsim" explain "one$after"
    says '^One task binds: it alone lasts 1 s, longer than all work over all cores, 0.1288 s'
    says 'the product of the longest task 7.767, all else 1.000. Mostly: the longest task'
    grep -q chain out.txt && fail "a chain: $(cat out.txt)"
done
# Iterations that differ: in the last third a chain of two, whatever was before.
printf '%s\n' iteration,apprank,seconds,bytes,after 0,0,1,0, 1,0,0.01,0, 1,1,0.01,0, 2,0,0.01,0, 2,0,0.6,0,0 2,1,0.01,0, >one.csv
expect 0 '' "$lbsim" one.json --quiet --no-figure --out several
expect 0 '' "$lbsim" explain several
says 'the product of the longest chain of tasks 7.871, all else 1.000'

# Files that the scenario names: not there, elsewhere, and other than they were, which would be another run.
mkdir moved && mv case/loads.csv moved/loads.csv
expect 2 "^lbsim explain: the scenario of slow/results.json: --scenario FILE, .* is needed: case/slow.json:.* cannot read 'case/loads.csv'" \
    "$lbsim" explain slow
cp case/slow.json moved/slow.json
expect 0 '' "$lbsim" explain slow --scenario moved/slow.json
says '^The graph binds: apprank 2 has 2 of the 8 '
sed 's/,2,40$/,3,40/' moved/loads.csv >case/loads.csv
expect 2 "the runs in 'slow' are of other files than those that 'case/slow.json' names now" "$lbsim" explain slow
[ ! -s out.txt ] || fail "another run was explained: $(cat out.txt)"
mv moved/loads.csv case/loads.csv
echo '{ "platform": { "nodes": 3 } }' >case/machine.json
sed 's/"nodes": 4, //; s/"speed": [^]]*]/"appranks_per_node": 1/; s/"name": "slow",/"name": "inc", "include": "machine.json",/
    s/"model": "trace", "file": "loads.csv", //' case/slow.json >case/inc.json
expect 0 '' "$lbsim" case/inc.json --quiet --no-figure --out inc
expect 0 '' "$lbsim" explain inc
echo '{ "platform": { "nodes": 2 } }' >case/machine.json
expect 2 "the runs in 'inc' are of other files" "$lbsim" explain inc

# Results that this build does not give are said to be another's; what is wrong is refused.
sed -i 's/^\([0-9]*\),[0-9.]*,/\1,1.5,/' slow/results.csv
expect 0 'of another build' "$lbsim" explain slow
expect 2 'no run of .* has that value' "$lbsim" explain results --where graph.degree=7
expect 2 'no column' "$lbsim" explain results --where graph.degre=2
expect 2 'cannot read' "$lbsim" explain nosuch
expect 2 'a folder of results is needed' "$lbsim" explain
echo '{}' >slow/results.json
expect 2 'holds no scenario' "$lbsim" explain slow
finish
