#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# More real jobs: graphs of tasks of all kinds are executed as if serially, in the right order, also without lbrun.
# Usage: jobs.sh LBRUN MPIRUN GRAPHS ORDER
set -u
lbrun=$1 mpirun=$2 graphs=$3 order=$4
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
seed=0

# good WORDS COMMAND...: ends well, and says so.
good() {
    words=$1
    shift
    timeout 120 "$@" >out.txt 2>err.txt
    code=$?
    if [ $code -ne 0 ] || ! grep -q -x -e "$words" out.txt; then
        fail "$*: exit code $code"
        cat out.txt err.txt
    fi
}

graph() {
    seed=$((seed + 10))
    good 'as if serial' "$lbrun" --quiet "$@" -- "$graphs" $seed 4
}

graph --nodes 1 --cores 1 --degree 1 --system baseline
graph --nodes 1 --cores 3 --degree 1 --system dlb --appranks-per-node 2 --param poll_s=0.01
graph --nodes 2 --cores 2 --degree 2 --system local --param poll_s=0.01
graph --nodes 3 --cores 4 --degree 3 --system global --param poll_s=0.01 --param system.period_s=0.05
graph --nodes 2 --cores 6 --degree 2 --system local --appranks-per-node 2 --lewi off --param poll_s=0.01
graph --nodes 2 --cores 6 --degree 2 --system local --appranks-per-node 2 --drom off --param spin_us=0
graph --nodes 4 --cores 4 --degree 3 --system global --load cpu --param poll_s=0.01 --param ownership=boundary
graph --nodes 3 --cores 4 --system dynamic --param poll_s=0.01 --param grow_period_s=0.02 --param grow_idle_s=0.05 --param grow_gain=0
graph --nodes 3 --cores 2 --system chameleon
graph --nodes 2 --cores 2 --system chameleon --appranks-per-node 2 --param migrate=least --param exchange_us=0

good 'in order' "$lbrun" --quiet --nodes 1 --cores 1 --degree 1 --system baseline --param spin_us=0 -- "$order"
good 'in order' "$lbrun" --quiet --nodes 1 --cores 4 --degree 1 --system dlb -- "$order"
good 'in order' "$lbrun" --quiet --nodes 2 --cores 2 --degree 2 --system local -- "$order"
good 'in order' "$lbrun" --quiet --nodes 2 --cores 1 --system chameleon -- "$order"

# Nobody listens, and nobody speaks.
"$lbrun" --nodes 2 --cores 2 --degree 2 -- "$order" <&- >&- 2>&- || fail "without standard streams: exit code $?"

# Without lbrun every rank is alone, with one core.
good 'as if serial' $mpirun -n 2 "$graphs" 7 3
good 'in order' $mpirun -n 1 "$order"
[ "$failures" -eq 0 ]
