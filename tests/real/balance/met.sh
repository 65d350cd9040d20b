#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system packing of a program that makes communicators: ranks that share a CPU take turns in what MPI itself waits for,
# once all have come. Where each spins until its time slice ends, that takes 20 ms and more; 0.2 to 3 ms where they do not.
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
exit $failures
