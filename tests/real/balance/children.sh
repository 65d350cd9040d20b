#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program whose ranks run another MPI program is balanced and measured as it is: what it runs is none of its ranks.
# Usage: children.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
set_launch
make_work

needs_two_cpus
mpicc.$mpi -O1 "$source" -o "$work/children" || exit 1
cd "$work" || exit 1
timeout 120 $launch -n 2 ./children 60 before >plain 2>err
code=$?
if [ "$code" -ne 41 ]; then
    echo "a program of one rank cannot be run by another here: exit code $code, $(cat err)"
    exit 77
fi

# as_plain WHAT WORD...: under lbrun with these words
as_plain() {
    what=$1
    shift
    timeout 120 "$lbrun" "$@" -- $launch -n 2 ./children 60 before >out 2>err
    code=$?
    [ $code -eq 41 ] && cmp -s plain out || fail "$what: exit code $code, $(cat out err)"
}

as_plain packing --system packing
as_plain dlb --system dlb
as_plain measure measure --out m
grep -q '"ranks":[[:space:]]*2,' m/measured.json || fail "measure: $(cat m/measured.json)"
exit $failures
