#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What lbrun.h offers beyond plain tasks gives what a serial program gives: on one node and several, with helpers
# and tasks that migrate, one task at a time, and without lbrun. Usage: interface.sh LBRUN MPIRUN INTERFACE
set -u
lbrun=$1 mpirun=$2 program=$3
. "$(dirname "$0")/../job.sh"
with_mpi_in_process

good() {
    timeout 120 "$@" >out.txt 2>err.txt
    code=$?
    if [ $code -ne 0 ] || ! grep -q -x 'as if serial' out.txt; then
        echo "FAILED: $*: exit code $code"
        cat out.txt err.txt
        failures=$((failures + 1))
    fi
}

job() {
    good "$lbrun" --quiet "$@" -- "$program"
}

job --nodes 1 --cores 1 --degree 1 --system baseline
job --nodes 1 --cores 4 --degree 1 --system dlb --appranks-per-node 2
job --nodes 2 --cores 2 --degree 2 --system local --param poll_s=0.02
job --nodes 3 --cores 4 --degree 3 --system global --param poll_s=0.02 --param period_s=0.05
job --nodes 3 --cores 2 --system chameleon
good "$lbrun" --quiet --nodes 2 --cores 2 --degree 2 --system global --check -- "$program" one-by-one
good $mpirun -n 2 "$program"
[ "$failures" -eq 0 ]
