#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system packing of programs whose ranks never all meet: who shares a CPU gives it away also while it waits for a
# window or a lock, for some ranks alone or for a root; results are those of the program alone.
# Usage: alone.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
set_launch
make_work
# Loads are asleep; that other work of this machine makes them longer is no reason not to pack.
free="--param pack_tolerance=0.9 --param pack_confidence=0.5 --param loss_part=1000"

needs_two_cpus
mpicc.$mpi -O1 "$source" -o "$work/alone" || exit 1

# Where six calls come by turns an iteration lasts six steps.
count_of() {
    [ "$1" = others ] && echo 480 || echo 320
}

# steps HOW RANKS OPTION...: in how many steps of the last quarter the last rank gave its CPU away.
steps() {
    how=$1 ranks=$2
    shift 2
    timeout 120 "$lbrun" --system packing $free "$@" -- $launch -n "$ranks" "$work/alone" "$how" "$(count_of "$how")" >"$work/out" 2>"$work/err"
    code=$?
    grep -q 'control group' "$work/err" && return
    [ $code -eq 0 ] && cmp -s "$work/plain" "$work/out" || echo "$how: exit code $code, $(cat "$work/out" "$work/err")" >>"$work/wrong"
    sed -n 's/^polite //p' "$work/err"
}

# polite HOW RANKS OPTION...: in more than half of them; where the machine is busy it may be long until ranks are packed.
polite() {
    timeout 120 $launch -n "$2" "$work/alone" "$1" "$(count_of "$1")" >"$work/plain" 2>"$work/err" || fail "$1: plain: $(cat "$work/err")"
    for try in 1 2 3; do
        count=$(steps "$@")
        [ "${count:-80}" -gt 40 ] && return
    done
    fail "$1: politely in $count of 80 steps: $(cat "$work/err")"
}

polite fence 2
polite post 2
polite others 2
polite pairs 4 --virtual-cpus --cores 4
[ ! -s "$work/wrong" ] || fail "results differ: $(cat "$work/wrong")"
exit $failures
