#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scenarios that come with the program: each runs, reduced, draws its figure without a remark, and those of the
# main paper show what they are there to show.
scenarios=$(cd "$(dirname "$0")/../../../scenarios" && pwd)
. "$(dirname "$0")/cli.sh"

# reduced NAME FIGURES OPTIONS...: run a scenario into NAME, and look for its figures.
covered=published.json

# looked_at NAME: no text of its figures lies over another, on two columns and on one, which has little room.
looked_at() {
    command -v gnuplot >/dev/null || return 0
    script=$(sed -n 's/.*"figure": "\([a-z_]*\)".*/\1/p' "$scenarios/$1.json")
    for data in "$1"/*.dat; do
        gnuplot -c "$scenarios/../plots/$script.gp" "$data" "$1/one.svg" svg '' one 2>one.txt || fail "$data is not drawn: $(cat one.txt)"
        python3 "$scenarios/../tests/plots/check_svg.py" "${data%.dat}.svg" "$1/one.svg" || fail "$data"
    done
}
reduced() {
    name=$1 figures=$2
    shift 2
    covered="$covered $name.json"
    expect 0 . "$lbsim" "$scenarios/$name.json" --out "$name" "$@"
    grep -e 'warning:' -e 'note:' err.txt && fail "remarks on the figures of $name"
    for figure in $figures; do
        [ -s "$name/$figure.dat" ] || fail "no $name/$figure.dat"
        ! command -v gnuplot >/dev/null || grep -q '</svg>' "$name/$figure.svg" || fail "no $name/$figure.svg"
    done
    looked_at "$name"
}
# holds NAME WORDS EXPRESSION: of column(metric, path=value, ...), the metric's values in the rows that fit.
holds() {
    python3 - "$1/results.csv" "$3" <<'END' || fail "$1: $2"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
def column(metric, **fit):
    fit = {key.replace("__", "."): str(value) for key, value in fit.items()}
    return [float(r[metric]) for r in rows if all(r[key] == value for key, value in fit.items())]
sys.exit(not eval("(" + sys.argv[2] + ")"))
END
}
small="--set platform.cores_per_node=12 --set replicates=1"

reduced imbalance_sweep "imbalance_sweep_local imbalance_sweep_global" $small --set platform.nodes=4 --set 'sweep.workload.imbalance=[1, 2, 4]'
holds imbalance_sweep "degree 4 should beat degree 2 at imbalance 4" \
    'column("time_per_iteration_s", system__name="global", graph__degree=4, workload__imbalance=4) <
     column("time_per_iteration_s", system__name="global", graph__degree=2, workload__imbalance=4)'
reduced slow_node "slow_node_local slow_node_global" $small --set platform.nodes=4 --set 'sweep.workload.imbalance=[1, 2]'
holds slow_node "most work on the slow node should be the worst case without offloading" \
    'max(column("time_per_iteration_s", graph__degree=1)) == max(column("time_per_iteration_s", graph__degree=1, workload__slow="most"))'
reduced convergence convergence $small
holds convergence "both policies should end near balance" \
    'max(column("steady_node_imbalance", system__lewi="true", system__drom="true")) < 1.1'
reduced estimator estimator $small --set platform.nodes=4 --set 'sweep.system.global_average_s=[1, 20]'
reduced micropp "weak_scaling_local weak_scaling_global" $small --set 'sweep.platform.nodes=[2, 4, 8]'
holds micropp "on 8 nodes offloading should save more than a third, and DLB within nodes nothing with one apprank each" \
    'max(column("ratio_to_optimal", platform__nodes=8, system__name="global", graph__degree=4)) < 1.4 <
     2.1 < min(column("ratio_to_optimal", platform__nodes=8, system__name="dlb", platform__appranks_per_node=1))'
reduced nbody_slow_node "weak_scaling_local weak_scaling_global" --set workload.iterations=12 --set workload.nbody_bodies=4000 --set workload.nbody_block=20 \
    --set workload.nbody_interaction_ns=2130 --set 'sweep.platform.nodes,platform.speed=[[2, [{"node": 1, "factor": 0.6}]], [4, [{"node": 3, "factor": 0.6}]]]'
holds nbody_slow_node "appranks should have equal work, and a slow node should be relieved" \
    'max(column("apprank_imbalance")) < 1.02 and
     max(column("ratio_to_optimal", system__name="global", graph__degree=3)) <
     0.9 * min(column("ratio_to_optimal", system__name="dlb", platform__nodes=4))'
reduced offloading cores $small
holds offloading "at the end local should still offload, and global hardly" \
    'column("steady_offloaded_fraction", system__name="local")[0] > 0.2 and
     column("steady_offloaded_fraction", system__name="global")[0] < 0.1'
reduced micropp_traces cores $small
holds micropp_traces "neither should be slower than LeWI, that than DROM, and that than both" \
    '[t for t in column("total_s")] == sorted(column("total_s"), reverse=True) and len(column("total_s")) == 4'
reduced sensitivity tornado $small --set platform.nodes=4 --set workload.iterations=6
expect 0 '' "$lbsim" show sensitivity --html sensitivity.html
grep -q 'class="lead">Under local the time depends most on: [A-Z][^;]*; no run has an interval: .* Under global ' sensitivity.html || fail "the answer: $(grep lead sensitivity.html)"
for words in "Network latency" "Network bandwidth" "Runtime work of a task" "Jitter of tasks" "Length of a task" \
    "Length of the average" "Period of decisions" "Cores kept free in placing"; do
    grep -q "\"[^\"]*$words" sensitivity/tornado.dat || fail "no bar for $words"
done

reduced dynamic spreading --set replicates=1 --set 'sweep={"workload.imbalance": [1, 2, 4], "system.name,graph.degree": [["global", 2], ["global", 8], ["dynamic", 1]]}'
holds dynamic "a graph that grows should be about as good as degree 8, with fewer helpers than degree 2" \
    'max(column("ratio_to_optimal", system__name="dynamic")) < 1.04 * max(column("ratio_to_optimal", graph__degree=8)) and
     max(column("helper_ranks", system__name="dynamic")) < min(column("helper_ranks", graph__degree=2)) and
     max(column("process_starts", system__name="global")) == 0'

# Tasks that wait for each other; the figure's remarks are its answer.
covered="$covered cholesky.json"
expect 0 . "$lbsim" "$scenarios/cholesky.json" --out cholesky --set replicates=1 --set workload.iterations=6
[ -s cholesky/systems.dat ] || fail "no cholesky/systems.dat"
looked_at cholesky
holds cholesky "unequally many matrices should cost as much without offloading, and hardly anything with a graph that grows" \
    'min(column("ratio_to_optimal", system__name="dlb", workload__imbalance=3)) > 2.9 and
     max(column("ratio_to_optimal", system__name="dynamic")) < 1.1'

# All others run at least, and draw what they ask for (gain.json: cli_gain.sh, all_systems.json: cli_figure.sh, contest: cli_contest.sh).
for file in "$scenarios"/*.json; do
    other=${file##*/}
    case " $covered scenario.schema.json gain.json all_systems.json contest.json contest_loads.json " in
    *" $other "*) ;;
    *) reduced "${other%.json}" "" --set workload.iterations=2 --set replicates=1 ;;
    esac
done
finish
