#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of a program that uses communicators while MPI_Comm_idup() makes others of them (duplicates.c), or whose
# collective calls fail (errors.c), or some of whose calls are left by an exception or longjmp() (thrown.c): nothing hangs, and
# results are those of the program alone.
# Usage: duplicates.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work

needs_two_cpus
mpicc.$mpi -O1 -fopenmp -D_XOPEN_SOURCE=700 "$source" -o "$work/duplicates" || exit 1

# plain ARGUMENT...: what the program says alone, here and below
plain() {
    arguments=$*
    timeout 60 $launch -n 2 "$work/duplicates" $arguments >"$work/plain" || exit 1
}

# same WORD...: of lbrun
same() {
    timeout 60 "$lbrun" "$@" -- $launch -n 2 "$work/duplicates" $arguments >"$work/out" 2>"$work/err"
    code=$?
    cmp -s "$work/plain" "$work/out" && [ $code -eq 0 ] && return
    fail "$*: exit code $code, results differ from $(cat "$work/plain")"
    cat "$work/out" "$work/err"
}

plain
for system in dlb packing dpb auto; do
    same --system $system
done

# The first call fails where all wait politely.
case $source in
*errors.c)
    plain 150 100 0.02
    same --system packing $free
    grep -q '; [0-9.]*[1-9][0-9.]* CPU-seconds' "$work/err" || fail "none was freed before: $(cat "$work/err")"
    ;;
esac
exit $failures
