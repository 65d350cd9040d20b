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

# Where no work leaves its node there is no graph to speak of, and packing says what it is for.
expect 0 '' "$lbsim" tiny.json --set 'sweep.system.name=["dpb","packing"]' --set 'workload.imbalance=2' --quiet --no-figure --out home
for system in dpb packing; do
    expect 0 '' "$lbsim" explain home --where system.name=$system
    says '^No work leaves its node in this system: apprank [0-3] has .* and node [0-3] alone.* All other nodes wait for that'
    says 'Mostly: that no work leaves its node'
    grep -q -i 'graph binds\|another graph\|-0\.0 %' out.txt && fail "words of other systems: $(cat out.txt)"
done
says '^Processes that wait share CPUs: [0-9]* of 16 CPUs are used, .* % are free for others'
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
