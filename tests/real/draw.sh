#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare.py --draw: so many points of the scenario, the same for the same seed; none of them is run here.
# Usage: draw.sh SOURCE_DIR BUILD MPI
set -u
source=$1 build=$2 mpi=$3
. "$(dirname "$0")/job.sh"

draw() # N SEED
{
    "$source/tests/real/compare.py" "$build" --mpi "$mpi" --scenario "$source/tests/real/compare_corners.json" \
        --dry-run --draw "$1" --by "$2"
}
draw 7 1 >one.txt && draw 7 1 >again.txt && draw 7 2 >other.txt || fail "no draw"
[ "$(sort -u one.txt | wc -l)" -eq 7 ] || fail "not seven: $(cat one.txt)"
cmp -s one.txt again.txt || fail "another draw with the same seed"
cmp -s one.txt other.txt && fail "the same draw with another seed"
draw 100000 1 >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'the scenario has [0-9]* points' err.txt || fail "more than there are: $(cat err.txt)"
[ "$failures" -eq 0 ]
