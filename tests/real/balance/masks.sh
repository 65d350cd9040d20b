#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system ... of programs that ask for their CPUs, and start threads and programs beside their regions: they are
# told what they would be without lbrun, and what they start may use what their teams may.
# Usage: masks.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
export OMPI_MCA_hwloc_base_binding_policy=none

needs_two_cpus
MPICH_CC=gcc OMPI_CC=gcc mpicc.$mpi -O1 -fopenmp -pthread "$source" -o "$work/masks" || exit 1

# right SYSTEM ARGUMENT...: of a program of two ranks
right() {
    system=$1
    shift
    timeout 120 "$lbrun" --system "$system" --param loss_part=1000 -- $launch -n 2 "$work/masks" "$@" >"$work/out" 2>"$work/err" ||
        die "$system $*: exit code $?"
    grep -q '^0 wrong$' "$work/out" || die "$system $*"
    grep -q '^checked [1-9]' "$work/err" || die "$system $*: nothing was checked"
}

right dlb 100
for system in dpb dlb auto packing; do
    OMP_NUM_THREADS=2 right $system 30 sized
done
