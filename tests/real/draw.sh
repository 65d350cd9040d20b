#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare.py --draw: so many points of the scenario, the same for the same seed; none of them is run here.
# Usage: draw.sh SOURCE_DIR BUILD MPI
set -u
source=$1 build=$2 mpi=$3
. "$(dirname "$0")/job.sh"

draw() # N SEED [SCENARIO [OPTIONS...]]
{
    n=$1 seed=$2 scenario=${3:-corners}
    shift $(($# > 2 ? 3 : 2))
    "$source/tests/real/compare.py" "$build" --mpi "$mpi" --scenario "$source/tests/real/compare_$scenario.json" \
        --dry-run --draw "$n" --by "$seed" "$@"
}
draw 7 1 >one.txt && draw 7 1 >again.txt && draw 7 2 >other.txt || fail "no draw"
[ "$(sort -u one.txt | wc -l)" -eq 7 ] || fail "not seven: $(cat one.txt)"
cmp -s one.txt again.txt || fail "another draw with the same seed"
cmp -s one.txt other.txt && fail "the same draw with another seed"
draw 100000 1 >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'the scenario has [0-9]* points' err.txt || fail "more than there are: $(cat err.txt)"

# What cannot be is left out, what says nothing to a system is one point; a slow node is the program's, phases are the simulation's alone.
draw 25 1 mixed >one.txt 2>err.txt && draw 25 1 mixed --phases 3 >phases.txt || fail "no draw: $(cat err.txt)"
[ "$(sort one.txt | uniq -d | wc -l)" -eq 0 ] && [ "$(wc -l <one.txt)" -gt 15 ] || fail "not each once: $(cat one.txt)"
cmp -s one.txt phases.txt || fail "another draw with phases"
slow=$(grep -c -- '--slow-node 0:2' one.txt)
[ "$slow" -gt 4 ] && [ "$slow" -lt 20 ] || fail "a slow node in $slow of 25"
draw 5 1 mixed --set sweep.workload.slow='["most"]' >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q "'workload.slow' is 'most'" err.txt || fail "a node that is not told: $(cat err.txt)"
draw 5 1 mixed --set sweep.workload.slow='[first]' >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q "sweep.workload.slow" err.txt || fail "no JSON: $(cat err.txt)"
echo '{ "sweep": { "platform.nodes,system.name": [2] } }' >odd.json
"$source/tests/real/compare.py" "$build" --mpi "$mpi" --scenario odd.json --dry-run --draw 1 2>err.txt
[ $? -eq 2 ] && grep -q "allowed is a list, of lists of 2" err.txt || fail "no list of lists: $(cat err.txt)"
[ "$failures" -eq 0 ]
