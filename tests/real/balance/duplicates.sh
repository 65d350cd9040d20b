#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of a program that uses communicators while MPI_Comm_idup() makes others of them (duplicates.c), or whose
# collective calls fail (errors.c): nothing hangs, and results are those of the program alone.
# Usage: duplicates.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work

needs_two_cpus
mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L "$source" -o "$work/duplicates" || exit 1

# same WORD... -- ARGUMENT...: of lbrun, of the program
same() {
    words=
    while [ "$1" != -- ]; do
        words="$words $1"
        shift
    done
    shift
    timeout 60 $launch -n 2 "$work/duplicates" "$@" >"$work/plain" || exit 1
    timeout 60 "$lbrun" $words -- $launch -n 2 "$work/duplicates" "$@" >"$work/out" 2>"$work/err"
    code=$?
    cmp -s "$work/plain" "$work/out" && [ $code -eq 0 ] && return
    fail "$words: exit code $code, results differ from $(cat "$work/plain")"
    cat "$work/out" "$work/err"
}

for system in dlb packing dpb auto; do
    same --system $system --
done

# The first call fails where all wait politely.
case $source in
*errors.c)
    same --system packing $free -- 150 100 0.02
    grep -q '; [0-9.]*[1-9][0-9.]* CPU-seconds' "$work/err" || fail "none was freed before: $(cat "$work/err")"
    ;;
esac
exit $failures
