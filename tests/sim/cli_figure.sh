#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Figures: drawn whole where gnuplot is there, skipped with a note where not, refused where the axes are missing.
. "$(dirname "$0")/cli.sh"

# figure NAME SWEEP OUTPUT [SLOW]: a small scenario with that figure.
figure() {
    cat <<END
{ "name": "$1", "description": "a figure of a small machine",
  "platform": { "nodes": 4, "cores_per_node": 4 },
  "workload": { "iterations": 4, "tasks_per_core": 10, "slow": "${4:-none}" },
  "system": { "name": "global" },
  "output": { "figure": "$1"$3 },
  "sweep": { $2 } }
END
}
lines='"platform.nodes": [2, 4], "graph.degree": [1, 2, 3], "workload.imbalance": [1, 1.5, 2]'
systems='"system.name": ["baseline", "local", "global"]'
figure imbalance_sweep "$lines, $systems" '' >imbalance_sweep.json
figure slow_node "$lines, \"workload.slow\": [\"most\", \"least\"]" '' most >slow_node.json
figure weak_scaling "\"platform.nodes\": [2, 4], \"platform.appranks_per_node\": [1, 2], \"graph.degree\": [1, 2], \"system.name\": [\"baseline\", \"dlb\", \"local\", \"global\"]" '' >weak_scaling.json
figure cores '"system.name": ["local", "global"]' ', "series_s": 0.1' >cores.json
figure tornado '"runtime.task_us,runtime.create_us,workload.task_ms": [[2, 1, 50], [200, 1, 50], [0, 1, 50], [2, 100, 25]]' '' >tornado.json
figure speedup '"workload.imbalance": [1, 2], "system.name": ["baseline", "dlb", "dpb"]' '' >speedup.json
figure convergence '"system.lewi": [true, false], "system.drom": [true, false]' ', "series_s": 0.1' >convergence.json

# A figure for each system besides the baseline, as SVG and PNG, from a data file beside them; any name of a
# directory will do.
drawn() {
    for kind in svg png; do
        [ -s "$1.$kind" ] || fail "no $1.$kind"
    done
    grep -q '</svg>' "$1.svg" || fail "$1.svg is not whole"
    [ -s "$1.dat" ] || fail "no $1.dat"
}
if command -v gnuplot >/dev/null; then
    out="it's a \"dir\""
    expect 0 'wrote .*/imbalance_sweep_local.svg' "$lbsim" imbalance_sweep.json --out "$out"
    grep -q -e 'warning:' -e 'note:' err.txt && fail "remarks on figures: $(cat err.txt)"
    expect 0 'wrote .*/speedup.svg' "$lbsim" speedup.json --set graph.degree=1 --out "$out-speedup"
    drawn "$out-speedup/speedup"
    drawn "$out/imbalance_sweep_local"
    drawn "$out/imbalance_sweep_global"
    [ -e "$out/imbalance_sweep_baseline.svg" ] && fail "a figure of the baseline alone"
    grep -q '2 nodes' "$out/imbalance_sweep_local.svg" || fail "no panel for 2 nodes"
    expect 0 '' "$lbsim" slow_node.json --quiet --out slow
    drawn slow/slow_node_global
    expect 0 '' "$lbsim" convergence.json --quiet --out convergence
    drawn convergence/convergence
    grep -q 'global, LeWI and DROM' convergence/convergence.svg || fail "no legend in words"
    expect 0 '' "$lbsim" weak_scaling.json --set workload.model=micropp --quiet --out scaling
    drawn scaling/weak_scaling_local
    drawn scaling/weak_scaling_global
    grep -q 'MicroPP, local' scaling/weak_scaling_local.svg || fail "no model in the title"
    grep -q '2 appranks per node' scaling/weak_scaling_local.svg || fail "no panel for 2 appranks per node"
    # 2 and 4 nodes, 1 and 2 appranks per node, no DLB, DLB alone, degree 2
    [ "$(grep -vc '^#' scaling/weak_scaling_global.dat)" -eq 12 ] || fail "not a row for each point"
    expect 0 '' "$lbsim" cores.json --quiet --out cores
    drawn cores/cores
    grep -q 'apprank 3' cores/cores.svg || fail "no apprank 3 in the legend"
    expect 0 '' "$lbsim" tornado.json --quiet --out tornado
    drawn tornado/tornado
    grep -q '^"global" "runtime.create_us, workload.task_ms" .* "1, 50"$' tornado/tornado.dat || fail "no bar of two values"
    [ "$(grep -vc '^#' tornado/tornado.dat)" -eq 2 ] || fail "not a bar for each change"
fi

# Without gnuplot, or with one that fails, the results are there all the same.
expect 0 'gnuplot is not installed' env PATH="$PWD/nowhere" "$lbsim" slow_node.json --out without
[ -s without/results.csv ] || fail "no results without gnuplot"
ls without | grep -q -e svg -e png && fail "figures without gnuplot"
mkdir bin
printf '#!/bin/sh\necho "out of ink" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
expect 0 'out of ink' env PATH="$PWD/bin:$PATH" "$lbsim" slow_node.json --out failing
ls failing | grep -q -e svg -e png && fail "a failing gnuplot left figures"

# --no-figure, and figure "none": no data file either.
expect 0 . "$lbsim" slow_node.json --out no_figure --no-figure
expect 0 . "$lbsim" slow_node.json --out none --set output.figure=none
ls no_figure none | grep -q -e svg -e dat && fail "a figure that nobody wanted"

# Every system on every workload: a bar for each, and which wins and why.
expect 0 'note: synthetic: global, 1.[0-9]* of the bound, [0-9]* % of the tasks away from home, .*against baseline (2.00): load balance' \
    "$lbsim" "$(dirname "$0")/../../scenarios/all_systems.json" --out every \
    --set 'sweep.workload.model,workload.slow,workload.iterations=[["synthetic","none",12],["phases","none",3]]'
grep -q 'note: phases: ' err.txt || fail "not a word on the second workload"
for system in baseline dlb dpb local global chameleon; do
    [ "$(grep -c "\"$system\"" every/systems.dat)" -eq 2 ] || fail "$system should be there for both workloads"
done

# What cannot be drawn is refused before anything is run.
refused() {
    expect 2 "$1" "$lbsim" refused.json --out refused
    [ -e refused/results.csv ] && fail "results although the figure is refused"
}
figure imbalance_sweep '"graph.degree": [1, 2]' '' >refused.json
refused 'refused.json:[0-9]*:[0-9]*: /output/figure: .*workload.imbalance is not in sweep'
figure imbalance_sweep "$lines, \"runtime.poll_s\": [0.5, 1]" '' >refused.json
refused 'not by runtime.poll_s'
figure slow_node "$lines" '' >refused.json
refused 'workload.slow is none'
figure convergence "$systems" '' >refused.json
refused 'output.series_s is 0'
figure convergence '"graph.degree": [2, 3]' ', "series_s": 0.1' >refused.json
refused 'not by graph.degree'
figure cores '"graph.degree": [1, 2]' '' >refused.json
refused 'output.series_s is 0'
figure cores '"platform.nodes": [4, 9]' ', "series_s": 0.1' >refused.json
refused 'it has room for 8 nodes and 16 appranks, not for 9 and 9'
figure weak_scaling '"graph.degree": [1, 2]' '' >refused.json
refused 'platform.nodes is not in sweep'
figure systems '"system.name": ["local", "global"], "system.lewi": [true, false]' '' >refused.json
refused 'local is there twice for the workload'
figure tornado '"system.name": ["local", "global"]' '' >refused.json
refused 'nothing but the system is swept'
figure tornado '"graph.degree": [2, 3], "workload.imbalance": [1, 2], "runtime.poll_s": [0.5, 1]' '' >refused.json
refused 'differs from the first in 3 values'
figure convergence '"graph.degree": [2, 3]' ', "series_s": 0.1' >refused.json
expect 0 . "$lbsim" refused.json --out refused --no-figure
finish
