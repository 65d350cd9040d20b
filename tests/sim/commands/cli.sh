# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the command line share. Each is run as: sh cli_NAME.sh LBSIM, in its own directory.
set -u
lbsim=$1
slow=${LB_TEST_SLOW:-200} # size of a scenario that can be interrupted; less where everything is slow
failures=0
rm -rf work
mkdir work
cd work || exit 1
LBSIM_CACHE=$PWD/cache
export LBSIM_CACHE

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE MESSAGE COMMAND...: the command ends with CODE, says something that matches MESSAGE (a basic regular
# expression, '' for nothing at all) on standard error; what it printed is in out.txt and err.txt.
expect() {
    wanted=$1 message=$2
    shift 2
    "$@" >out.txt 2>err.txt
    code=$?
    if [ "$code" -ne "$wanted" ]; then
        fail "exit code $code, expected $wanted: $*"
        cat err.txt
    elif [ -n "$message" ] && ! grep -q -e "$message" err.txt; then
        fail "no '$message' in the messages of: $*"
        cat err.txt
    elif [ -z "$message" ] && [ -s err.txt ]; then
        fail "messages where none were expected: $*"
        cat err.txt
    fi
}

# A sweep of 2 systems x 2 degrees x 3 imbalances, 2 replicates, that takes an instant; extra sections are appended.
scenario() {
    cat <<END
{ "name": "tiny", "description": "a few nodes with a few cores",
  "platform": { "nodes": 4, "cores_per_node": 4, "appranks_per_node": 1 },
  "graph": { "degree": 2 },
  "workload": { "model": "synthetic", "imbalance": 2.0, "iterations": ${1:-6}, "tasks_per_core": ${2:-10} },
  "system": { "name": "global" },
  "sweep": { "graph.degree": [2, 3], "workload.imbalance": [1, 1.5, 2.25], "system.name": ["local", "global"] },
  "replicates": 2, "seed": 1 }
END
}

# runs DIR...: how many finished runs the directories' journals hold.
runs() {
    for directory; do
        [ -e "$directory/runs.journal" ] && "$lbsim" journal "$directory" 2>/dev/null
    done | grep -c '"point"'
}

# cut_journal DIR: leave about two thirds of a journal, with a run that is cut off.
cut_journal() {
    size=$(wc -c <"$1/runs.journal")
    head -c $((size * 2 / 3)) "$1/runs.journal" >cut
    mv cut "$1/runs.journal"
}

# Options for a little work of a model, in place of what scenario() sweeps.
small() {
    echo "--set workload.model=$1"
    case $1 in
    nbody) echo "--set workload.nbody_bodies=500" ;;
    matmul) echo "--set workload.matmul_tasks=20" ;;
    ft) echo "--set workload.ft_class=S" ;;
    minife) echo "--set workload.minife_elements=20" ;;
    esac
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures failed"
    [ "$failures" -eq 0 ]
    exit
}
