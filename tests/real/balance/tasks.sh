#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system dlb of a program that hands out tasks, in which nothing repeats: nothing tells whether lending is a
# loss, so it is left as it is, and a line says so.
# Usage: tasks.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if [ "$(nproc)" -lt 2 ]; then
    echo "needs two CPUs"
    exit 77
fi
mpicc.$mpi -O1 -fopenmp "$source" -o "$work/tasks" || exit 1
timeout 120 "$lbrun" --system dlb -- mpirun.$mpi -n 2 "$work/tasks" 12 >"$work/out" 2>"$work/err" || fail "exit code $?"
grep -q '^all came back$' "$work/out" || fail "results"
grep -q 'dlb: no iterations in 10 s: the ranks neither all met nor repeat their waits' "$work/err" || fail "what is said"
grep -q 'threads *as the program has them' "$work/err" || fail "threads are not the program's"
grep -q 'CPUs lent' "$work/err" && fail "CPUs were lent"
[ $failures -eq 0 ] || cat "$work/out" "$work/err"
exit $failures
