#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system packing of a program that makes communicators: ranks that share a CPU take turns in what MPI itself waits for,
# once all have come. Where each spins until its time slice ends, that takes 20 ms and more; 0.2 to 3 ms where they do not. So
# do many ranks on one CPU as they begin.
# Usage: met.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
needs_two_cpus
mpicc.$mpi -O1 -D_POSIX_C_SOURCE=200809L "$source" -o "$work/met" || exit 1

free="--param pack_tolerance=0.9 --param pack_confidence=0.5 --param loss_part=1000"
# taken: in so many ms, one of three jobs, as other work of the machine lengthens some.
taken() {
    timeout 60 "$lbrun" --system packing $free -- $launch -n 2 "$work/met" >"$work/out" 2>"$work/err" ||
        fail "exit code $?: $(cat "$work/err")"
    grep -q 'CPUs freed *1 at the end' "$work/err" && awk '{ exit !($1 < 10) }' "$work/out"
}
taken || taken || taken || fail "MPI_Comm_split() takes $(cat "$work/out") ms: $(cat "$work/err")"

# least_s WORD...: that 24 ranks on one CPU take to begin and to end, of three runs
least_s() {
    for turn in 1 2 3; do
        start=$(date +%s%N)
        timeout 120 taskset -c "$cpu" "$@" $launch -n 24 "$work/met" 0 >"$work/out" 2>&1 || fail "$*: exit code $?: $(cat "$work/out")"
        echo $(($(date +%s%N) - start))
    done | sort -n | awk 'NR == 1 { print $1 / 1e9 }'
}
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
alone=$(least_s env)
with=$(least_s "$lbrun" --or-run --system packing --)
awk "BEGIN { exit !($with < 1.8 * $alone + 0.3) }" || fail "to begin takes $with s, alone $alone s"
exit $failures
