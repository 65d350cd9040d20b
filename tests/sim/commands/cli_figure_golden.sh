#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each figure of a small sweep: its data are those in figures/, and in its pictures, of one column and of two, no text
# lies over another. After a change on purpose: sh cli_figure_golden.sh LBSIM --renew (in a scratch folder).
here=$(cd "$(dirname "$0")" && pwd)
renew=${2:-}
. "$here/cli.sh"

# sweep NAME SWEEP OUTPUT MORE: a scenario with that figure, of which MORE is workload and system.
sweep() {
    cat >"$1.json" <<END
{ "name": "$1", "description": "a figure of a small machine",
  "platform": { "nodes": 4, "cores_per_node": 4 },
  "workload": { "iterations": 4, "tasks_per_core": 10${4:-} }, "system": { "name": "global"${5:-} },
  "output": { "figure": "$1"$3 }, "sweep": { $2 }, "replicates": 2 }
END
}
lines='"platform.nodes": [2, 4], "graph.degree": [1, 2, 3], "workload.imbalance": [1, 1.5, 2]'
systems='"system.name": ["baseline", "local", "global"]'
sweep imbalance_sweep "$lines, $systems" ''
sweep slow_node "$lines, \"workload.slow\": [\"most\", \"least\"]" '' ', "slow": "most"'
sweep weak_scaling '"platform.nodes": [2, 4], "platform.appranks_per_node": [1, 2], "graph.degree": [1, 2], "system.name": ["baseline", "dlb", "global"]' '' ', "model": "micropp"'
sweep convergence '"system.name": ["local", "global"], "system.lewi": [true, false], "system.drom": [true, false]' ', "series_s": 0.1'
sweep estimator '"platform.nodes": [2, 4], "system.global_average": ["window", "exponential"], "system.global_average_s": [1, 5, 20]' ''
sweep cores '"system.name": ["local", "global"]' ', "series_s": 0.1'
sweep tornado '"system.name": ["local", "global"], "runtime.task_us,runtime.create_us,workload.task_ms": [[2, 1, 50], [200, 1, 50], [0, 1, 50], [2, 100, 25]]' ''
sweep speedup '"workload.imbalance": [1, 2], "system.name": ["baseline", "dlb", "dpb"]' ''
sweep migration '"system.name": ["baseline", "chameleon"], "system.migrate": ["pairs", "least"], "workload.imbalance": [1, 1.5, 2]' ''
sweep systems '"workload.imbalance": [1, 2], "system.name": ["baseline", "dlb", "local", "global", "chameleon", "packing"]' ''
sweep packing '"platform.nodes": [2, 4], "system.pack": ["none", "subset-sum", "exact"]' '' '' ', "name": "packing"'
sweep spreading '"workload.imbalance": [1, 2], "system.name,graph.degree": [["global", 1], ["global", 2], ["dynamic", 1]]' ''
sweep policy_cost '"platform.nodes,system.partition_nodes,runtime.solver_time": [[2, 0, "none"], [4, 0, "none"], [2, 0, "model"], [4, 0, "model"], [4, 2, "model"]]' ''
sweep claim '"platform.nodes": [2, 4], "graph.degree": [1, 2], "workload.imbalance": [1, 1.5, 2], "system.name": ["global", "local"]' ', "claim_at_most": 1.001'
sweep lines '"platform.nodes": [2, 4], "graph.degree": [1, 2], "workload.imbalance": [1, 1.5, 2], "system.name": ["baseline", "local", "global"]' ''
sweep winner '"workload.task_ms": [5, 50], "workload.imbalance": [1, 1.5, 2], "system.name": ["local", "chameleon", "global"]' ''
sed -i 's/"name": "global", "name": "packing"/"name": "packing"/' packing.json

for name in imbalance_sweep slow_node weak_scaling convergence estimator cores tornado speedup migration systems packing spreading policy_cost claim winner lines; do
    expect 0 '' "$lbsim" "$name.json" --seed 1 --quiet --out "$name"
    data=$(cd "$name" && echo "$name"*global.dat)
    [ -e "$name/$data" ] || data=$name.dat
    if [ "$renew" = --renew ]; then
        cp "$name/$data" "$here/figures/$name.dat"
    fi
    python3 "$here/figures/compare.py" "$here/figures/$name.dat" "$name/$data" || fail "the data of figure $name changed"
    command -v gnuplot >/dev/null || continue
    python3 "$here/../../plots/check_svg.py" "$name"/*.svg || fail "$name, two columns"
    expect 0 '\.svg' "$lbsim" show "$name" --figure own --figure-size one
    python3 "$here/../../plots/check_svg.py" "$name"/*.svg || fail "$name, one column"
    grep -q 'width="336"' "$name"/*.svg || fail "$name is not one column wide"
    # words, not names of parameters
    grep -o '>[a-z]*_[a-z_]*<' "$name"/*.svg && fail "names of parameters in figure $name"
done
# Long names: of groups with several values, and of values beside a whisker; on one column, too.
sweep long '"platform.nodes,platform.cores_per_node,platform.appranks_per_node": [[1, 8, 4], [2, 4, 2]], "system.name": ["baseline", "dpb"]' ''
sed -i 's/"figure": "long"/"figure": "speedup"/' long.json
sweep wide '"system.name": ["local"], "workload.tasks_per_core,workload.task_ms": [[100, 50], [400, 12.5], [10, 500]]' ''
sed -i 's/"figure": "wide"/"figure": "tornado"/' wide.json
for name in long wide; do
    expect 0 '' "$lbsim" "$name.json" --seed 1 --quiet --out "$name"
    command -v gnuplot >/dev/null || continue
    for size in one two; do
        expect 0 '\.svg' "$lbsim" show "$name" --figure own --figure-size $size
        python3 "$here/../../plots/check_svg.py" "$name"/*.svg || fail "$name, $size columns"
    done
done
# What is drawn again is the scenario as it was run, its files beside the one that is named; what cannot be drawn says why.
mkdir -p apart
printf 'iteration,apprank,work_s,tasks\n0,0,1,20\n0,1,3,20\n' >apart/loads.csv
cat >apart/traced.json <<'END'
{ "platform": { "nodes": 2, "cores_per_node": 4 }, "workload": { "model": "trace", "file": "loads.csv" }, "graph": { "degree": 2 },
  "sweep": { "system.name": ["baseline", "local"] }, "output": { "figure": "systems" } }
END
"$lbsim" apart/traced.json --quiet --no-figure --out again --set 'sweep={"system.name":["baseline","global"]}' >/dev/null || fail "no run to draw"
expect 2 'show: --scenario FILE, beside which its file is, is needed: .*again/loads.csv' "$lbsim" show again --figure own
expect 0 'systems\.' "$lbsim" show again --figure own --scenario apart/traced.json
grep -q 'global' again/systems.dat || fail "drawn again is another sweep"
expect 2 "again/results.json.*cannot draw 'packing': 0 of 2 points are of system packing\|apart/traced.json.*cannot draw 'packing': 0 of 2" \
    "$lbsim" show again --figure packing --scenario apart/traced.json
if command -v gnuplot >/dev/null; then
    expect 0 'own\.svg' "$lbsim" show imbalance_sweep --plot own --x workload.imbalance --line graph.degree --facet system.name \
        --where platform.nodes=4 --log y --title 'A title of my own' --x-words 'How unequal' --y-words 'How long'
    for words in 'A title of my own' 'How unequal' 'How long' 'degree 3'; do
        grep -q "$words" imbalance_sweep/own.svg || fail "no '$words' in the figure"
    done
    python3 "$here/../../plots/check_svg.py" imbalance_sweep/own.svg || fail "show --plot"
    # Words at an axis that are longer than low panels are high: on two lines, and the whole figure on one page.
    sweep low '"workload.imbalance": [1, 2], "system.name": ["baseline", "dlb", "local", "global", "chameleon"]' ''
    expect 0 '' "$lbsim" low.json --set output.figure=none --quiet --out low
    expect 0 'own\.svg' "$lbsim" show low --plot own --x workload.imbalance --facet system.name --metric apprank_imbalance --figure-size one
    python3 "$here/../../plots/check_svg.py" low/own.svg || fail "low panels"
else
    echo 'no gnuplot here: the pictures are not looked at'
fi
expect 2 "there is no figure 'nosuch', allowed is one of " "$lbsim" show tornado --figure nosuch
expect 2 "there is no figure 'tornad'; did you mean 'tornado'" "$lbsim" show tornado --figure tornad
expect 2 'go with --plot' "$lbsim" show tornado --title x
finish
