#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of programs whose collective calls are made by several threads, or with processes that they
# spawned: nothing hangs, and results are those of the program alone.
# Usage: threads.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
set_launch
make_work

die() {
    echo "failed: $*"
    cat "$work/out" "$work/err"
    exit 1
}

needs_two_cpus
mpicc.$mpi -O1 -fopenmp -pthread -D_POSIX_C_SOURCE=200809L "$source" -o "$work/threads" || exit 1

# same MODE STEPS SYSTEM...
same() {
    mode=$1 steps=$2
    shift 2
    timeout 120 $launch -n 2 "$work/threads" "$mode" "$steps" >"$work/plain" 2>"$work/err" || die "$mode: plain"
    for system in "$@"; do
        timeout 120 "$lbrun" --or-run --system "$system" -- $launch -n 2 "$work/threads" "$mode" "$steps" \
            >"$work/out" 2>"$work/err" || die "$mode, $system: exit code $?"
        cmp -s "$work/plain" "$work/out" || die "$mode, $system: results differ from $(cat "$work/plain")"
    done
}

same single 25 packing dpb dlb auto
grep -q 'auto: collective calls are made by several threads: left as it is' "$work/err" || die "what is said of threads"
same two 40 packing dlb
same last 40 packing dlb
# Threads that are not OpenMP's are not kept together on the CPUs of a part.
export OMPI_MCA_hwloc_base_binding_policy=none
same crowd 60 dpb dlb
grep -q '^CPUs [2-9]' "$work/out" || die "what the program had is no test"
grep -q "lbrun: dlb: [0-9]* threads that are not OpenMP's compute or poll on [1-9][0-9]* CPU" "$work/err" || die "what is said of a crowd"
same named 20 dpb dlb
grep -q "not OpenMP's" "$work/err" && die "threads of regions that name their number are OpenMP's"
unset OMPI_MCA_hwloc_base_binding_policy
[ "$mpi" = openmpi ] && same spawn 40 packing dlb # MPICH 4.0 spawns nothing under its own mpirun
exit 0
